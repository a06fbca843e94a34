/* Numbers are found by the descriptions of resources, again at each sample: a module that is
 * reloaded may bring others. */
#define _POSIX_C_SOURCE 200809L

#include "dash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds from one drawing to the next. */
#define DRAW_SECONDS 0.07
/* Frames from one line, or one sample, to the next if the run has no end. */
#define LINE_FRAMES 1000
#define SAMPLE_FRAMES 10
/* Lines of a text in a resource, at most. */
#define TEXT_LINES 40

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool language_is_plain(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return strstr(value, "UTF-8") == NULL && strstr(value, "utf8") == NULL;
        }
    }
    return true;
}

static uint64_t frames_done(const dash *d) {
    return stoa_app_frame(d->app) - d->begun;
}

bool dash_begin(dash *d, const tool_command *command, const stoa_app *app, uint64_t frames,
                const char *names) {
    *d = (dash){.app = app,
                .frames = frames,
                .terminal = isatty(STDOUT_FILENO) == 1,
                .plain = language_is_plain(),
                .begun = stoa_app_frame(app),
                .start = seconds_now()};
    const stoa_world *world = stoa_app_world(app);
    for (const char *at = names; at != NULL && d->resource_count < DASH_RESOURCES;) {
        char *name = d->resources[d->resource_count++];
        size_t length = strcspn(at, ",");
        snprintf(name, DASH_NAME, "%.*s", (int)(length < DASH_NAME ? length : DASH_NAME), at);
        if (stoa_component_find(world, name) == 0) {
            tool_fail(command, "no type '%s' for a resource", name);
            return false;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

/* A member as a number; false if it is none, or several. */
static bool member_number(const stoa_member *member, const uint8_t *value, double *number) {
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    const uint8_t *at = value + member->offset;
    if (member->array) {
        return false;
    }
    switch (member->kind) {
    case STOA_KIND_I32:
        memcpy(&i32, at, sizeof i32);
        *number = i32;
        return true;
    case STOA_KIND_U32:
        memcpy(&u32, at, sizeof u32);
        *number = u32;
        return true;
    case STOA_KIND_I64:
        memcpy(&i64, at, sizeof i64);
        *number = (double)i64;
        return true;
    case STOA_KIND_U64:
        memcpy(&u64, at, sizeof u64);
        *number = (double)u64;
        return true;
    case STOA_KIND_F32:
        memcpy(&f32, at, sizeof f32);
        *number = (double)f32;
        return true;
    case STOA_KIND_F64:
        memcpy(number, at, sizeof *number);
        return true;
    default:
        return false;
    }
}

static bool member_is_text(const stoa_member *member) {
    return member->kind == STOA_KIND_CHAR && member->array;
}

/* The resource of that number, and its description; NULL if it is not there now. */
static const uint8_t *resource_find(const dash *d, int32_t index, stoa_component_info *info) {
    const stoa_world *world = stoa_app_world(d->app);
    stoa_component id = stoa_component_find(world, d->resources[index]);
    const void *value = id != 0 ? stoa_resource_try_id(world, id) : NULL;
    return value != NULL && stoa_component_info_get(world, id, info) == STOA_OK ? value : NULL;
}

/* The series of a member, a new one if need be; NULL if there are too many. */
static dash_series *series_find(dash *d, const char *resource, const char *member) {
    char name[DASH_NAME];
    snprintf(name, sizeof name, "%s", member);
    for (int32_t i = 0; i < d->series_count; i++) {
        if (strcmp(d->series[i].resource, resource) == 0 &&
            strcmp(d->series[i].member, name) == 0) {
            return &d->series[i];
        }
    }
    if (d->series_count == DASH_SERIES) {
        return NULL;
    }
    dash_series *s = &d->series[d->series_count++];
    snprintf(s->resource, sizeof s->resource, "%s", resource);
    memcpy(s->member, name, sizeof name);
    return s;
}

static void sample_take(dash *d) {
    stoa_component_info info;
    for (int32_t i = 0; i < d->resource_count; i++) {
        const uint8_t *value = resource_find(d, i, &info);
        for (int32_t j = 0; value != NULL && j < info.member_count; j++) {
            double number;
            if (!member_number(&info.members[j], value, &number)) {
                continue;
            }
            dash_series *s = series_find(d, d->resources[i], info.members[j].name);
            if (s != NULL && s->count == DASH_SAMPLES) {
                memmove(s->samples, s->samples + 1, sizeof s->samples - sizeof s->samples[0]);
                s->count--;
            }
            if (s != NULL) {
                s->samples[s->count++] = number;
            }
        }
    }
}

/* Ends a line of the drawing. */
static void line_end(dash *d) {
    fputs(d->terminal ? "\033[K\n" : "\n", stdout);
    d->lines++;
}

/* Eight heights from the least to the most of what is shown. */
static void series_draw(dash *d, const dash_series *s, double now) {
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const letters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double least = now;
    double most = now;
    for (int32_t i = 0; i < s->count; i++) {
        least = s->samples[i] < least ? s->samples[i] : least;
        most = s->samples[i] > most ? s->samples[i] : most;
    }
    printf("  %-12s ", s->member);
    for (int32_t i = 0; i < DASH_SAMPLES; i++) {
        int level = i < s->count && most > least
                        ? (int)((s->samples[i] - least) / (most - least) * 7.999)
                        : 0;
        fputs(i >= s->count ? " " : d->plain ? letters[level & 7] : blocks[level & 7], stdout);
    }
    printf(" %.10g", now);
    line_end(d);
}

/* A text as it is, line by line, but for signs that might do something to a terminal. */
static void text_draw(dash *d, const stoa_member *member, const uint8_t *value) {
    const char *text = (const char *)value + member->offset;
    uint32_t i = 0;
    for (int32_t line = 0; line < TEXT_LINES && i < member->count && text[i] != '\0'; line++) {
        fputs("  ", stdout);
        for (; i < member->count && text[i] != '\0' && text[i] != '\n'; i++) {
            putchar(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
        }
        i++;
        line_end(d);
    }
}

static void resources_draw(dash *d) {
    stoa_component_info info;
    for (int32_t i = 0; i < d->resource_count; i++) {
        const uint8_t *value = resource_find(d, i, &info);
        for (int32_t j = 0; value != NULL && j < info.member_count; j++) {
            const stoa_member *member = &info.members[j];
            double number;
            if (member_is_text(member)) {
                text_draw(d, member, value);
            } else if (member_number(member, value, &number)) {
                const dash_series *s = series_find(d, d->resources[i], member->name);
                if (s != NULL) {
                    series_draw(d, s, number);
                }
            }
        }
    }
}

static void status_print(const dash *d) {
    stoa_statistics stats = stoa_stats(stoa_app_world(d->app));
    printf("frame %" PRIu64, frames_done(d));
    if (d->frames > 0) {
        printf(" of %" PRIu64, d->frames);
    }
    if (d->terminal) {
        double passed = seconds_now() - d->start;
        printf(", %.0f a second", passed > 0 ? (double)frames_done(d) / passed : 0);
    }
    printf(": %" PRId32 " entities, %.1f MiB", stats.entities,
           (double)stats.bytes_reserved / (1 << 20));
}

/* Over what was drawn before. */
static void dash_draw(dash *d) {
    if (d->lines > 0) {
        printf("\033[%" PRId32 "A", d->lines);
    }
    d->lines = 0;
    status_print(d);
    line_end(d);
    resources_draw(d);
    /* What was longer the last time. */
    fputs("\033[J", stdout);
    fflush(stdout);
}

/* All in one line: texts of one line, and numbers by their names. */
static void line_print(const dash *d) {
    stoa_component_info info;
    status_print(d);
    for (int32_t i = 0; i < d->resource_count; i++) {
        const uint8_t *value = resource_find(d, i, &info);
        for (int32_t j = 0; value != NULL && j < info.member_count; j++) {
            const stoa_member *member = &info.members[j];
            const char *text = (const char *)value + member->offset;
            double number;
            if (member_is_text(member) && memchr(text, '\n', member->count) == NULL) {
                printf(", %.*s", (int)member->count, text);
            } else if (member_number(member, value, &number)) {
                printf(", %s %.10g", member->name, number);
            }
        }
    }
    printf("\n");
    fflush(stdout);
}

void dash_frame(dash *d) {
    uint64_t done = frames_done(d);
    uint64_t sample = d->frames == 0 ? SAMPLE_FRAMES : d->frames / DASH_SAMPLES + 1;
    uint64_t line = d->frames == 0 ? LINE_FRAMES : (d->frames + 9) / 10;
    if (done % sample == 0) {
        sample_take(d);
    }
    if (!d->terminal) {
        if (done % line == 0) {
            line_print(d);
        }
        return;
    }
    double now = seconds_now();
    if (now - d->drawn >= DRAW_SECONDS) {
        d->drawn = now;
        dash_draw(d);
    }
}

void dash_pause(dash *d) {
    d->lines = 0;
    fflush(stdout);
}

void dash_end(dash *d) {
    if (d->terminal) {
        dash_draw(d);
    } else {
        resources_draw(d);
    }
}
