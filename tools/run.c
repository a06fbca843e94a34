/* `stoa run`: an app made of modules, frame by frame, until it is done or told to stop.
 *
 * Every frame stands for the same time, so what comes out depends on modules, frames, seed and what
 * was loaded, and not on the machine or its threads. The app is saved with its world, so a run may
 * be cut in two. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include <stoa/module.h>
#include <stoa/snapshot.h>

#include "dash.h"

/* Seconds that a frame stands for. */
#define FRAME_SECONDS (1.0 / 60)
/* Seconds from one look at the files of modules to the next. */
#define WATCH_SECONDS 0.1
/* Frames whose timings a trace has, at most. */
#define TRACE_FRAMES 1000

/* The place of `--seed` among the options. */
#define SEED_OPTION 2

typedef struct run_options {
    uint64_t frames, threads, seed, rate;
    const char *load, *save, *trace, *dash;
    bool watch, seed_given;
} run_options;

static volatile sig_atomic_t interrupted;

static void interrupt_note(int number) {
    (void)number;
    interrupted = 1;
}

/* Says what of a snapshot does not fit the modules. */
static void notice_print(const stoa_notice *notice, void *user) {
    const tool_command *const *command = user;
    tool_fail(*command, "%s", notice->text);
}

/* The run goes on with the seed that was saved, unless another one was asked for. */
static bool world_load(const tool_command *command, stoa_app *app, const run_options *o) {
    stoa_snapshot_load_desc load = {
        .unknown = STOA_UNKNOWN_KEEP, .notice = notice_print, .user = &command, .app = app};
    stoa_app_state state;
    bool good = stoa_snapshot_load_file(stoa_app_world(app), &load, o->load) == STOA_OK &&
                stoa_app_state_get(app, &state) == STOA_OK;
    if (good && o->seed_given) {
        state.seed = o->seed;
        good = stoa_app_state_set(app, &state) == STOA_OK;
    }
    if (!good) {
        tool_fail_library(command, o->load);
    }
    return good;
}

/* Looks whether modules have changed; one that fails is told, and the old one goes on. */
static void modules_watch(const tool_command *command, stoa_app *app, dash *d, double *watched) {
    double now = seconds_now();
    if (now - *watched < WATCH_SECONDS) {
        return;
    }
    *watched = now;
    int32_t reloaded = 0;
    stoa_status status = stoa_modules_poll(app, &reloaded);
    if (reloaded > 0 || status != STOA_OK) {
        dash_pause(d);
    }
    if (reloaded > 0) {
        fprintf(stderr, "stoa run: reloaded %" PRId32 " of the modules\n", reloaded);
    }
    if (status != STOA_OK) {
        tool_fail_library(command, NULL);
    }
}

/* Sleeps until the next frame is due. */
static void frame_await(const run_options *o, double start, uint64_t done) {
    double left = o->rate > 0 ? start + (double)done / (double)o->rate - seconds_now() : 0;
    if (left > 0) {
        struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        nanosleep(&time, NULL);
    }
}

static int frames_run(const tool_command *command, stoa_app *app, const run_options *o) {
    static dash d;
    if (!dash_begin(&d, command, app, o->frames, o->dash)) {
        return EXIT_WRONG;
    }
    double watched = 0;
    uint64_t done = 0;
    while ((o->frames == 0 || done < o->frames) && !interrupted && !stoa_app_quitting(app)) {
        if (o->watch) {
            modules_watch(command, app, &d, &watched);
        }
        if (stoa_app_step(app, FRAME_SECONDS) != STOA_OK) {
            dash_pause(&d);
            return tool_fail_library(command, NULL);
        }
        done++;
        dash_frame(&d);
        frame_await(o, d.start, done);
    }
    double passed = seconds_now() - d.start;
    dash_end(&d);
    int32_t threads = stoa_app_threads(app);
    printf("%" PRIu64 " frames on %" PRId32 " thread%s, %.0f a second\n", done, threads,
           threads == 1 ? "" : "s", passed > 0 ? (double)done / passed : 0);
    return EXIT_FINE;
}

static int trace_write(const tool_command *command, stoa_app *app, const char *path) {
    int64_t length = stoa_timing_trace(app, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    output out;
    if (text == NULL) {
        return length < 0 ? tool_fail_library(command, path) : tool_fail(command, "out of memory");
    }
    int code = EXIT_WRONG;
    stoa_timing_trace(app, text, (size_t)length + 1);
    if (output_open(&out, command, path)) {
        fwrite(text, 1, (size_t)length, out.file);
        code = output_close(&out, EXIT_FINE);
    }
    free(text);
    return code;
}

/* What is left to do after the last frame. */
static int results_write(const tool_command *command, stoa_app *app, const run_options *o) {
    stoa_world *world = stoa_app_world(app);
    printf("%" PRId32 " entities, hash %016" PRIx64 "\n", stoa_count(world), stoa_hash(world));
    if (o->save != NULL) {
        stoa_snapshot_save_desc save = {.app = app};
        if (stoa_snapshot_save_file(world, &save, o->save) != STOA_OK) {
            return tool_fail_library(command, o->save);
        }
        printf("saved to %s\n", o->save);
    }
    return o->trace != NULL ? trace_write(command, app, o->trace) : EXIT_FINE;
}

static int app_run(const tool_command *command, const run_options *o, char **paths, int count) {
    stoa_world_desc world = world_desc();
    stoa_app *app = stoa_app_new(
        &(stoa_app_desc){.world_as = &world, .threads = (int32_t)o->threads, .seed = o->seed});
    if (app == NULL) {
        return tool_fail_library(command, NULL);
    }
    uint64_t kept = o->frames > 0 && o->frames < TRACE_FRAMES ? o->frames : TRACE_FRAMES;
    int code = EXIT_WRONG;
    if (modules_open(command, app, paths, count, o->load != NULL) &&
        (o->load == NULL || world_load(command, app, o))) {
        code = o->trace == NULL || stoa_timing_keep(app, (int32_t)kept) == STOA_OK
                   ? frames_run(command, app, o)
                   : tool_fail_library(command, NULL);
    }
    if (code == EXIT_FINE) {
        code = results_write(command, app, o);
    }
    app_close(app);
    output out = {.command = command, .file = stdout};
    return output_close(&out, code);
}

static int run_run(const tool_command *command, int argc, char **argv) {
    run_options o = {.seed = 1};
    option options[] = {
        {.name = "--frames",
         .kind = OPTION_NUMBER,
         .number = &o.frames,
         .least = 1,
         .most = 1ull << 50},
        {.name = "--threads", .kind = OPTION_NUMBER, .number = &o.threads, .least = 1, .most = 256},
        {.name = "--seed", .kind = OPTION_NUMBER, .number = &o.seed, .most = UINT64_MAX},
        {.name = "--rate", .kind = OPTION_NUMBER, .number = &o.rate, .least = 1, .most = 1000000},
        {.name = "--load", .kind = OPTION_TEXT, .text = &o.load},
        {.name = "--save", .kind = OPTION_TEXT, .text = &o.save},
        {.name = "--trace", .kind = OPTION_TEXT, .text = &o.trace},
        {.name = "--dash", .kind = OPTION_TEXT, .text = &o.dash},
        {.name = "--watch"},
    };
    int option_count = (int)(sizeof options / sizeof options[0]);
    int count = options_read(command, argc, argv, options, option_count);
    if (count < 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes at least one module");
    }
    o.watch = options[option_count - 1].given;
    o.seed_given = options[SEED_OPTION].given;
    signal(SIGINT, interrupt_note);
    signal(SIGTERM, interrupt_note);
    return app_run(command, &o, argv, count);
}

const tool_command run_command = {
    "run",
    "MODULE... [--frames N] [--threads N] [--load FILE] [--save FILE] [--watch] [--trace FILE]\n"
    "                    [--dash NAME,...] [--rate N] [--seed N]",
    "Runs an app that is made of modules",
    "Modules are shared libraries that bring components and systems. Each builds its scene, "
    "unless\n"
    "a snapshot is loaded. At the end the hash of the world is printed.\n\n"
    "  --frames N       so many frames; else until it quits or is interrupted\n"
    "  --threads N      on so many threads (as many as there are cores)\n"
    "  --load FILE      begin with a snapshot instead of the modules' scenes; a run that was "
    "saved\n"
    "                   goes on as if it had not ended\n"
    "  --save FILE      save a snapshot at the end, and what the run goes on by\n"
    "  --watch          reload modules whose files change\n"
    "  --trace FILE     timings of the last frames as Chrome trace JSON, at most 1000\n"
    "  --dash NAME,...  show these resources: numbers as curves, texts as they are\n"
    "  --rate N         frames a second, at most\n"
    "  --seed N         start of the random numbers (1, or as it was saved)\n",
    run_run,
};
