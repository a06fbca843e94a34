/* What a unit does with the shared components, compiled once in each: all that it names has
 * descriptors of the unit's own. The unit defines UNIT, its name, and describes Clash. No guard: it
 * is included once. */

static stoa_component unit_id(stoa_world *w, int which) {
    switch (which) {
    case 0:
        return stoa_id(w, Position);
    case 1:
        return stoa_id(w, Velocity);
    case 2:
        return stoa_id(w, Health);
    default:
        return stoa_id(w, Frozen);
    }
}

static stoa_entity unit_create(stoa_world *w, float x) {
    return stoa_create_with(w, STOA_VALUE(Position, {x, 0}), STOA_VALUE(Velocity, {1, x}),
                            STOA_ZERO(Frozen));
}

static float unit_read_x(const stoa_world *w, stoa_entity e) {
    const Position *p = stoa_try_get(w, e, Position);
    return p == NULL ? -1 : p->x;
}

static bool unit_has_frozen(const stoa_world *w, stoa_entity e) {
    return stoa_has(w, e, Frozen);
}

static int32_t unit_count_moving(stoa_world *w) {
    stoa_query_desc desc = {.terms = {STOA_WRITE(Position), STOA_READ(Velocity)}};
    int32_t count = 0;
    for (stoa_iter it = stoa_query_once(w, &desc); stoa_iter_next(&it);) {
        Position *p = stoa_field_mut(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
        }
        count += it.count;
    }
    return count;
}

static stoa_status unit_clash(stoa_world *w, stoa_entity e) {
    return stoa_set(w, e, Clash, {1});
}

const unit UNIT = {
    .position = STOA_TYPE_OF(Position),
    .id = unit_id,
    .create = unit_create,
    .read_x = unit_read_x,
    .has_frozen = unit_has_frozen,
    .count_moving = unit_count_moving,
    .clash = unit_clash,
};
