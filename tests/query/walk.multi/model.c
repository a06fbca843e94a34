/* The model of the world: every change is made to both. */
#include "query/walk.multi/model.h"

STOA_COMPONENT(Plain, { uint32_t x; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { float x[3]; });
STOA_COMPONENT_WITH(Switch, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint16_t x; });
STOA_COMPONENT_WITH(Both, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS), { double x; });
STOA_COMPONENT_WITH(Sparse, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t x; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { uint64_t x; });
STOA_TAG(Tag);
STOA_TAG_WITH(SwitchTag, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS));
STOA_TAG_WITH(SparseTag, STOA_OPTIONS(.flags = STOA_SPARSE));

stoa_type *const model_types[KINDS] = {&Plain_stoa, &Exact_stoa,     &Switch_stoa,
                                       &Both_stoa,  &Sparse_stoa,    &Loose_stoa,
                                       &Tag_stoa,   &SwitchTag_stoa, &SparseTag_stoa};

bool model_flag(int32_t kind, uint32_t flag) {
    return (model_types[kind]->options.flags & flag) != 0;
}

uint32_t model_below(model *m, uint32_t n) {
    return support_random_below(&m->random, n);
}

bool model_chance(model *m, uint32_t percent) {
    return model_below(m, 100) < percent;
}

static void model_gain(model_entity *slot, int32_t kind, uint32_t tick) {
    slot->has[kind] = true;
    slot->off[kind] = false;
    slot->changed[kind] = tick;
    slot->added[kind] = tick;
}

static void entity_create(model *m) {
    stoa_value values[KINDS];
    int32_t kinds[KINDS], count = 0;
    for (int32_t k = 0; k < KINDS; k++) {
        uint32_t percent = model_flag(k, STOA_SPARSE) ? (uint32_t)m->sparse_chance : 30;
        if (model_chance(m, percent)) {
            kinds[count] = k;
            values[count++] = (stoa_value){model_types[k], NULL, 0, STOA_PUT};
        }
    }
    stoa_entity e = stoa_create_values(m->w, values, count);
    assert_true(e.index != 0 && e.index < SLOTS);
    model_entity *slot = &m->slots[e.index];
    memset(slot, 0, sizeof *slot);
    slot->e = e;
    m->top = e.index >= m->top ? e.index + 1 : m->top;
    for (int32_t i = 0; i < count; i++) {
        model_gain(slot, kinds[i], stoa_tick(m->w));
    }
}

/* Many entities of one bundle, so that some archetypes have several chunks. */
static void entities_create_many(model *m, int32_t count, const bool *has) {
    static stoa_entity made[SLOTS];
    stoa_value values[KINDS];
    int32_t value_count = 0;
    for (int32_t k = 0; k < KINDS; k++) {
        if (has[k]) {
            values[value_count++] = (stoa_value){model_types[k], NULL, 0, STOA_PUT};
        }
    }
    assert_int_equal(stoa_create_bulk_values(m->w, count, made, values, value_count), STOA_OK);
    for (int32_t i = 0; i < count; i++) {
        assert_true(made[i].index < SLOTS);
        model_entity *slot = &m->slots[made[i].index];
        memset(slot, 0, sizeof *slot);
        slot->e = made[i];
        m->top = made[i].index >= m->top ? made[i].index + 1 : m->top;
        for (int32_t k = 0; k < KINDS; k++) {
            if (has[k]) {
                model_gain(slot, k, stoa_tick(m->w));
            }
        }
    }
}

static model_entity *slot_any(model *m) {
    for (int tries = 0; tries < 50; tries++) {
        model_entity *slot = &m->slots[model_below(m, m->top)];
        if (slot->e.index != 0) {
            return slot;
        }
    }
    return NULL;
}

/* Adds, removes or writes one component of an entity. */
static void entity_change(model *m, model_entity *slot) {
    int32_t k = (int32_t)model_below(m, KINDS);
    static const uint8_t zeros[64];
    uint32_t tick = stoa_tick(m->w), size = model_types[k]->size;
    switch (model_below(m, 4)) {
    case 0:
        assert_int_equal(stoa_add_id(m->w, slot->e, m->ids[k]), STOA_OK);
        if (!slot->has[k]) {
            model_gain(slot, k, tick);
        }
        break;
    case 1:
        assert_int_equal(stoa_remove_id(m->w, slot->e, m->ids[k]), STOA_OK);
        slot->has[k] = false;
        break;
    case 2:
        if (model_flag(k, STOA_SPARSE) && !slot->has[k] &&
            !model_chance(m, (uint32_t)m->sparse_chance)) {
            break;
        }
        assert_int_equal(stoa_set_id(m->w, slot->e, m->ids[k], zeros, size), STOA_OK);
        if (!slot->has[k]) {
            model_gain(slot, k, tick);
        }
        slot->changed[k] = tick;
        break;
    default:
        assert_int_equal(stoa_try_get_mut_id(m->w, slot->e, m->ids[k]) != NULL, slot->has[k]);
        slot->changed[k] = tick;
    }
}

/* Switches one component on or off for some entities that follow each other. */
static void entities_switch(model *m) {
    int32_t k = (int32_t)model_below(m, KINDS);
    if (!model_flag(k, STOA_SWITCHABLE)) {
        return;
    }
    uint32_t from = model_below(m, m->top), length = model_chance(m, 50) ? 1 : model_below(m, 300);
    bool on = model_chance(m, 50);
    for (uint32_t i = from; i < from + length && i < m->top; i++) {
        model_entity *slot = &m->slots[i];
        if (slot->e.index != 0 && slot->has[k]) {
            assert_int_equal(stoa_enable_id(m->w, slot->e, m->ids[k], on), STOA_OK);
            /* Switched on it counts as written. */
            slot->changed[k] = on && slot->off[k] ? stoa_tick(m->w) : slot->changed[k];
            slot->off[k] = !on;
        }
    }
}

void model_shake(model *m, int32_t steps) {
    for (int32_t i = 0; i < steps; i++) {
        model_entity *slot = slot_any(m);
        uint32_t what = model_below(m, 20);
        if (what == 0 || slot == NULL) {
            entity_create(m);
        } else if (what == 1) {
            assert_int_equal(stoa_destroy(m->w, slot->e), STOA_OK);
            memset(slot, 0, sizeof *slot);
        } else if (what == 2) {
            stoa_tick_advance(m->w);
        } else if (what < 6) {
            entities_switch(m);
        } else {
            entity_change(m, slot);
        }
    }
}

void model_open(model *m, support_world *s, uint64_t seed, int sparse_chance, int32_t many) {
    static const bool bundles[][KINDS] = {
        {true, true},
        {true, false, true, true},
        {false, true, false, true, true},
        {true, false, true, false, false, true, true, true, true},
    };
    support_world_open_with(s, 16 * 1024);
    memset(m, 0, sizeof *m);
    m->w = s->world;
    m->random.state = seed;
    m->sparse_chance = sparse_chance;
    for (int32_t k = 0; k < KINDS; k++) {
        m->ids[k] = stoa_type_register(m->w, model_types[k]);
        assert_true(m->ids[k] != 0);
    }
    for (int32_t i = 0; i < 4; i++) {
        entities_create_many(m, many / 4, bundles[i]);
    }
    for (int32_t i = 0; i < many / 4; i++) {
        entity_create(m);
    }
}
