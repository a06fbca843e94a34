/* The systems of an app: making, finding, asking, taking away.
 *
 * Names are compared one by one: an app has some hundred systems at most, and they are looked for
 * between frames only. */
#include "schedule/app.h"

#include "schedule/work.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

stoa__system *stoa__system_of(const stoa_app *app, stoa_system system) {
    for (uint32_t i = 0; i < app->system_count; i++) {
        if (app->systems[i]->id == system.id) {
            return app->systems[i];
        }
    }
    return NULL;
}

static stoa__system *system_by_name(const stoa_app *app, const char *name) {
    for (uint32_t i = 0; i < app->system_count; i++) {
        if (strcmp(app->systems[i]->name, name) == 0) {
            return app->systems[i];
        }
    }
    return NULL;
}

static uint32_t terms_count(const stoa_term *terms, uint32_t most) {
    uint32_t count = 0;
    while (count < most && terms[count].access != STOA_ACCESS_END) {
        count++;
    }
    return count;
}

static void names_free(stoa__heap *heap, stoa__names *names) {
    for (uint32_t i = 0; i < STOA_NAME_MAX; i++) {
        stoa__heap_text_free(heap, names->items[i]);
    }
}

static bool names_copy(stoa__heap *heap, stoa__names *names, const char *const *from) {
    for (uint32_t i = 0; i < STOA_NAME_MAX && from[i] != NULL; i++) {
        names->items[i] = stoa__heap_text(heap, from[i]);
        if (names->items[i] == NULL) {
            return false;
        }
    }
    return true;
}

void stoa__system_discard(stoa_app *app, stoa__system *system) {
    stoa__heap *heap = &app->heap;
    /* Of a batch that could not be joined: they go with the world, which is the app's own. */
    bool forked = app->work->state == STOA__WORK_FORKED;
    for (uint32_t i = 0; i < system->buffer_count && !forked; i++) {
        (void)stoa_commands_free(system->buffers[i]);
    }
    stoa__heap_grow_free(heap, system->buffers, system->buffer_capacity, sizeof(stoa_commands *));
    stoa__heap_grow_free(heap, system->habits, system->habit_capacity, sizeof *system->habits);
    (void)stoa_query_free(system->query);
    stoa__access_fini(&system->access, heap);
    names_free(heap, &system->labels);
    names_free(heap, &system->before);
    names_free(heap, &system->after);
    stoa__heap_text_free(heap, system->name);
    stoa__heap_free(heap, system, sizeof *system, _Alignof(stoa__system));
}

void stoa__system_delete(stoa_app *app, stoa__system *system) {
    void (*user_free)(void *user) = system->user_free;
    void *user = system->user;
    stoa__system_discard(app, system);
    if (user_free != NULL) {
        user_free(user);
    }
}

/* Whether a list of extra access has reads and writes only. */
static stoa_status declared_check(const char *name, const stoa_term *terms) {
    uint32_t count = terms_count(terms, STOA_DECLARE_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (terms[i].access != STOA_ACCESS_READ && terms[i].access != STOA_ACCESS_WRITE) {
            return stoa__error(STOA_INVALID,
                               "system '%s': extra access and resources are reads or writes", name);
        }
    }
    return STOA_OK;
}

/* What can be told of a description without making anything, but for whether its name is free. */
static stoa_status desc_check(const stoa_app *app, const stoa_system_desc *desc) {
    if (desc == NULL || desc->name == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           desc == NULL ? "description" : "name of a system");
    }
    const char *name = desc->name;
    if (name[0] == '\0') {
        return stoa__error(STOA_INVALID, "a system must have a name");
    }
    if ((desc->each == NULL) == (desc->run == NULL)) {
        return stoa__error(STOA_INVALID, "system '%s' must have one of `each` and `run`", name);
    }
    bool terms = desc->terms[0].access != STOA_ACCESS_END;
    if (desc->each != NULL && !terms) {
        return stoa__error(STOA_INVALID, "system '%s' has no terms to be called for", name);
    }
    if (desc->run != NULL && terms && desc->rule == STOA_THREAD_EXCLUSIVE) {
        return stoa__error(STOA_INVALID,
                           "system '%s' is exclusive and runs once: it iterates a query of its own",
                           name);
    }
    if (stoa__stage_of(app, desc->stage) == NULL) {
        return stoa__error(STOA_NOT_FOUND, "system '%s': there is no stage %u", name, desc->stage);
    }
    if ((uint32_t)desc->rule > STOA_THREAD_EXCLUSIVE || desc->grain < 0) {
        return stoa__error(STOA_INVALID, "system '%s': a rule of %d, %d rows a job", name,
                           (int)desc->rule, desc->grain);
    }
    for (uint32_t i = 0; i < STOA_DECLARE_MAX && desc->queries[i] != NULL; i++) {
        if (stoa_query_world(desc->queries[i]) != app->world) {
            return stoa__error(STOA_INVALID, "system '%s': query %u is of another world", name, i);
        }
    }
    stoa_status status = declared_check(name, desc->access);
    return status == STOA_OK ? declared_check(name, desc->resources) : status;
}

/* Notes what a system reads and writes; registers the types. */
static stoa_status access_read(stoa_app *app, stoa__system *system, const stoa_system_desc *desc) {
    stoa__access *access = &system->access;
    access->exclusive = system->rule == STOA_THREAD_EXCLUSIVE;
    access->script = system->script;
    stoa_status status = stoa__access_add(access, &app->heap, app->world, desc->terms,
                                          terms_count(desc->terms, STOA_TERM_MAX), false);
    for (uint32_t i = 0; i < STOA_DECLARE_MAX && system->queries[i] != NULL; i++) {
        stoa_term terms[STOA_TERM_MAX];
        int32_t count = stoa_query_terms(system->queries[i], terms, STOA_TERM_MAX);
        if (status == STOA_OK) {
            status =
                stoa__access_add(access, &app->heap, app->world, terms, (uint32_t)count, false);
        }
    }
    if (status == STOA_OK) {
        status = stoa__access_add(access, &app->heap, app->world, desc->access,
                                  terms_count(desc->access, STOA_DECLARE_MAX), false);
    }
    if (status == STOA_OK) {
        status = stoa__access_add(access, &app->heap, app->world, desc->resources,
                                  terms_count(desc->resources, STOA_DECLARE_MAX), true);
    }
    return status;
}

/* Whether a system may do what it is about to do. */
static bool guard_allows(const stoa_guard *guard, stoa_component id, bool resource, bool write) {
    const stoa__system *system = guard->user;
    const stoa__access *access = &system->access;
    if (stoa__bitset_test(resource ? &access->resource_writes : &access->writes, id)) {
        return true;
    }
    if (write) {
        return false;
    }
    stoa_component_info info;
    return stoa__bitset_test(resource ? &access->resource_reads : &access->reads, id) ||
           (access->script && !resource &&
            stoa_component_info_get(guard->world, id, &info) == STOA_OK &&
            (info.flags & STOA_HIDDEN) == 0);
}

/* Fills a zeroed system in. The thread's error is set. */
static stoa_status system_fill(stoa_app *app, stoa__system *system, const stoa_system_desc *desc) {
    system->each = desc->each;
    system->run = desc->run;
    system->condition = desc->condition;
    system->user = desc->user;
    system->user_free = desc->user_free;
    system->stage = desc->stage;
    system->rule = desc->rule;
    system->enabled = !desc->disabled;
    system->script = desc->script;
    system->grain = desc->grain;
    system->name = stoa__heap_text(&app->heap, desc->name);
    system->stream = stoa__hash_text(desc->name);
    for (uint32_t i = 0; i < STOA_DECLARE_MAX && desc->queries[i] != NULL; i++) {
        system->queries[i] = desc->queries[i];
    }
    system->guard = (stoa_guard){app->world, system->name, guard_allows, system};
    if (system->name == NULL || !names_copy(&app->heap, &system->labels, desc->labels) ||
        !names_copy(&app->heap, &system->before, desc->before) ||
        !names_copy(&app->heap, &system->after, desc->after)) {
        return stoa__error_memory("a system");
    }
    if (desc->terms[0].access != STOA_ACCESS_END) {
        stoa_query_desc made = {.name = desc->name};
        memcpy(made.terms, desc->terms, sizeof made.terms);
        system->query = stoa_query_new(app->world, &made);
        if (system->query == NULL) {
            return stoa_last_error().status;
        }
    }
    return access_read(app, system, desc);
}

stoa__system *stoa__system_make(stoa_app *app, const stoa_system_desc *desc) {
    if (desc_check(app, desc) != STOA_OK) {
        return NULL;
    }
    stoa__system *system = stoa__heap_zalloc(&app->heap, sizeof *system, _Alignof(stoa__system));
    if (system == NULL) {
        stoa__error_memory("a system");
        return NULL;
    }
    if (system_fill(app, system, desc) != STOA_OK) {
        stoa__system_discard(app, system);
        return NULL;
    }
    return system;
}

stoa_system stoa_system_new(stoa_app *app, const stoa_system_desc *desc) {
    if (stoa__app_idle(app, "a system is made") != STOA_OK) {
        return (stoa_system){0};
    }
    if (desc != NULL && desc->name != NULL && system_by_name(app, desc->name) != NULL) {
        stoa_world_report(app->world,
                          stoa__error(STOA_CONFLICT, "there is a system '%s' already", desc->name));
        return (stoa_system){0};
    }
    stoa__system *system = stoa__system_make(app, desc);
    if (system != NULL && !stoa__heap_grow(&app->heap, &app->systems, &app->system_capacity,
                                           app->system_count + 1, sizeof *app->systems)) {
        stoa__error_memory("a system");
        stoa__system_discard(app, system);
        system = NULL;
    }
    if (system == NULL) {
        stoa_world_report(app->world, stoa_last_error().status);
        return (stoa_system){0};
    }
    system->id = app->system_next++;
    app->systems[app->system_count++] = system;
    app->planned = false;
    app->started = app->started && system->stage != STOA_STARTUP;
    return (stoa_system){system->id};
}

stoa_system stoa_system_describe(stoa_app *app, stoa_system_describe_fn describe, void *user) {
    if (describe == NULL) {
        stoa__error(STOA_NULL_ARGUMENT, "the description must not be null");
        return (stoa_system){0};
    }
    stoa_system_desc desc;
    describe(&desc);
    desc.user = user != NULL ? user : desc.user;
    return stoa_system_new(app, &desc);
}

/* The system to be worked on, or NULL with the failure reported. */
static stoa__system *system_find(const stoa_app *app, stoa_system system) {
    stoa__system *found = stoa__system_of(app, system);
    if (found == NULL) {
        stoa_world_report(app->world,
                          stoa__error(STOA_NOT_FOUND, "there is no system %u", system.id));
    }
    return found;
}

stoa_status stoa_system_remove(stoa_app *app, stoa_system system) {
    stoa_status status = stoa__app_idle(app, "a system is removed");
    if (status == STOA_OK) {
        /* Commands of a batch that was left for lack of memory. */
        status = stoa_world_report(app->world, stoa__work_resume(app->work));
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__system *found = system_find(app, system);
    if (found == NULL) {
        return STOA_NOT_FOUND;
    }
    uint32_t at = 0;
    while (app->systems[at] != found) {
        at++;
    }
    memmove(app->systems + at, app->systems + at + 1,
            (app->system_count - at - 1) * sizeof(stoa__system *));
    app->system_count--;
    /* The plan tells of systems that are there; what is left of it would not. */
    app->plan.system_count = app->plan.batch_count = app->plan.stage_count = 0;
    app->planned = false;
    stoa__system_delete(app, found);
    return STOA_OK;
}

stoa_system stoa_system_find(const stoa_app *app, const char *name) {
    const stoa__system *found = app != NULL && name != NULL ? system_by_name(app, name) : NULL;
    return (stoa_system){found != NULL ? found->id : 0};
}

stoa_status stoa_system_enable(stoa_app *app, stoa_system system, bool on) {
    if (app == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the app must not be null");
    }
    stoa__system *found = system_find(app, system);
    if (found == NULL) {
        return STOA_NOT_FOUND;
    }
    if (found->enabled != on) {
        found->enabled = on;
        app->planned = false;
        app->started = app->started && found->stage != STOA_STARTUP;
    }
    return STOA_OK;
}

stoa_status stoa_system_enable_name(stoa_app *app, const char *name, bool on) {
    if (app == NULL || name == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           app == NULL ? "app" : "name");
    }
    const stoa__system *found = system_by_name(app, name);
    return found != NULL
               ? stoa_system_enable(app, (stoa_system){found->id}, on)
               : stoa_world_report(app->world,
                                   stoa__error(STOA_NOT_FOUND, "there is no system '%s'", name));
}

stoa_system stoa_system_next(const stoa_app *app, stoa_system system) {
    uint32_t next = 0;
    for (uint32_t i = 0; app != NULL && i < app->system_count && next == 0; i++) {
        next = app->systems[i]->id > system.id ? app->systems[i]->id : 0;
    }
    return (stoa_system){next};
}

/* How many bits of a set are on. */
static uint32_t set_count(const stoa__bitset *set) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->word_count; i++) {
        count += stoa__bit_count(set->words[i]);
    }
    return count;
}

stoa_status stoa_system_info_get(const stoa_app *app, stoa_system system, stoa_system_info *info) {
    if (app == NULL || info == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           app == NULL ? "app" : "info");
    }
    const stoa__system *found = system_find(app, system);
    if (found == NULL) {
        return STOA_NOT_FOUND;
    }
    const stoa__access *access = &found->access;
    *info = (stoa_system_info){
        .name = found->name,
        .stage = found->stage,
        .rule = found->rule,
        .enabled = found->enabled,
        .script = found->script,
        .last_run = found->last_run,
        .runs = found->runs,
        .access_count =
            (int32_t)(set_count(&access->reads) + set_count(&access->writes) +
                      set_count(&access->resource_reads) + set_count(&access->resource_writes)),
    };
    return STOA_OK;
}

/* Finds number `*index` of what two sets have together, in order of ids; counts down otherwise. */
static bool use_find(const stoa__bitset *reads, const stoa__bitset *writes, int32_t *index,
                     stoa_system_use *use) {
    uint32_t words =
        reads->word_count > writes->word_count ? reads->word_count : writes->word_count;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t both = stoa__bitset_word(reads, i) | stoa__bitset_word(writes, i);
        for (; both != 0; both &= both - 1) {
            if ((*index)-- == 0) {
                use->id = i * 64 + stoa__bit_lowest(both);
                use->write = stoa__bitset_test(writes, use->id);
                return true;
            }
        }
    }
    return false;
}

stoa_status stoa_system_access(const stoa_app *app, stoa_system system, int32_t index,
                               stoa_system_use *use) {
    if (app == NULL || use == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           app == NULL ? "app" : "use");
    }
    const stoa__system *found = system_find(app, system);
    if (found == NULL) {
        return STOA_NOT_FOUND;
    }
    const stoa__access *access = &found->access;
    int32_t left = index;
    stoa_system_use made = {.resource = false};
    if (index >= 0 && !use_find(&access->reads, &access->writes, &left, &made)) {
        made.resource = true;
        if (!use_find(&access->resource_reads, &access->resource_writes, &left, &made)) {
            index = -1;
        }
    }
    if (index < 0) {
        return stoa_world_report(
            app->world,
            stoa__error(STOA_INVALID, "system '%s' does not declare so much", found->name));
    }
    *use = made;
    return STOA_OK;
}

stoa_status stoa_job_fail(const stoa_job *job, const char *format, ...) {
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)job;
    return stoa__error(STOA_FAILED, "%s", message);
}
