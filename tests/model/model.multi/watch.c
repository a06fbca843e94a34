/* Hooks and observers: added, removed, and what they were told compared with what they must have
 * been.
 *
 * A hook writes down who called it with what. In passing it looks at the entity as the world shows
 * it at that moment. */
#include "run.h"

/* What a value says, as seen by whoever is told of it. */
static uint32_t digest_of(int32_t type, const void *value) {
    return type < 0 || value == NULL || model_types[type].size == 0
               ? 0
               : model_value_digest(type, value);
}

/* The call that a hook makes. */
static stoa_status action_call(run *r, const op *o, stoa_entity e, stoa_entity next) {
    stoa_world *w = r->s.world;
    stoa_component id = r->ids[o->action_type];
    size_t size = model_types[o->action_type].size;
    uint8_t bytes[256];
    react_action_value(o->action_type, o->seed, bytes);
    switch (o->action) {
    case ACTION_NEXT_TOGGLE:
        return stoa_has_id(w, next, id) ? stoa_remove_id(w, next, id) : stoa_add_id(w, next, id);
    case ACTION_NEXT_SET:
        return stoa_set_id(w, next, id, bytes, size);
    case ACTION_NEXT_DESTROY:
        return stoa_destroy(w, next);
    case ACTION_OWN_ADD:
        return stoa_add_id(w, e, id);
    case ACTION_OWN_SET:
        return stoa_set_id(w, e, id, bytes, size);
    case ACTION_OWN_DESTROY:
        return stoa_destroy(w, e);
    default:
        return stoa_commands_destroy(stoa_deferred(w), e);
    }
}

/* Does what a hook does beside telling, unless another one acts. */
static void hook_act(run *r, const op *o, int32_t slot, stoa_entity e) {
    bool on_next = o->action <= ACTION_NEXT_DESTROY;
    if (o->action == ACTION_NONE || r->acting || r->closing ||
        (r->bulk && on_next && o->action != ACTION_NEXT_DESTROY)) {
        return;
    }
    stoa_entity target = on_next ? stoa_entity_next(r->s.world, e) : e;
    if (stoa_entity_is_null(target)) {
        return;
    }
    r->acting = true;
    int asserts = r->s.asserts;
    stoa_status status = action_call(r, o, e, target);
    r->acting = false;
    note_add(&r->told, (note){NOTE_ACT, slot, target, o->action_type, (uint32_t)status});
    int wanted = 0;
#ifdef STOA_DEBUG
    wanted = support_status_is_misuse(status) ? 1 : 0;
#endif
    run_check(r, r->s.asserts == asserts + wanted, "%d asserts in a hook, expected %d",
              r->s.asserts - asserts, wanted);
    r->s.asserts_seen += r->s.asserts - asserts;
}

static void hook_told(stoa_world *world, stoa_entity e, void *value, void *user) {
    const teller *t = user;
    run *r = t->r;
    note_add(&r->told, (note){t->kind, t->slot, e, t->type, digest_of(t->type, value)});
    run_check(r, stoa_alive(world, e), "a hook is told of a dead entity");
    run_check(r, stoa_has_id(world, e, r->ids[t->type]), "a hook is told of an absent %s",
              model_types[t->type].name);
    run_check(r, (value == NULL) == (model_types[t->type].size == 0),
              "a hook is given a wrong pointer");
    run_check(r, value == NULL || stoa_try_get_id(world, e, r->ids[t->type]) == value,
              "a hook is given another %s", model_types[t->type].name);
    hook_act(r, t->made_by, t->slot, e);
}

static void enter_told(stoa_world *world, stoa_entity e, void *user) {
    const teller *t = user;
    note_add(&t->r->told, (note){NOTE_ENTER, t->slot, e, -1, 0});
    run_check(t->r, stoa_alive(world, e), "an observer is told of a dead entity");
    hook_act(t->r, t->made_by, t->slot, e);
}

static void leave_told(stoa_world *world, stoa_entity e, void *user) {
    const teller *t = user;
    note_add(&t->r->told, (note){NOTE_LEAVE, t->slot, e, -1, 0});
    run_check(t->r, stoa_alive(world, e), "an observer is told of a dead entity");
    hook_act(t->r, t->made_by, t->slot, e);
}

static void user_gone(void *user) {
    const teller *t = user;
    t->r->frees++;
}

static const char *const note_names[] = {"on_add", "on_remove", "on_set", "enter",
                                         "leave",  "event",     "action"};

static void note_print(const note *n, char *text, size_t size) {
    snprintf(text, size, "%s[%d](%uv%u%s%s)", note_names[n->kind], (int)n->slot,
             (unsigned)n->entity.index, (unsigned)n->entity.generation, n->type < 0 ? "" : ", ",
             n->type < 0 ? "" : model_types[n->type].name);
}

static bool note_equal(const note *a, const note *b) {
    return a->kind == b->kind && a->slot == b->slot && stoa_entity_eq(a->entity, b->entity) &&
           a->type == b->type && a->digest == b->digest;
}

void run_compare_notes(run *r, bool by_entity) {
    note_list *told = &r->told;
    note_list *expected = &r->ref.notes;
    if (by_entity) {
        note_sort(told);
        note_sort(expected);
    }
    int32_t same = 0;
    while (same < told->count && same < expected->count &&
           note_equal(&told->items[same], &expected->items[same])) {
        same++;
    }
    if (same < told->count || same < expected->count) {
        char got[80] = "nothing";
        char wanted[80] = "nothing";
        if (same < told->count) {
            note_print(&told->items[same], got, sizeof got);
        }
        if (same < expected->count) {
            note_print(&expected->items[same], wanted, sizeof wanted);
        }
        bool digest = strcmp(got, wanted) == 0;
        run_check(r, false, "call %d of %d is %s, expected %s%s", (int)same, (int)told->count, got,
                  wanted, digest ? " with another value" : "");
    }
    told->count = 0;
    expected->count = 0;
}

/* Forgets the watcher of a slot. */
static void watcher_forget(reference *r, int32_t slot) {
    int32_t kept = 0;
    for (int32_t i = 0; i < r->watcher_count; i++) {
        if (r->watchers[i].slot != slot) {
            r->watchers[kept++] = r->watchers[i];
        }
    }
    r->watcher_count = kept;
}

static void hook_take_away(run *r, int32_t slot) {
    if (r->hooks[slot].id == 0) {
        return;
    }
    int32_t frees = r->frees;
    stoa_status status = stoa_hook_remove(r->s.world, r->hooks[slot]);
    run_expect(r, status, STOA_OK, "stoa_hook_remove");
    run_check(r, r->frees == frees + 1, "a hook's user is freed %d times", (int)(r->frees - frees));
    status = stoa_hook_remove(r->s.world, r->hooks[slot]);
    run_expect(r, status, STOA_NOT_FOUND, "stoa_hook_remove of one that is gone");
    watcher_forget(&r->ref, slot);
    r->hooks[slot] = (stoa_hook){0};
}

static stoa_hook hook_make(run *r, const op *o, watcher *w) {
    teller *t = &r->hook_tellers[o->slot];
    stoa_type *descriptor = (o->seed & 1) != 0 ? model_types[o->type].descriptor : NULL;
    w->kind = (stoa_hook_kind)o->sub;
    w->type = o->type;
    t->type = o->type;
    t->kind = (note_kind)o->sub;
    return stoa_hook_new(r->s.world, &(stoa_hook_desc){.kind = w->kind,
                                                       .type = descriptor,
                                                       .component = r->ids[o->type],
                                                       .call = hook_told,
                                                       .user = t,
                                                       .user_free = user_gone});
}

static stoa_hook observer_make(run *r, const op *o, watcher *w) {
    stoa_observer_desc desc = {.user = &r->hook_tellers[o->slot], .user_free = user_gone};
    int types[TRACE_TERMS];
    (void)trace_query(o, r->ids, &desc.query, types);
    w->observer = true;
    w->shape = reference_shape(o);
    w->enter = o->sub != 1;
    w->leave = o->sub != 2;
    desc.enter = w->enter ? enter_told : NULL;
    desc.leave = w->leave ? leave_told : NULL;
    return stoa_observe(r->s.world, &desc);
}

void run_watch(run *r, const op *o) {
    stoa_error_clear();
    hook_take_away(r, o->slot);
    if (o->kind == OP_HOOK_REMOVE || r->failed) {
        return;
    }
    watcher w = {.slot = o->slot,
                 .action = (hook_action)o->action,
                 .action_type = o->action_type,
                 .action_seed = o->seed};
    r->hook_ops[o->slot] = *o;
    r->hook_tellers[o->slot] =
        (teller){.r = r, .slot = o->slot, .type = -1, .made_by = &r->hook_ops[o->slot]};
    stoa_hook hook = o->kind == OP_HOOK_NEW ? hook_make(r, o, &w) : observer_make(r, o, &w);
    if (run_expect(r, run_given(hook.id != 0), STOA_OK,
                   o->kind == OP_HOOK_NEW ? "stoa_hook_new" : "stoa_observe")) {
        r->hooks[o->slot] = hook;
        r->users++;
        r->ref.watchers[r->ref.watcher_count++] = w;
    }
}
