/* What hooks and observers were called with, as a text that tests compare.
 *
 * "+A3(7)" is an on_add of component A of the entity with index 3, whose first number is 7; "-" is
 * an on_remove and "=" an on_set. A tag has no number: "+T3". Observers write ">Q3" on entering and
 * "<Q3" on leaving. */
#ifndef TESTS_WORLD_TALE_H
#define TESTS_WORLD_TALE_H

#include "support/support.h"

#define TALE_SIZE 16384
#define TALE_TELLERS 64

typedef struct tale tale;

/* One hook or observer that writes to a tale. */
typedef struct teller {
    tale *tale;
    const char *name;
    stoa_component id;
    stoa_hook_kind kind;
    stoa_hook hook;
} teller;

struct tale {
    char text[TALE_SIZE];
    size_t size;
    teller tellers[TALE_TELLERS];
    int teller_count;
    bool quiet; /* told, but not written down */
};

/* Adds a word to a tale. */
STOA_PRINTF(2, 3) static inline void tale_add(tale *t, const char *format, ...) {
    va_list arguments;
    if (t->quiet) {
        return;
    }
    va_start(arguments, format);
    size_t room = TALE_SIZE - t->size;
    int length = vsnprintf(t->text + t->size, room, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length + 1 < room);
    t->size += (size_t)length;
    t->text[t->size++] = ' ';
    t->text[t->size] = '\0';
}

/* The tale so far is as expected; it starts anew. */
#define tale_expect(t, expected)                                                                   \
    do {                                                                                           \
        (t)->text[(t)->size > 0 ? (t)->size - 1 : 0] = '\0';                                       \
        assert_string_equal((t)->text, (expected));                                                \
        (t)->size = 0;                                                                             \
        (t)->text[0] = '\0';                                                                       \
    } while (0)

/* A hook that writes to its teller's tale. What it is given must be what the world has. */
static inline void tale_tell(stoa_world *world, stoa_entity e, void *value, void *user) {
    static const char signs[] = {'+', '-', '='};
    const teller *own = user;
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(world, own->id, &info), STOA_OK);
    assert_true(stoa_has_id(world, e, own->id));
    if (info.size == 0) {
        assert_null(value);
        tale_add(own->tale, "%c%s%u", signs[own->kind], own->name, e.index);
        return;
    }
    int32_t number;
    assert_ptr_equal(value, stoa_get_id(world, e, own->id));
    memcpy(&number, value, sizeof number);
    tale_add(own->tale, "%c%s%u(%d)", signs[own->kind], own->name, e.index, number);
}

static inline teller *tale_teller(tale *t, const char *name) {
    assert_true(t->teller_count < TALE_TELLERS);
    teller *own = &t->tellers[t->teller_count++];
    own->tale = t;
    own->name = name;
    return own;
}

/* Has hooks of one kind tell of a component under a name. */
static inline stoa_hook tale_hook(tale *t, stoa_world *world, stoa_hook_kind kind, stoa_type *type,
                                  const char *name) {
    teller *own = tale_teller(t, name);
    own->id = stoa_type_register(world, type);
    own->kind = kind;
    own->hook = stoa_hook_new(
        world, &(stoa_hook_desc){.kind = kind, .type = type, .call = tale_tell, .user = own});
    assert_int_not_equal(own->hook.id, 0);
    return own->hook;
}

/* Has hooks of all kinds tell of T under its own name. */
#define tale_watch(t, world, T)                                                                    \
    do {                                                                                           \
        tale_hook((t), (world), STOA_ON_ADD, STOA_TYPE_OF(T), #T);                                 \
        tale_hook((t), (world), STOA_ON_REMOVE, STOA_TYPE_OF(T), #T);                              \
        tale_hook((t), (world), STOA_ON_SET, STOA_TYPE_OF(T), #T);                                 \
    } while (0)

static inline void tale_enter(stoa_world *world, stoa_entity e, void *user) {
    const teller *own = user;
    assert_true(stoa_alive(world, e));
    tale_add(own->tale, ">%s%u", own->name, e.index);
}

static inline void tale_leave(stoa_world *world, stoa_entity e, void *user) {
    const teller *own = user;
    assert_true(stoa_alive(world, e));
    tale_add(own->tale, "<%s%u", own->name, e.index);
}

/* Has an observer of a query tell under a name. */
static inline stoa_hook tale_observe(tale *t, stoa_world *world, const stoa_query_desc *query,
                                     const char *name) {
    teller *own = tale_teller(t, name);
    own->hook = stoa_observe(
        world, &(stoa_observer_desc){
                   .query = *query, .enter = tale_enter, .leave = tale_leave, .user = own});
    assert_int_not_equal(own->hook.id, 0);
    return own->hook;
}

#endif
