/* The sections of a snapshot that tell how a run goes on: the log of removals, unread events, and
 * the app. */
#ifndef STOA_PERSIST_SNAPSHOT_APP_H
#define STOA_PERSIST_SNAPSHOT_APP_H

#include "persist/snapshot.h"

/* The systems of an app but for those of STOA_STARTUP, in ascending order of their names. */
typedef struct stoa__app_system {
    const char *name;
    stoa_system system;
} stoa__app_system;

typedef struct stoa__app_systems {
    stoa__app_system *items;
    uint32_t capacity;
    uint32_t count;
} stoa__app_systems;

/* Lists the systems; false with the thread's error set. stoa__app_systems_fini must follow. */
bool stoa__app_systems_list(stoa__app_systems *list, stoa__heap *heap, const stoa_app *app);
void stoa__app_systems_fini(stoa__app_systems *list, stoa__heap *heap);

/* STOA_OK if there is no app, or it runs the world and does not step; otherwise reported. */
stoa_status stoa__app_check(const stoa_world *world, const stoa_app *app);

/* A section `app` that was parsed. */
typedef struct stoa__app_view {
    stoa_app_state state;
    uint32_t system_count;
    stoa__cursor systems; /* from the first on */
} stoa__app_view;

/* One of its systems. */
typedef struct stoa__app_record {
    const char *name; /* not terminated */
    uint32_t name_size;
    stoa_system_state state;
    uint32_t query_count;
    uint32_t habit_count;
    const uint8_t *queries; /* 5 bytes each */
    const uint8_t *habits;  /* 8 bytes each */
} stoa__app_record;

/* Parses all of a section of a world with so many slots. */
stoa_status stoa__app_parse(stoa__app_view *view, const stoa__section *section,
                            uint32_t slot_count);

/* Takes the next system; a section that was parsed has as many as it says. */
void stoa__app_record_take(stoa__cursor *cursor, stoa__app_record *record);

/* A section `log` that was parsed. */
typedef struct stoa__log_view {
    bool lost;
    uint32_t lost_tick;
    uint32_t name_count;
    uint32_t entry_count;
    stoa__cursor names;     /* texts */
    const uint8_t *entries; /* 16 bytes each */
} stoa__log_view;

/* Parses all of a section of a world with that tick. */
stoa_status stoa__log_parse(stoa__log_view *view, const stoa__section *section, uint32_t tick);

/* Checks a section `events`; the count of its queues stands at its begin. */
stoa_status stoa__events_parse(const stoa__section *section, const stoa__schema *schema,
                               uint32_t *count);

/* Takes a text; NULL if there is none, or it is empty or has a zero inside. */
const char *stoa__cursor_text(stoa__cursor *cursor, uint32_t *size);

/* Compares two texts as bytes, a part before the whole. */
int stoa__text_compare(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
