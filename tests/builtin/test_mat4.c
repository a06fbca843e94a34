/* Matrices: what they do to points, and that their bits are those of the plain formula. */
#include <math.h>

#include "support/support.h"

#include "stoa/transform.h"

#define TURN 6.283185307179586

static uint32_t bits_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void assert_near(double a, double b, double most) {
    if (!(fabs(a - b) <= most)) {
        print_error("%.9g is not %.9g\n", a, b);
        fail();
    }
}

static void assert_same(Mat4 a, Mat4 b) {
    for (int i = 0; i < 16; i++) {
        if (bits_of(a.m[i]) != bits_of(b.m[i])) {
            print_error("element %d: %.9g is not %.9g\n", i, (double)a.m[i], (double)b.m[i]);
            fail();
        }
    }
}

static void assert_matrix_near(Mat4 a, Mat4 b, double most) {
    for (int i = 0; i < 16; i++) {
        assert_near((double)a.m[i], (double)b.m[i], most);
    }
}

static void assert_point(Mat4 matrix, float x, float y, float z, float to_x, float to_y,
                         float to_z) {
    float point[3] = {x, y, z};
    stoa_mat4_transform_point(matrix, point, point);
    assert_near((double)point[0], (double)to_x, 1e-6);
    assert_near((double)point[1], (double)to_y, 1e-6);
    assert_near((double)point[2], (double)to_z, 1e-6);
}

static Mat4 matrix_random(support_random *random) {
    Mat4 matrix;
    for (int i = 0; i < 16; i++) {
        matrix.m[i] = ((float)support_random_below(random, 1u << 20) - (1 << 19)) / 65521.0f;
    }
    return matrix;
}

/* TRF-01 */
static void matrices_move_turn_and_stretch_points(void **state) {
    (void)state;
    assert_point(stoa_mat4_identity(), 1, 2, 3, 1, 2, 3);
    assert_point(stoa_mat4_translation(10, 20, 30), 1, 2, 3, 11, 22, 33);
    assert_point(stoa_mat4_scale(2, 3, 4), 1, 2, 3, 2, 6, 12);
    assert_point(stoa_mat4_rotation(0, 0, 1, (float)(TURN / 4)), 1, 0, 0, 0, 1, 0);
    assert_point(stoa_mat4_rotation(0, 0, 5, (float)(TURN / 4)), 0, 1, 0, -1, 0, 0);
    assert_point(stoa_mat4_rotation(1, 0, 0, (float)(TURN / 4)), 0, 1, 0, 0, 0, 1);
    assert_point(stoa_mat4_rotation(0, 2, 0, (float)(TURN / 4)), 0, 0, 1, 1, 0, 0);
    assert_point(stoa_mat4_rotation(1, 1, 1, (float)(TURN / 3)), 1, 2, 3, 3, 1, 2);
    assert_point(stoa_mat4_rotation_quaternion(0, 0, 3, 3), 1, 0, 0, 0, 1, 0);
}

/* TRF-01 */
static void matrix_is_kept_column_by_column(void **state) {
    (void)state;
    Mat4 matrix = stoa_mat4_translation(7, 8, 9);
    assert_int_equal(sizeof(Mat4), 64);
    assert_true(matrix.m[12] == 7 && matrix.m[13] == 8 && matrix.m[14] == 9);
    assert_true(matrix.m[3] == 0 && matrix.m[15] == 1);
    assert_true(stoa_mat4_rotation(0, 0, 1, 1).m[1] > 0);
}

/* TRF-01 */
static void product_applies_the_right_one_first(void **state) {
    (void)state;
    Mat4 move = stoa_mat4_translation(1, 0, 0), stretch = stoa_mat4_scale(2, 2, 2);
    assert_point(stoa_mat4_multiply(move, stretch), 1, 1, 1, 3, 2, 2);
    assert_point(stoa_mat4_multiply(stretch, move), 1, 1, 1, 4, 2, 2);
    assert_same(stoa_mat4_multiply(stoa_mat4_identity(), move), move);
}

/* TRF-01 */
static void product_has_the_bits_of_the_formula(void **state) {
    (void)state;
    support_random random = {7};
    for (int round = 0; round < 2000; round++) {
        Mat4 a = matrix_random(&random), b = matrix_random(&random), expected;
        for (int i = 0; i < 16; i++) {
            /* Each step is kept in memory, so that nothing is fused. */
            volatile float sum = a.m[i % 4] * b.m[i / 4 * 4];
            for (int k = 1; k < 4; k++) {
                volatile float part = a.m[4 * k + i % 4] * b.m[i / 4 * 4 + k];
                sum = sum + part;
            }
            expected.m[i] = sum;
        }
        assert_same(stoa_mat4_multiply(a, b), expected);
    }
}

/* TRF-01 */
static void rotation_is_right_at_any_angle(void **state) {
    (void)state;
    support_random random = {11};
    for (int round = 0; round < 20000; round++) {
        float angle = (float)(support_random_below(&random, 2000000) - 1e6) *
                      (round % 3 == 0 ? 16.0f : 1e-5f);
        Mat4 turn = stoa_mat4_rotation(0, 0, 1, angle);
        assert_near((double)turn.m[0], cos((double)angle), 1e-7);
        assert_near((double)turn.m[1], sin((double)angle), 1e-7);
        assert_near((double)turn.m[4], -sin((double)angle), 1e-7);
    }
}

/* TRF-01 */
static void rotation_of_bad_arguments_turns_nothing(void **state) {
    (void)state;
    Mat4 none = stoa_mat4_identity();
    assert_same(stoa_mat4_rotation(0, 0, 0, 1), none);
    assert_same(stoa_mat4_rotation(0, NAN, 1, 1), none);
    assert_same(stoa_mat4_rotation(INFINITY, 0, 1, 1), none);
    assert_matrix_near(stoa_mat4_rotation(0, 1, 0, INFINITY), none, 0);
    assert_matrix_near(stoa_mat4_rotation(0, 1, 0, NAN), none, 0);
    assert_matrix_near(stoa_mat4_rotation(0, 1, 0, 16777216.0f), none, 0);
    assert_matrix_near(stoa_mat4_rotation(0, 1, 0, -3e38f), none, 0);
    assert_same(stoa_mat4_rotation_quaternion(0, 0, 0, 0), none);
    assert_same(stoa_mat4_rotation_quaternion(0, 0, NAN, 1), none);
}

/* TRF-01 */
static void rotation_takes_an_axis_of_any_length(void **state) {
    (void)state;
    Mat4 expected = stoa_mat4_rotation(1, 2, -2, 0.7f);
    for (float length = 1e-30f; length < 1e30f; length *= 7) {
        assert_matrix_near(stoa_mat4_rotation(length, 2 * length, -2 * length, 0.7f), expected,
                           1e-6);
    }
}

/* TRF-01 */
static void quaternion_turns_as_its_axis_and_angle_do(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        float angle = (float)i * 0.1f;
        float s = (float)sin((double)angle / 2), c = (float)cos((double)angle / 2);
        assert_matrix_near(stoa_mat4_rotation_quaternion(2 * s / 3, -s / 3, 2 * s / 3, c),
                           stoa_mat4_rotation(2, -1, 2, angle), 1e-6);
    }
}

/* TRF-01 */
static void composed_matrix_scales_then_turns_then_moves(void **state) {
    (void)state;
    const float move[3] = {5, 6, 7}, turn[4] = {0, 0, 1, 1}, stretch[3] = {2, 3, 4};
    Mat4 expected =
        stoa_mat4_multiply(stoa_mat4_translation(5, 6, 7),
                           stoa_mat4_multiply(stoa_mat4_rotation(0, 0, 1, (float)(TURN / 4)),
                                              stoa_mat4_scale(2, 3, 4)));
    assert_matrix_near(stoa_mat4_compose(move, turn, stretch), expected, 1e-6);
}

/* TRF-01 */
static void inverse_undoes_a_matrix(void **state) {
    (void)state;
    support_random random = {3};
    int inverted = 0;
    for (int round = 0; round < 2000; round++) {
        Mat4 matrix = matrix_random(&random), inverse;
        double size = 0;
        inverted += stoa_mat4_inverse(matrix, &inverse);
        for (int i = 0; i < 16; i++) {
            size = fmax(size, fabs((double)inverse.m[i]));
        }
        assert_matrix_near(stoa_mat4_multiply(matrix, inverse), stoa_mat4_identity(),
                           1e-5 * (1 + size));
        assert_matrix_near(stoa_mat4_multiply(inverse, matrix), stoa_mat4_identity(),
                           1e-5 * (1 + size));
    }
    assert_int_equal(inverted, 2000);
}

/* TRF-01 */
static void inverse_copes_with_great_and_small_numbers(void **state) {
    (void)state;
    Mat4 inverse;
    assert_true(stoa_mat4_inverse(stoa_mat4_translation(1e15f, 2, 3), &inverse));
    assert_matrix_near(inverse, stoa_mat4_translation(-1e15f, -2, -3), 0);
    assert_true(stoa_mat4_inverse(stoa_mat4_scale(1e-12f, 1e12f, 0.5f), &inverse));
    assert_near((double)inverse.m[0], 1e12, 1e6);
    assert_near((double)inverse.m[10], 2, 0);
}

/* TRF-01 */
static void matrix_without_inverse_leaves_the_result_alone(void **state) {
    (void)state;
    Mat4 result = stoa_mat4_translation(1, 2, 3), before = result;
    Mat4 same_columns = {{1, 2, 3, 4, 2, 4, 6, 8, 1, 0, 0, 1, 0, 1, 0, 1}};
    Mat4 doubled = {{0.1f, 0.7f, 3, 1, 0.2f, 1.4f, 6, 2, 5.3f, 6, 7, 8.1f, 1, 1, 2.7f, 1}};
    assert_false(stoa_mat4_inverse(stoa_mat4_scale(1, 0, 1), &result));
    assert_false(stoa_mat4_inverse((Mat4){{0}}, &result));
    assert_false(stoa_mat4_inverse(same_columns, &result));
    assert_false(stoa_mat4_inverse(doubled, &result));
    assert_false(stoa_mat4_inverse((Mat4){{NAN}}, &result));
    assert_false(stoa_mat4_inverse(stoa_mat4_scale(INFINITY, 1, 1), &result));
    assert_false(stoa_mat4_inverse(stoa_mat4_scale(1e-39f, 1, 1), &result));
    assert_same(result, before);
    assert_false(stoa_mat4_inverse(stoa_mat4_identity(), NULL));
}

/* TRF-01 */
static void rounding_makes_no_inverse(void **state) {
    (void)state;
    support_random random = {17};
    for (int round = 0; round < 200; round++) {
        Mat4 matrix, inverse;
        for (int i = 0; i < 12; i++) {
            matrix.m[i] = (float)support_random_below(&random, 1u << 20);
        }
        for (int row = 0; row < 4; row++) {
            matrix.m[12 + row] = matrix.m[row] + matrix.m[4 + row] + matrix.m[8 + row];
        }
        assert_false(stoa_mat4_inverse(matrix, &inverse));
    }
}

/* Mixes the bits of a matrix into a number. */
static uint64_t bits_mix(uint64_t mixed, Mat4 matrix) {
    for (int i = 0; i < 16; i++) {
        mixed = (mixed ^ bits_of(matrix.m[i])) * 0x100000001b3u;
    }
    return mixed;
}

/* TRF-01 */
static void bits_are_the_same_in_every_build(void **state) {
    (void)state;
    uint64_t mixed = 1;
    support_random random = {23};
    Mat4 product = stoa_mat4_identity(), inverse = product;
    for (int i = 0; i < 3000; i++) {
        float n[10];
        for (int k = 0; k < 10; k++) {
            n[k] = ((float)support_random_below(&random, 1u << 20) - (1 << 19)) / 65521.0f;
        }
        Mat4 turn = stoa_mat4_rotation(n[0], n[1], n[2], n[3] * 100);
        Mat4 whole = stoa_mat4_compose(&n[0], &n[3], &n[7]);
        product = i % 8 == 0 ? turn : stoa_mat4_multiply(product, whole);
        stoa_mat4_inverse(whole, &inverse);
        stoa_mat4_transform_point(turn, &n[4], &n[4]);
        mixed = bits_mix(bits_mix(bits_mix(mixed, turn), product), inverse);
        mixed = (mixed ^ bits_of(n[4]) ^ bits_of(n[5])) * 0x100000001b3u;
    }
    assert_true(mixed == UINT64_C(0x3a618ef361f48700));
}

/* TRF-01 */
static void transforms_are_ordinary_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(LocalTransform, {stoa_mat4_identity()}),
                                     STOA_ZERO(WorldTransform));
    assert_true(stoa_get(w, e, LocalTransform)->matrix.m[5] == 1);
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(w, stoa_id(w, LocalTransform), &info), STOA_OK);
    assert_string_equal(info.name, "LocalTransform");
    assert_int_equal(info.size, 64);
    assert_true(info.plain);
    assert_int_equal(info.member_count, 1);
    assert_string_equal(info.members[0].name, "matrix");
    assert_int_equal(info.members[0].count, 16);
    assert_int_equal(info.members[0].kind, STOA_KIND_F32);
    assert_int_equal(stoa_component_info_get(w, stoa_id(w, Mat4), &info), STOA_OK);
    assert_int_equal(info.size, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_move_turn_and_stretch_points),
        cmocka_unit_test(matrix_is_kept_column_by_column),
        cmocka_unit_test(product_applies_the_right_one_first),
        cmocka_unit_test(product_has_the_bits_of_the_formula),
        cmocka_unit_test(rotation_is_right_at_any_angle),
        cmocka_unit_test(rotation_of_bad_arguments_turns_nothing),
        cmocka_unit_test(rotation_takes_an_axis_of_any_length),
        cmocka_unit_test(quaternion_turns_as_its_axis_and_angle_do),
        cmocka_unit_test(composed_matrix_scales_then_turns_then_moves),
        cmocka_unit_test(inverse_undoes_a_matrix),
        cmocka_unit_test(inverse_copes_with_great_and_small_numbers),
        cmocka_unit_test(matrix_without_inverse_leaves_the_result_alone),
        cmocka_unit_test(rounding_makes_no_inverse),
        cmocka_unit_test(bits_are_the_same_in_every_build),
        cmocka_unit_test_setup_teardown(transforms_are_ordinary_components, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
