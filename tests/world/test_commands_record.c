/* Recording: what the typed calls write themselves is what the functions write. */
#include "commands_types.h"
#include "world/commands_buffer.h"

STOA_COMPONENT(Byte, { uint8_t value; });
STOA_COMPONENT(Odd, { uint8_t values[7]; });
STOA_COMPONENT(Pair, { double a, b; });

/* More than a block of the arena holds. */
#define COMMANDS 30000

/* One command, by a typed call or by a function. */
static void command_record(stoa_commands *c, stoa_entity e, uint32_t number, bool typed) {
    float x = (float)number;
    Position position = {x, x + 1, x + 2};
    Wide wide = {.id = number, .rest = {1, 2}, .last = 5};
    Odd odd = {{(uint8_t)number, 2, 3, 4, 5, 6, 7}};
    stoa_status status = STOA_OK;
    switch (number % 7) {
    case 0:
        status = typed ? stoa_commands_set_from(c, e, Position, &position)
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Position), &position);
        break;
    case 1:
        status = typed ? stoa_commands_destroy(c, e) : stoa_commands_destroy_any(c, e);
        break;
    case 2:
        status = typed ? stoa_commands_set(c, e, Byte, {(uint8_t)number})
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Byte), &(Byte){(uint8_t)number});
        break;
    case 3:
        status = typed ? stoa_commands_set_from(c, e, Wide, &wide)
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Wide), &wide);
        break;
    case 4:
        status = typed ? stoa_commands_set_from(c, e, Odd, &odd)
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Odd), &odd);
        break;
    case 5:
        status = typed ? stoa_commands_set(c, e, Pair, {x, 2})
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Pair), &(Pair){x, 2});
        break;
    default:
        status = typed ? stoa_commands_set_from(c, e, Frozen, &(Frozen){0})
                       : stoa_commands_set_type(c, e, STOA_TYPE_OF(Frozen), &(Frozen){0});
    }
    assert_int_equal(status, STOA_OK);
}

/* CMD-01 CMD-05 */
static void typed_calls_record_what_functions_do(void **state) {
    support_world *s = *state;
    stoa_commands *c[] = {stoa_commands_new(s->world), stoa_commands_new(s->world)};
    for (uint32_t i = 0; i < COMMANDS; i++) {
        stoa_entity e = {1 + i % 1000, 1 + i / 1000};
        command_record(c[0], e, i, true);
        command_record(c[1], e, i, false);
        assert_int_equal(stoa_commands_count(c[0]), stoa_commands_count(c[1]));
    }
    stoa__arena_place a = {0}, b = {0};
    for (uint32_t i = 0; i < COMMANDS; i++) {
        const stoa__command *one = stoa__command_read(c[0], &a);
        const stoa__command *other = stoa__command_read(c[1], &b);
        assert_non_null(one);
        assert_non_null(other);
        assert_memory_equal(one, other, sizeof *one);
        if (one->op == STOA__COMMAND_SET) {
            const stoa__kind *kind = &c[0]->kinds[one->kind];
            assert_memory_equal(one + 1, other + 1, kind->size);
        }
    }
    assert_null(stoa__command_read(c[0], &a));
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

/* GEN-03 GEN-05 ENT-01 */
static void misuse_is_found_once_a_type_is_known(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    const Health *nothing = NULL;
    assert_int_equal(stoa_commands_set(c, e, Health, {1}), STOA_OK);
    assert_int_equal(stoa_commands_set(c, e, Health, {2}), STOA_OK);
    support_assert_misuse(s, stoa_commands_set_from(c, e, Health, nothing), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_set(c, STOA_NULL, Health, {1}), STOA_DEAD);
    support_assert_misuse(s, stoa_commands_destroy(c, STOA_NULL), STOA_DEAD);
    assert_int_equal(stoa_commands_set(NULL, e, Health, {1}), STOA_NULL_ARGUMENT);
    c->count = INT32_MAX;
    assert_int_equal(stoa_commands_set(c, e, Health, {1}), STOA_LIMIT);
    assert_int_equal(stoa_commands_destroy(c, e), STOA_LIMIT);
    c->count = 2;
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_get(s->world, e, Health)->points, 2);
}

/* CMD-05 CMD-08 */
static void types_are_found_anew_after_memory_was_given_back(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_deferred(s->world);
    stoa_entity e = stoa_create(s->world);
    for (int32_t i = 1; i < 4; i++) {
        assert_int_equal(stoa_commands_set(c, e, Health, {i}), STOA_OK);
        assert_ptr_equal(c->leads[stoa_lead_index(STOA_TYPE_OF(Health))].type,
                         STOA_TYPE_OF(Health));
        assert_int_equal(stoa_flush(s->world), STOA_OK);
        assert_int_equal(stoa_get(s->world, e, Health)->points, i);
        if (i == 1) {
            stoa__commands_forget(s->world);
        } else {
            stoa__commands_trim(s->world);
        }
        for (uint32_t k = 0; k < STOA_LEADS; k++) {
            assert_null(c->leads[k].type);
        }
    }
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(typed_calls_record_what_functions_do),
        WITH_WORLD(misuse_is_found_once_a_type_is_known),
        WITH_WORLD(types_are_found_anew_after_memory_was_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
