/* Systems in words.
 *
 * Lists are in order of ids. Nothing is allocated; the app is only read. */
#include "schedule/describe.h"

#include "schedule/access.h"

static void word(const stoa__teller *teller, const char *text, const char *end) {
    teller->word(teller->user, text, end);
}

static bool set_empty(const stoa__bitset *set) {
    return stoa__access_next(set, 0) == 0;
}

/* "reads A, B", and then a mark. */
static void list_tell(const stoa_app *app, const stoa__teller *teller, const char *verb,
                      const stoa__bitset *set, const char *end) {
    word(teller, verb, "");
    for (stoa_component id = stoa__access_next(set, 0); id != 0;) {
        stoa_component next = stoa__access_next(set, id);
        word(teller, stoa_component_name(app->world, id), next != 0 ? "," : end);
        id = next;
    }
}

static void marks_tell(const stoa__system *system, const stoa__teller *teller) {
    bool main_thread = system->rule == STOA_THREAD_MAIN;
    if (!main_thread && !system->access.exclusive && !system->access.script) {
        return;
    }
    teller->section(teller->user, STOA__SECTION_MARKS);
    if (main_thread) {
        word(teller, "main", "");
        word(teller, "thread", system->access.script ? "," : "");
    }
    if (system->access.exclusive) {
        word(teller, "alone", system->access.script ? "," : "");
    }
    if (system->access.script) {
        word(teller, "script", "");
    }
}

void stoa__describe_system(const stoa_app *app, const stoa__system *system,
                           const stoa__teller *teller) {
    const stoa__access *access = &system->access;
    marks_tell(system, teller);
    if (!set_empty(&access->reads)) {
        teller->section(teller->user, STOA__SECTION_READS);
        list_tell(app, teller, "reads", &access->reads, "");
    }
    if (!set_empty(&access->writes)) {
        teller->section(teller->user, STOA__SECTION_WRITES);
        list_tell(app, teller, "writes", &access->writes, "");
    }
    bool reads = !set_empty(&access->resource_reads);
    bool writes = !set_empty(&access->resource_writes);
    if (reads || writes) {
        teller->section(teller->user, STOA__SECTION_RESOURCES);
        word(teller, "resources", ":");
    }
    if (reads) {
        list_tell(app, teller, "reads", &access->resource_reads, writes ? ";" : "");
    }
    if (writes) {
        list_tell(app, teller, "writes", &access->resource_writes, "");
    }
}

static bool access_writes(const stoa__access *access, const stoa__reason *reason) {
    return stoa__bitset_test(reason->resource ? &access->resource_writes : &access->writes,
                             reason->id);
}

/* "it writes resource P, which X reads". The two conflict, so one of them writes. */
static void conflict_tell(const stoa_app *app, const stoa__planned *planned,
                          const stoa__teller *teller) {
    const stoa__reason *reason = &planned->reason;
    bool writes = access_writes(&planned->system->access, reason);
    bool both = writes && access_writes(&reason->other->access, reason);
    word(teller, both ? "both" : "it", "");
    word(teller, both ? "write" : writes ? "writes" : "reads", "");
    if (reason->resource) {
        word(teller, "resource", "");
    }
    word(teller, stoa_component_name(app->world, reason->id), both ? "" : ",");
    if (!both) {
        word(teller, "which", "");
        word(teller, reason->other->name, "");
        word(teller, writes ? "reads" : "writes", "");
    }
}

void stoa__describe_reason(const stoa_app *app, const stoa__planned *planned,
                           const stoa__teller *teller) {
    const stoa__reason *reason = &planned->reason;
    if (reason->kind == STOA__REASON_NONE) {
        return;
    }
    teller->section(teller->user, STOA__SECTION_REASON);
    word(teller, "after", "");
    word(teller, reason->other->name, ":");
    if (reason->kind == STOA__REASON_CONFLICT) {
        conflict_tell(app, planned, teller);
    } else if (reason->kind == STOA__REASON_ORDER) {
        word(teller, "by", "");
        word(teller, "rule", "");
    } else {
        word(teller, planned->system->access.exclusive ? "it" : reason->other->name, "");
        word(teller, "runs", "");
        word(teller, "alone", "");
    }
}

const stoa__system *stoa__describe_disabled(const stoa_app *app, stoa_stage stage, uint32_t *i) {
    while (*i < app->system_count) {
        const stoa__system *system = app->systems[(*i)++];
        if (system->stage == stage && !system->enabled) {
            return system;
        }
    }
    return NULL;
}
