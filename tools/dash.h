/* The dashboard of `stoa run`: a line about the run, and below it what chosen resources hold, their
 * numbers as curves over time. On a terminal it is drawn in place; elsewhere it is a line now and
 * then, and the curves at the end. */
#ifndef STOA_TOOL_DASH_H
#define STOA_TOOL_DASH_H

#include "tool.h"

/* Numbers that are followed, at most; samples that are kept of each; resources, at most. */
#define DASH_SERIES 32
#define DASH_SAMPLES 60
#define DASH_RESOURCES 8
#define DASH_NAME 48

/* A number and what it was. */
typedef struct dash_series {
    char resource[DASH_NAME], member[DASH_NAME];
    double samples[DASH_SAMPLES];
    int32_t count;
} dash_series;

typedef struct dash {
    const stoa_app *app;
    uint64_t frames; /* 0: no end */
    bool terminal;
    bool plain; /* the terminal's language has no signs for curves */
    char resources[DASH_RESOURCES][DASH_NAME];
    int32_t resource_count;
    dash_series series[DASH_SERIES];
    int32_t series_count;
    uint64_t begun; /* frame of the app at the beginning */
    double start;   /* when the run began, in seconds */
    double drawn;   /* when it was last drawn */
    int32_t lines;  /* that were drawn then */
} dash;

/* Seconds from some point in time on. */
double seconds_now(void);

/* Begins, with the names of resources by commas, or NULL; false if one is not known, which was
 * said. */
bool dash_begin(dash *d, const tool_command *command, const stoa_app *app, uint64_t frames,
                const char *names);

/* To be called after each frame. */
void dash_frame(dash *d);

/* To be called before something else is printed in between. */
void dash_pause(dash *d);

/* Shows how it ended. */
void dash_end(dash *d);

#endif
