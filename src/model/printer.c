/* Printers that a program gives to components.
 *
 * An extension of the world keeps them sorted by component id; it is made with the first of them.
 * A thread keeps the calls that are under way, so that a printer can have the rest of its value
 * printed by description, no chain of printers goes on for ever, and no printer is freed while it
 * runs. Finding one is a binary search. Setting needs memory for a new one only; by one thread,
 * while no other prints. */
#include "model/print.h"

#include "base/error.h"
#include "stoa/extension.h"
#include "stoa/fast.h"

#include <string.h>

/* A call of a printer that is under way on this thread. */
typedef struct call {
    const stoa_world *world;
    stoa_component id;
    const void *value;
    const struct call *outer;
} call;

static _Thread_local const call *calls;

static const char extension_name[] = STOA__PRINTERS;

/* Where the printer of an id is, or would be. */
static uint32_t printer_place(const stoa__printers *p, stoa_component id) {
    uint32_t first = 0, last = p->count;
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (p->items[middle].id < id) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

static bool printer_is_at(const stoa__printers *p, uint32_t place, stoa_component id) {
    return place < p->count && p->items[place].id == id;
}

const stoa__printer *stoa__printer_find(const stoa_world *world, stoa_component id) {
    const stoa__printers *p = stoa_extension_find(world, extension_name);
    if (p == NULL) {
        return NULL;
    }
    uint32_t place = printer_place(p, id);
    return printer_is_at(p, place, id) ? &p->items[place] : NULL;
}

/* False if the value is being printed by this very printer, or printers go too deep. */
static bool call_may_open(const stoa_world *world, stoa_component id, const void *value) {
    int depth = 0;
    for (const call *c = calls; c != NULL; c = c->outer) {
        if (c->world == world && c->id == id && c->value == value) {
            return false;
        }
        depth++;
    }
    return depth < STOA_PRINTER_DEPTH;
}

bool stoa__printer_call(const stoa__printer *printer, const stoa_world *world, const void *value,
                        stoa__writer *out) {
    if (!call_may_open(world, printer->id, value)) {
        return false;
    }
    char none[1];
    bool room = out->length < out->size;
    char *buffer = room ? out->buffer + out->length : none;
    size_t size = room ? out->size - out->length : sizeof none;
    const call now = {world, printer->id, value, calls};
    calls = &now;
    size_t length = printer->call(world, value, buffer, size, printer->user);
    calls = now.outer;
    if (length > PTRDIFF_MAX - out->length) {
        buffer[0] = '\0';
        return false;
    }
    buffer[length < size ? length : size - 1] = '\0';
    out->length += length;
    return true;
}

static void printers_delete(stoa__printers *p) {
    stoa__heap heap = p->heap;
    stoa__heap_grow_free(&heap, p->items, p->capacity, sizeof *p->items);
    stoa__heap_free(&heap, p, sizeof *p, _Alignof(stoa__printers));
}

static void user_end(const stoa__printer *printer) {
    if (printer->user_free != NULL) {
        printer->user_free(printer->user);
    }
}

/* A user's function that is called now finds the printers that are left. */
static void printers_free(stoa_world *world, void *data) {
    (void)world;
    stoa__printers *p = data;
    while (p->count > 0) {
        stoa__printer last = p->items[--p->count];
        user_end(&last);
    }
    printers_delete(p);
}

static stoa_status printers_check(const stoa_world *world, const void *data) {
    const stoa__printers *p = data;
    uint32_t known = (uint32_t)stoa_component_count(world);
    for (uint32_t i = 0; i < p->count; i++) {
        const stoa__printer *printer = &p->items[i];
        if (printer->call == NULL || printer->id - 1 >= known ||
            (i > 0 && p->items[i - 1].id >= printer->id)) {
            return stoa__error(STOA_CORRUPT, "the table of printers is broken at %u", (unsigned)i);
        }
    }
    return STOA_OK;
}

static size_t printers_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__printers *)data)->heap.used;
}

static void printers_forget(stoa_world *world, void *data, const stoa_code *code) {
    (void)world;
    stoa__printers *p = data;
    for (uint32_t i = p->count; i-- > 0;) {
        stoa__printer old = p->items[i];
        if (stoa_code_has(code, &old.call, sizeof old.call) ||
            stoa_code_has(code, &old.user, sizeof old.user) ||
            stoa_code_has(code, &old.user_free, sizeof old.user_free)) {
            p->count--;
            memmove(&p->items[i], &p->items[i + 1], (p->count - i) * sizeof *p->items);
            user_end(&old);
        }
    }
}

/* Makes the extension, with room for a printer; NULL with the thread's error set. */
static stoa__printers *printers_new(stoa_world *world) {
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa__printers *p = stoa__heap_zalloc(&heap, sizeof *p, _Alignof(stoa__printers));
    if (p == NULL) {
        stoa__error_memory("the printers of a world");
        return NULL;
    }
    p->heap = heap;
    if (!stoa__heap_grow(&p->heap, &p->items, &p->capacity, 1, sizeof *p->items)) {
        stoa__error_memory("a printer");
        printers_delete(p);
        return NULL;
    }
    return p;
}

static stoa_status printer_insert(stoa_world *world, stoa__printers *p,
                                  const stoa__printer *printer) {
    if (p == NULL) {
        p = printers_new(world);
        if (p == NULL) {
            return stoa_world_report(world, STOA_NO_MEMORY);
        }
        stoa_status status = stoa_extend(world, &(stoa_extension){.name = extension_name,
                                                                  .data = p,
                                                                  .free = printers_free,
                                                                  .check = printers_check,
                                                                  .bytes = printers_bytes,
                                                                  .forget = printers_forget});
        if (status != STOA_OK) {
            printers_delete(p);
            return status;
        }
    }
    if (!stoa__heap_grow(&p->heap, &p->items, &p->capacity, p->count + 1, sizeof *p->items)) {
        return stoa_world_report(world, stoa__error_memory("a printer"));
    }
    uint32_t place = printer_place(p, printer->id);
    memmove(&p->items[place + 1], &p->items[place], (p->count - place) * sizeof *p->items);
    p->items[place] = *printer;
    p->count++;
    return STOA_OK;
}

/* Replaces or takes away the printer at a place; the user's part goes last. */
static void printer_replace(stoa__printers *p, uint32_t place, const stoa__printer *printer) {
    stoa__printer old = p->items[place];
    if (printer->call != NULL) {
        p->items[place] = *printer;
    } else {
        p->count--;
        memmove(&p->items[place], &p->items[place + 1], (p->count - place) * sizeof *p->items);
    }
    user_end(&old);
}

/* STOA_OK if printers of the world can come and go now; otherwise the thread's error is set. */
static stoa_status set_check(const stoa_world *world) {
    if (stoa_world_ending(world)) {
        return stoa__error(STOA_FREED, "the world is being freed");
    }
    if ((((const stoa_world_head *)(const void *)world)->open & STOA_OPEN_FORKED) != 0) {
        return stoa__error(STOA_FORKED, "printers cannot come or go while command buffers are "
                                        "filled by threads");
    }
    for (const call *c = calls; c != NULL; c = c->outer) {
        if (c->world == world) {
            return stoa__error(STOA_LOCKED, "printers cannot come or go while one is called");
        }
    }
    return STOA_OK;
}

/* The component that a description names; 0 with the failure reported. */
static stoa_component component_of(stoa_world *world, const stoa_printer_desc *desc) {
    stoa_component id =
        desc->type != NULL ? stoa_type_register(world, desc->type) : desc->component;
    stoa_component_info info;
    if (id == 0 && desc->type != NULL) {
        return 0;
    }
    if (stoa_component_info_get(world, id, &info) != STOA_OK) {
        return 0;
    }
    if (info.size == 0) {
        stoa_world_report(world, stoa__error(STOA_INVALID,
                                             "component '%s' is a tag, which has nothing to print",
                                             info.name));
        return 0;
    }
    return id;
}

stoa_status stoa_printer_set(stoa_world *world, const stoa_printer_desc *desc) {
    if (world == NULL || desc == NULL) {
        return stoa_world_report(world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                                    world == NULL ? "world" : "description"));
    }
    stoa_status status = set_check(world);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    stoa__printer printer = {component_of(world, desc), desc->call, desc->user, desc->user_free};
    if (printer.id == 0) {
        return stoa_last_error().status;
    }
    stoa__printers *p = stoa_extension_find(world, extension_name);
    uint32_t place = p != NULL ? printer_place(p, printer.id) : 0;
    if (p != NULL && printer_is_at(p, place, printer.id)) {
        printer_replace(p, place, &printer);
        return STOA_OK;
    }
    return printer.call != NULL ? printer_insert(world, p, &printer) : STOA_OK;
}
