/* Drafts: descriptions that components are about to get.
 *
 * A draft holds the description that is not in force; showing exchanges all of them at once, with
 * no value touched. A struct inside of others may be drafted after them: who has it inside is taken
 * in again then. O(drafts) for each type. One thread at a time. */
#include "storage/registry.h"
#include "storage/retype.h"

/* Flags that can change with no row moved and no query read anew. */
#define FLAGS_FREE ((uint32_t)(STOA_HIDDEN | STOA_RAW))

stoa__draft *stoa__redraft_find(const stoa__redraft *r, stoa_component id) {
    for (uint32_t i = 0; i < r->draft_count; i++) {
        if (r->drafts[i].id == id) {
            return &r->drafts[i];
        }
    }
    return NULL;
}

/* True if a member is of a described type whose layout differs. */
static bool members_drafted(const stoa__redraft *r, const stoa__component *component) {
    for (int32_t i = 0; i < component->info.member_count; i++) {
        stoa_component type = component->info.members[i].type;
        const stoa__draft *draft = type != 0 ? stoa__redraft_find(r, type) : NULL;
        if (draft != NULL && draft->layout) {
            return true;
        }
    }
    return false;
}

/* True if values of both are the same bytes, moved and dropped alike. */
static bool layout_same(const stoa__redraft *r, const stoa__component *a,
                        const stoa__component *b) {
    const stoa_hooks *x = &a->info.hooks, *y = &b->info.hooks;
    return stoa__registry_members_same(&a->reflection, &b->reflection) &&
           a->is_enum == b->is_enum && (x->drop == NULL) == (y->drop == NULL) &&
           (x->move == NULL) == (y->move == NULL) && !members_drafted(r, b);
}

static bool functions_same(const stoa__component *a, const stoa__component *b) {
    const stoa_hooks *x = &a->info.hooks, *y = &b->info.hooks;
    return x->drop == y->drop && x->move == y->move && x->copy == y->copy && x->user == y->user &&
           x->user_free == y->user_free && a->setup == b->setup;
}

/* The name of the lowest flag. */
static const char *flag_name(uint32_t flags) {
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{STOA_SPARSE, "sparse"},
                 {STOA_SWITCHABLE, "switchable"},
                 {STOA_ROW_TICKS, "with ticks of rows"},
                 {STOA_IMMUTABLE, "immutable"},
                 {STOA_TRANSIENT, "transient"},
                 {STOA_NOTED, "noted by chunk"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((flags & names[i].flag) != 0) {
            return names[i].name;
        }
    }
    return "managed";
}

/* Whether a component can be given a description while it is in use. */
static stoa_status change_check(const stoa__component *live, const stoa__component *other) {
    uint32_t flags = (live->info.flags ^ other->info.flags) & ~FLAGS_FREE;
    flags |= live->info.flags & STOA_MANAGED;
    bool tag = (live->info.size == 0) != (other->info.size == 0);
    if (flags != 0 && (flags & STOA_MANAGED) == 0) {
        return stoa__error(STOA_REFUSED,
                           "component '%s' is %s before or after, not both; that takes a new start",
                           live->name, flag_name(flags));
    }
    if (flags != 0) {
        return stoa__error(STOA_REFUSED, "component '%s' is managed and stays what it is",
                           live->name);
    }
    return tag ? stoa__error(STOA_REFUSED,
                             "component '%s' is a tag before or after, not both; that takes a new "
                             "start, or another name",
                             live->name)
               : STOA_OK;
}

/* Lists a draft, which is in force from now on if others are. */
static stoa_status draft_list(stoa__redraft *r, stoa__component *live, stoa__component *other,
                              bool layout) {
    if (!stoa__heap_grow(&r->storage->heap, &r->drafts, &r->draft_capacity, r->draft_count + 1,
                         sizeof *r->drafts)) {
        return stoa__error_memory("the descriptions of components");
    }
    other->info.id = live->info.id;
    other->info.name = live->name;
    if (!layout) {
        /* Members that somebody may look at stay where they are. */
        other->info.members = live->info.members;
        other->info.member_count = live->info.member_count;
    }
    r->drafts[r->draft_count++] =
        (stoa__draft){.id = live->info.id,
                      .other = other,
                      .layout = layout,
                      .same = !members_drafted(r, other) &&
                              stoa__registry_members_same(&live->reflection, &other->reflection),
                      .before = live->info,
                      .after = other->info};
    return STOA_OK;
}

/* A struct inside of a component whose functions differ turned out to differ, too. */
static void draft_widen(stoa__redraft *r, stoa__draft *draft) {
    stoa__redraft_show(r, false);
    stoa__component *other = draft->other;
    draft->layout = true;
    draft->same = false;
    other->info.members = other->reflection.members;
    other->info.member_count = other->reflection.member_count;
    draft->after = other->info;
    stoa__redraft_show(r, true);
}

/* stoa__redraft_add for a name that is registered, the descriptions of after in force. */
static stoa_status draft_make(stoa__redraft *r, stoa_component id, const stoa_type *type, bool own,
                              bool *drafted) {
    stoa__component *live = stoa__component_at(r->storage, id);
    stoa__component *other = stoa__registry_draft(r->storage, type);
    if (other == NULL) {
        return stoa_last_error().status;
    }
    stoa__draft *before = stoa__redraft_find(r, id);
    bool layout = !layout_same(r, live, other);
    bool functions = !functions_same(live, other) || live->info.flags != other->info.flags;
    bool persist = live->info.persist != other->info.persist;
    stoa_status status = STOA_OK;
    if (before != NULL || !own) {
        bool same = stoa__registry_members_same(&live->reflection, &other->reflection);
        status = same && !functions ? STOA_OK : stoa__registry_conflict(live->name);
        if (status == STOA_OK && before != NULL && !before->layout && members_drafted(r, other)) {
            draft_widen(r, before);
            *drafted = true;
        }
    } else if (layout || functions || persist) {
        status = change_check(live, other);
        if (status == STOA_OK) {
            status = draft_list(r, live, other, layout);
        }
        if (status == STOA_OK) {
            *drafted = true;
            return STOA_OK;
        }
    }
    stoa__registry_discard(r->storage, other);
    return status;
}

/* Exchanges what two components are described as. */
static void describe_exchange(stoa__component *a, stoa__component *b, bool layout) {
    stoa__component old = *a;
    a->info = b->info;
    a->identifier = b->identifier;
    a->text_hash = b->text_hash;
    a->is_enum = b->is_enum;
    a->dense = b->dense;
    a->fixed = b->fixed;
    a->nest = b->nest;
    a->setup = b->setup;
    a->setup_state = b->setup_state;
    b->info = old.info;
    b->identifier = old.identifier;
    b->text_hash = old.text_hash;
    b->is_enum = old.is_enum;
    b->dense = old.dense;
    b->fixed = old.fixed;
    b->nest = old.nest;
    b->setup = old.setup;
    b->setup_state = old.setup_state;
    if (layout) {
        a->reflection = b->reflection;
        b->reflection = old.reflection;
    }
}

void stoa__redraft_show(stoa__redraft *r, bool after) {
    if (r->shown == after) {
        return;
    }
    r->shown = after;
    for (uint32_t i = 0; i < r->draft_count; i++) {
        stoa__draft *draft = &r->drafts[i];
        describe_exchange(stoa__component_at(r->storage, draft->id), draft->other, draft->layout);
    }
}

stoa_status stoa__redraft_add(stoa__redraft *r, stoa_type *type, bool own, bool *drafted) {
    *drafted = false;
    stoa__redraft_show(r, true);
    stoa_status status = STOA_OK;
    const char *name = stoa__type_name(type);
    stoa_component id = name != NULL ? stoa__registry_named(r->storage, name) : 0;
    uint32_t count = r->draft_count;
    if (id == 0 || id > r->component_count) {
        status = stoa__registry_type(r->storage, type) != 0 ? STOA_OK : stoa_last_error().status;
        /* A struct that comes after it may have it inside. */
        *drafted = status == STOA_OK && id == 0;
    } else {
        status = draft_make(r, id, type, own, drafted);
    }
    if (r->draft_count > count) {
        /* The new one, too, is in force now. */
        stoa__draft *draft = &r->drafts[count];
        describe_exchange(stoa__component_at(r->storage, draft->id), draft->other, draft->layout);
    }
    stoa__redraft_show(r, false);
    return status;
}

stoa_status stoa__redraft_inside(const stoa__redraft *r) {
    for (uint32_t i = 0; i < r->storage->registry.count; i++) {
        const stoa__component *component = r->storage->registry.items[i];
        const stoa__draft *draft = stoa__redraft_find(r, i + 1);
        if (i < r->component_count && (draft == NULL || !draft->layout) &&
            members_drafted(r, component)) {
            return stoa__error(STOA_CONFLICT,
                               "component '%s' has a struct inside whose layout differs",
                               component->name);
        }
    }
    return STOA_OK;
}
