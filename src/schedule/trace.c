/* Timings as a trace: JSON in the form that Chrome's tracing began, and Perfetto opens.
 *
 * Every span is one complete event of the thread that it was on: frames, their stages and batches
 * on the thread that steps the app, jobs wherever they ran. What lies in another span is written
 * after it. Times are exact: microseconds with three places, from the beginning of the oldest frame
 * on. Nothing is allocated. */
#include "schedule/timed.h"

#include "base/writer.h"

#include <inttypes.h>

/* U+FFFD, for bytes that are no UTF-8. */
#define REPLACEMENT "\xEF\xBF\xBD"

typedef struct trace {
    const stoa_app *app;
    stoa__writer out;
    uint64_t start; /* the moment that is 0 */
    uint64_t frame; /* the one being written */
    bool more;      /* events came before */
} trace;

/* Bytes of the character that a text begins with; 0 if it does not begin with one. */
static uint32_t character_size(const unsigned char *text) {
    /* By the first byte: how many follow, and within which bounds the second lies. */
    static const struct {
        unsigned char from, to, follow, low, high;
    } forms[] = {
        {0x00, 0x7F, 0, 0x00, 0xFF}, {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF},
        {0xE1, 0xEC, 2, 0x80, 0xBF}, {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF},
        {0xF0, 0xF0, 3, 0x90, 0xBF}, {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F},
    };
    for (uint32_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].from || text[0] > forms[i].to) {
            continue;
        }
        if (forms[i].follow > 0 && (text[1] < forms[i].low || text[1] > forms[i].high)) {
            return 0;
        }
        for (uint32_t k = 2; k <= forms[i].follow; k++) {
            if ((text[k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return forms[i].follow + 1u;
    }
    return 0;
}

/* Writes what may stand between the quotes of a JSON string. */
static void text_put(stoa__writer *out, const char *text) {
    while (*text != '\0') {
        uint32_t size = character_size((const unsigned char *)text);
        if (size == 0) {
            stoa__writer_put(out, REPLACEMENT);
            text++;
            continue;
        }
        if ((unsigned char)*text < 0x20) {
            stoa__writer_format(out, "\\u%04x", (unsigned)*text);
        } else {
            if (*text == '"' || *text == '\\') {
                stoa__writer_put(out, "\\");
            }
            stoa__writer_bytes(out, text, size);
        }
        text += size;
    }
}

/* The beginning of an event, up to where its name is to be written. */
static void event_open(trace *t) {
    stoa__writer_put(&t->out, t->more ? ",\n{\"name\":\"" : "\n{\"name\":\"");
    t->more = true;
}

/* The rest of an event after its name, with its last brackets left open for more arguments. */
static void event_put(trace *t, const char *category, uint64_t start, uint64_t end, int32_t lane) {
    uint64_t at = start - t->start, length = end - start;
    stoa__writer_format(&t->out,
                        "\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%" PRIu64 ".%03u,\"dur\":%" PRIu64
                        ".%03u,\"pid\":1,\"tid\":%d,\"args\":{\"frame\":%" PRIu64,
                        category, at / 1000, (unsigned)(at % 1000), length / 1000,
                        (unsigned)(length % 1000), lane, t->frame);
}

static void event_close(trace *t) {
    stoa__writer_put(&t->out, "}}");
}

static void stage_name_put(trace *t, stoa_stage stage) {
    const char *name = stoa_stage_name(t->app, stage);
    text_put(&t->out, name != NULL ? name : "stage");
}

/* A system that was removed has left no name. */
static void system_name_put(trace *t, uint32_t id) {
    const stoa__system *system = stoa__system_of(t->app, (stoa_system){id});
    if (system != NULL) {
        text_put(&t->out, system->name);
    } else {
        stoa__writer_format(&t->out, "system %u", id);
    }
}

/* Writes the jobs of a batch. Those of one system stand together. */
static void spans_put(trace *t, const stoa__span *spans, uint32_t count) {
    uint32_t job = 0;
    for (uint32_t i = 0; i < count; i++) {
        job = i > 0 && spans[i - 1].system == spans[i].system ? job + 1 : 0;
        if (spans[i].system != 0) {
            event_open(t);
            system_name_put(t, spans[i].system);
            event_put(t, "system", spans[i].start, spans[i].end, spans[i].lane);
            stoa__writer_format(&t->out, ",\"job\":%u", job);
            event_close(t);
        }
    }
}

static void frame_put(trace *t, const stoa__timed_frame *frame) {
    t->frame = frame->number;
    event_open(t);
    stoa__writer_format(&t->out, "frame %" PRIu64, frame->number);
    event_put(t, "frame", frame->start, frame->end, 0);
    stoa__writer_format(&t->out, ",\"lost\":%u", frame->lost);
    event_close(t);
    for (uint32_t i = 0; i < frame->stage_count; i++) {
        const stoa__timed_stage *stage = &frame->stages[i];
        event_open(t);
        stage_name_put(t, stage->stage);
        event_put(t, "stage", stage->start, stage->end, 0);
        event_close(t);
    }
    for (uint32_t i = 0; i < frame->batch_count; i++) {
        const stoa__timed_batch *batch = &frame->batches[i];
        event_open(t);
        stage_name_put(t, batch->stage);
        stoa__writer_format(&t->out, " %u", batch->number);
        event_put(t, "batch", batch->start, batch->end, 0);
        stoa__writer_format(&t->out, ",\"jobs\":%u", batch->count);
        event_close(t);
        spans_put(t, frame->spans + batch->first, batch->count);
    }
}

/* Tells what the process and its threads are called. */
static void names_put(trace *t) {
    static const char form[] = "%s\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"";
    event_open(t);
    stoa__writer_format(&t->out, form, "process_name", 0);
    stoa__writer_put(&t->out, "stoa\"}}");
    for (int32_t i = 0; i < stoa_app_threads(t->app); i++) {
        event_open(t);
        stoa__writer_format(&t->out, form, "thread_name", i);
        if (i == 0) {
            stoa__writer_put(&t->out, "main\"}}");
        } else {
            stoa__writer_format(&t->out, "worker %d\"}}", i);
        }
    }
}

int64_t stoa_timing_trace(const stoa_app *app, char *buffer, size_t size) {
    if (app == NULL || (buffer == NULL && size > 0)) {
        stoa_world_report(stoa_app_world(app),
                          stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                      app == NULL ? "app" : "buffer"));
        return -1;
    }
    const struct stoa__timings *timings = app->timings;
    trace t = {.app = app, .out = stoa__writer_new(buffer, size)};
    stoa__writer_put(&t.out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    names_put(&t);
    for (uint32_t i = 0; timings != NULL && i < timings->count; i++) {
        const stoa__timed_frame *frame = stoa__timed_at(timings, i);
        t.start = i == 0 ? frame->start : t.start;
        frame_put(&t, frame);
    }
    stoa__writer_put(&t.out, "\n]}\n");
    return (int64_t)t.out.length;
}
