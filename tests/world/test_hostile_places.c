/* Every call from every place where a program is called back.
 *
 * The places: hooks, observers, listeners, functions that are called for each entity, an open
 * iteration, and between fork and join. The calls: all that change something, those that free what
 * is in use among them. Whatever a call comes to, it has a status that fits, the call it was made
 * from ends as it should, and the world is whole. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint32_t points; });
STOA_TAG(Frozen);

/* What a meddler can lay hands on. */
typedef struct fixture {
    support_world s;
    stoa_entity told; /* the entity that the place is about */
    stoa_entity others[3];
    stoa_query *query;
    stoa_query *spare; /* may be freed */
    stoa_commands *buffer;
    stoa_reader *reader;
    stoa_hook hooks[5]; /* those of the places, and one more */
    stoa_listener listener;
    int call;  /* which one is made */
    bool done; /* it was made */
    stoa_status status;
} fixture;

static stoa_status given(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

static stoa_status made(stoa_entity e) {
    return given(!stoa_entity_is_null(e));
}

static void nothing_hook(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    (void)user;
}

static void nothing_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    (void)user;
}

static void nothing_each(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)fields;
    (void)user;
}

#define CALL(name, expression)                                                                     \
    static stoa_status name(fixture *f) {                                                          \
        stoa_world *w = f->s.world;                                                                \
        (void)w;                                                                                   \
        return (expression);                                                                       \
    }

CALL(create, made(stoa_create(w)))
CALL(create_with, made(stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Heat))))
CALL(create_bulk, stoa_create_bulk(w, 40, NULL, STOA_ZERO(Position), STOA_ZERO(Shield)))
CALL(destroy_told, stoa_destroy(w, f->told))
CALL(destroy_other, stoa_destroy(w, f->others[0]))
CALL(clear_told, stoa_clear(w, f->told))
CALL(clear_other, stoa_clear(w, f->others[1]))
CALL(clone_told, made(stoa_clone(w, f->told)))
CALL(clone_other, made(stoa_clone(w, f->others[0])))
CALL(set_told, stoa_set(w, f->told, Position, {7, 8}))
CALL(add_told, stoa_add(w, f->told, Frozen))
CALL(add_sparse_told, stoa_add(w, f->told, Heat))
CALL(remove_told, stoa_remove(w, f->told, Position))
CALL(remove_sparse_told, stoa_remove(w, f->told, Heat))
CALL(change_told, stoa_change(w, f->told, STOA_ZERO(Shield), STOA_REMOVE(Position)))
CALL(enable_told, stoa_enable(w, f->told, Shield, false))
CALL(change_other, stoa_change(w, f->others[2], STOA_ZERO(Frozen), STOA_REMOVE(Heat)))
CALL(enable_other, stoa_enable(w, f->others[2], Shield, false))
CALL(reserve, stoa_reserve(w, 500, STOA_ZERO(Position), STOA_ZERO(Heat)))
CALL(compact, stoa_compact(w))
CALL(whole_add, stoa_query_add(f->query, Frozen))
CALL(whole_set, stoa_query_set(f->query, Heat, {1}))
CALL(whole_remove, stoa_query_remove(f->query, Shield))
CALL(whole_destroy, stoa_query_destroy(f->query))
CALL(query_new, given(stoa_query_parse(w, "Position, !Frozen") != NULL))
CALL(query_free, stoa_query_free(f->query))
CALL(query_free_spare, stoa_query_free(f->spare))
CALL(query_each, stoa_query_each(f->query, nothing_each, NULL))
CALL(flush, stoa_flush(w))
CALL(flush_buffer, stoa_commands_flush(f->buffer))
CALL(record, stoa_commands_set(stoa_deferred(w), f->told, Position, {5, 5}))
CALL(record_create, made(stoa_commands_create_with(f->buffer, STOA_ZERO(Heat))))
CALL(record_destroy, stoa_commands_destroy(stoa_deferred(w), f->told))
CALL(commands_clear, stoa_commands_clear(f->buffer))
CALL(commands_free, stoa_commands_free(f->buffer))
CALL(commands_new, given(stoa_commands_new(w) != NULL))
CALL(fork_buffer, stoa_commands_fork(w, &f->buffer, 1))
CALL(hook_add, given(stoa_on_add(w, Position, nothing_hook, NULL).id != 0))
CALL(hook_remove_0, stoa_hook_remove(w, f->hooks[0]))
CALL(hook_remove_1, stoa_hook_remove(w, f->hooks[1]))
CALL(hook_remove_2, stoa_hook_remove(w, f->hooks[2]))
CALL(hook_remove_3, stoa_hook_remove(w, f->hooks[3]))
CALL(hook_remove_4, stoa_hook_remove(w, f->hooks[4]))
CALL(listen, given(stoa_event_listen(w, Position, nothing_hear, NULL).id != 0))
CALL(listener_remove, stoa_listener_remove(w, f->listener))
CALL(send, stoa_event_send(w, Heat, {4}))
CALL(send_same, stoa_event_send_to(w, f->told, Position, {4, 4}))
CALL(reader_new, given(stoa_reader_new(w, Position) != NULL))
CALL(reader_free, stoa_reader_free(f->reader))
CALL(event_limit, stoa_event_limit(w, Position, 1))
CALL(event_read, given(stoa_event_read(f->reader, &(stoa_event){NULL, STOA_NULL, 0})))
CALL(resource_set, stoa_resource_set(w, Position, {3, 3}))
CALL(resource_remove, stoa_resource_remove(w, Position))
CALL(log_more, stoa_log_keep(w, 64))
CALL(log_end, stoa_log_keep(w, 0))
CALL(tick, given(stoa_tick_advance(w) != 0))

static stoa_status (*const calls[])(fixture *f) = {
    create,
    create_with,
    create_bulk,
    destroy_told,
    destroy_other,
    clear_told,
    clear_other,
    clone_told,
    clone_other,
    set_told,
    add_told,
    add_sparse_told,
    remove_told,
    remove_sparse_told,
    change_told,
    enable_told,
    change_other,
    enable_other,
    reserve,
    compact,
    whole_add,
    whole_set,
    whole_remove,
    whole_destroy,
    query_new,
    query_free,
    query_free_spare,
    query_each,
    flush,
    flush_buffer,
    record,
    record_create,
    record_destroy,
    commands_clear,
    commands_free,
    commands_new,
    fork_buffer,
    hook_add,
    hook_remove_0,
    hook_remove_1,
    hook_remove_2,
    hook_remove_3,
    hook_remove_4,
    listen,
    listener_remove,
    send,
    send_same,
    reader_new,
    reader_free,
    event_limit,
    event_read,
    resource_set,
    resource_remove,
    log_more,
    log_end,
    tick,
};
#define CALL_COUNT ((int)(sizeof calls / sizeof *calls))

/* Makes the call, the first time the place is reached. */
static void meddle(fixture *f, stoa_entity e) {
    if (f->done) {
        return;
    }
    f->done = true;
    f->told = e;
    stoa_error_clear();
    f->status = calls[f->call](f);
}

static void meddle_hook(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)value;
    meddle(user, e);
}

static void meddle_observe(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    meddle(user, e);
}

static void meddle_hear(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    fixture *f = user;
    Position before = *(const Position *)event->data;
    meddle(f, f->others[0]);
    /* The event stays what it was while it is told. */
    assert_true(before.x == ((const Position *)event->data)->x);
}

static void meddle_each(stoa_entity e, void *const *fields, void *user) {
    (void)fields;
    meddle(user, e);
}

/* Where a call is made from. */
typedef enum place {
    PLACE_ADD,
    PLACE_REMOVE,
    PLACE_SET,
    PLACE_ENTER,
    PLACE_LEAVE,
    PLACE_HEAR,
    PLACE_EACH,
    PLACE_ITER,
    PLACE_FORK,
    PLACE_FLUSH, /* a hook inside of a flush */
    PLACE_BULK,  /* a hook inside of a bulk */
    PLACE_WHOLE, /* a hook inside of a whole-query operation */
    PLACE_COUNT
} place;

/* Hooks, an observer and a listener that meddle where the place wants it. */
static void place_watch(fixture *f, place at) {
    stoa_world *w = f->s.world;
    bool on_add = at == PLACE_ADD || at == PLACE_FLUSH || at == PLACE_BULK || at == PLACE_WHOLE;
    stoa_hook_fn calls_of[3] = {on_add ? meddle_hook : nothing_hook,
                                at == PLACE_REMOVE ? meddle_hook : nothing_hook,
                                at == PLACE_SET ? meddle_hook : nothing_hook};
    for (int kind = 0; kind < 3; kind++) {
        f->hooks[kind] =
            stoa_hook_type(w, (stoa_hook_kind)kind, STOA_TYPE_OF(Frozen), calls_of[kind], f);
    }
    f->hooks[3] = stoa_on_add(w, Frozen, nothing_hook, f);
    stoa_observer_desc desc = {.query = {.terms = {STOA_FILTER(Frozen)}}, .user = f};
    desc.enter = at == PLACE_ENTER ? meddle_observe : NULL;
    desc.leave = at == PLACE_LEAVE ? meddle_observe : NULL;
    if (desc.enter != NULL || desc.leave != NULL) {
        f->hooks[4] = stoa_observe(w, &desc);
    }
    f->listener = stoa_event_listen(w, Position, meddle_hear, f);
    assert_true(f->hooks[3].id != 0 && f->listener.id != 0);
}

static void fixture_open(fixture *f, place at, int call) {
    memset(f, 0, sizeof *f);
    support_world_open_with(&f->s, 16384);
    stoa_world *w = f->s.world;
    f->call = call;
    for (int i = 0; i < 3; i++) {
        f->others[i] = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_ZERO(Heat),
                                        STOA_VALUE(Shield, {3}));
    }
    f->query = stoa_query_parse(w, "Position");
    f->spare = stoa_query_parse(w, "?Heat, changed Position");
    f->buffer = stoa_commands_new(w);
    f->reader = stoa_reader_new(w, Position);
    assert_int_equal(stoa_event_send(w, Position, {9, 9}), STOA_OK);
    assert_int_equal(stoa_resource_set(w, Position, {1, 1}), STOA_OK);
    assert_int_equal(stoa_log_keep(w, 8), STOA_OK);
    assert_int_equal(stoa_commands_set(f->buffer, f->others[1], Heat, {2}), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_commands_create(f->buffer)));
    place_watch(f, at);
}

/* An entity that every place is about, and what happens to it. */
static void place_reach(fixture *f, place at) {
    stoa_world *w = f->s.world;
    f->told = stoa_create_with(w, STOA_VALUE(Position, {4, 5}), STOA_ZERO(Heat), STOA_ZERO(Shield));
    if (at == PLACE_REMOVE || at == PLACE_LEAVE) {
        assert_int_equal(stoa_add(w, f->told, Frozen), STOA_OK);
    }
    switch (at) {
    case PLACE_REMOVE:
    case PLACE_LEAVE:
        assert_int_equal(stoa_remove(w, f->told, Frozen), STOA_OK);
        break;
    case PLACE_HEAR:
        assert_int_equal(stoa_event_send_to(w, f->told, Position, {6, 6}), STOA_OK);
        break;
    case PLACE_EACH:
        assert_int_equal(stoa_query_each(f->query, meddle_each, f), STOA_OK);
        break;
    case PLACE_ITER: {
        stoa_iter it = stoa_query_iter(f->query);
        assert_true(stoa_iter_next(&it));
        meddle(f, it.entities[0]);
        stoa_iter_end(&it);
        break;
    }
    case PLACE_FORK: {
        stoa_commands *other = stoa_commands_new(w);
        stoa_commands *buffers[2] = {f->buffer, other};
        assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
        meddle(f, f->told);
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        break;
    }
    case PLACE_FLUSH:
        assert_int_equal(stoa_commands_add(stoa_deferred(w), f->told, Frozen), STOA_OK);
        assert_int_equal(stoa_commands_add(stoa_deferred(w), f->others[0], Frozen), STOA_OK);
        assert_int_equal(stoa_flush(w), STOA_OK);
        break;
    case PLACE_BULK:
        assert_int_equal(stoa_create_bulk(w, 5, NULL, STOA_ZERO(Frozen), STOA_ZERO(Position)),
                         STOA_OK);
        break;
    case PLACE_WHOLE:
        assert_int_equal(stoa_query_add(f->query, Frozen), STOA_OK);
        break;
    default:
        assert_int_equal(stoa_set(w, f->told, Frozen, {0}), STOA_OK);
        break;
    }
}

/* True for what a call may come to that is not wrong in itself. */
static bool status_fits(stoa_status status) {
    return status == STOA_OK || status == STOA_LOCKED || status == STOA_ITERATING ||
           status == STOA_FORKED || status == STOA_DEAD || status == STOA_MISSING ||
           status == STOA_NOT_FOUND;
}

/* GEN-05 HOK-04 HOK-05 CMD-04 QRY-06 QRY-10 EVT-01 */
static void call_from_any_place_leaves_the_world_whole(void **state) {
    (void)state;
    for (int at = 0; at < PLACE_COUNT; at++) {
        for (int call = 0; call < CALL_COUNT; call++) {
            fixture f;
            fixture_open(&f, (place)at, call);
            place_reach(&f, (place)at);
            if (!f.done || !status_fits(f.status)) {
                support_print_error();
                fail_msg("place %d, call %d: %s", at, call,
                         f.done ? stoa_status_text(f.status) : "not reached");
            }
            if (stoa_check(f.s.world) != STOA_OK) {
                support_print_error();
                fail_msg("place %d, call %d: the world is corrupt", at, call);
            }
            /* It still works. A fork that was allowed is still to be joined. */
            if (calls[call] == fork_buffer && f.status == STOA_OK) {
                assert_int_equal(stoa_commands_join(f.s.world), STOA_OK);
            }
            stoa_entity e = stoa_create_with(f.s.world, STOA_ZERO(Frozen), STOA_ZERO(Heat));
            assert_true(stoa_alive(f.s.world, e));
            assert_int_equal(stoa_destroy(f.s.world, e), STOA_OK);
            assert_int_equal(stoa_flush(f.s.world), STOA_OK);
            support_world_close(&f.s);
        }
    }
}

/* What must be refused at a place, by the calls that would do harm there. */
static void refusal_check(place at, stoa_status (*call)(fixture *f), stoa_status expected) {
    fixture f;
    int index = 0;
    while (calls[index] != call) {
        index++;
    }
    fixture_open(&f, at, index);
    place_reach(&f, at);
    if (f.status != expected) {
        fail_msg("place %d, call %d: %s", (int)at, index, stoa_status_text(f.status));
    }
    support_world_close(&f.s);
}

/* HOK-04 CMD-04 QRY-06 */
static void harmful_call_is_refused_where_it_harms(void **state) {
    (void)state;
    static const place hooks[] = {PLACE_ADD,   PLACE_REMOVE, PLACE_SET,  PLACE_ENTER,
                                  PLACE_LEAVE, PLACE_FLUSH,  PLACE_BULK, PLACE_WHOLE};
    static stoa_status (*const on_told[])(fixture * f) = {
        destroy_told, clear_told, remove_told, change_told, flush, flush_buffer, fork_buffer};
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        for (size_t k = 0; k < sizeof on_told / sizeof *on_told; k++) {
            refusal_check(hooks[i], on_told[k], STOA_LOCKED);
        }
        refusal_check(hooks[i], enable_told, hooks[i] == PLACE_BULK ? STOA_MISSING : STOA_LOCKED);
        refusal_check(hooks[i], set_told, STOA_OK);
        refusal_check(hooks[i], clear_other, STOA_OK);
        refusal_check(hooks[i], record_destroy, STOA_OK);
    }
    static stoa_status (*const structural[])(fixture * f) = {
        create,   create_with, create_bulk,  destroy_told, destroy_other, clone_other,
        add_told, compact,     flush_buffer, flush,        whole_add,     whole_destroy};
    for (size_t k = 0; k < sizeof structural / sizeof *structural; k++) {
        refusal_check(PLACE_EACH, structural[k], STOA_ITERATING);
        refusal_check(PLACE_ITER, structural[k], STOA_ITERATING);
        refusal_check(PLACE_FORK, structural[k], STOA_FORKED);
        refusal_check(PLACE_HEAR, structural[k], STOA_OK);
    }
    refusal_check(PLACE_EACH, query_free, STOA_ITERATING);
    refusal_check(PLACE_ITER, query_free, STOA_ITERATING);
    refusal_check(PLACE_FORK, commands_clear, STOA_FORKED);
    refusal_check(PLACE_FORK, commands_free, STOA_FORKED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_from_any_place_leaves_the_world_whole),
        cmocka_unit_test(harmful_call_is_refused_where_it_harms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
