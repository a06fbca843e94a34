/* Members by offsetof: right for any packing, and checked to fit the type. */
#include "storage/reflect_fixture.h"

#pragma pack(push, 1)
typedef struct Packet {
    uint8_t kind;
    float weights[3];
    const char *name;
    Vec2 at;
    enum Plain plain;
    enum Team team;
    struct stoa_entity from, to[2];
    void *data;
} Packet;
#pragma pack(pop)
STOA_TYPE_MEMBERS(Packet, STOA_MEMBER(Packet, to, stoa_entity), STOA_MEMBER(Packet, kind, uint8_t),
                  STOA_MEMBER(Packet, weights, float), STOA_MEMBER(Packet, name, const char *),
                  STOA_MEMBER(Packet, at, Vec2), STOA_MEMBER(Packet, plain, enum Plain),
                  STOA_MEMBER(Packet, team, Team), STOA_MEMBER(Packet, from, stoa_entity),
                  STOA_MEMBER(Packet, data, void *));

typedef struct Aligned {
    _Alignas(16) float x;
    char c;
    _Alignas(8) char d;
} Aligned;
STOA_TYPE_MEMBERS(Aligned, STOA_MEMBER(Aligned, x, float), STOA_MEMBER(Aligned, c, char),
                  STOA_MEMBER(Aligned, d, char));

/* CMP-06 */
static void members_of_a_packed_struct_stand_where_they_are(void **state) {
    fixture *f = *state;
    TYPE(Packet);
    assert_int_equal(f->result.member_count, 9);
    assert_string_equal(f->result.members[0].name, "to");
    ARRAY(Packet, to, ENTITY);
    MEMBER(Packet, kind, U8);
    ARRAY(Packet, weights, F32);
    MEMBER(Packet, name, STRING);
    MEMBER(Packet, at, STRUCT);
    MEMBER(Packet, plain, ENUM);
    MEMBER(Packet, team, ENUM);
    MEMBER(Packet, from, ENTITY);
    MEMBER(Packet, data, POINTER);
    assert_int_equal(member_named(f, "at")->type, 7);
    assert_int_equal(member_named(f, "team")->type, 8);
    assert_int_equal(member_named(f, "plain")->type, 0);
    assert_int_equal(member_named(f, "to")->count, 2);
    TYPE(Aligned);
    MEMBER(Aligned, d, CHAR);
}

static stoa_status reflect_members(fixture *f, const stoa_member_desc *members, uint32_t size) {
    stoa__reflect_source source = {
        .name = "T", .form = STOA_FORM_MEMBERS, .members = members, .size = size};
    return reflect_source(f, source);
}

/* CMP-06 */
static void members_that_do_not_fit_are_refused(void **state) {
    fixture *f = *state;
    static const struct {
        stoa_member_desc members[3];
        const char *message;
    } cases[] = {
        {{{"a", "float", 0, 8, 8}}, "member 'a' has items of 8 bytes, but a 'float' has 4"},
        {{{"a", "float", 0, 0, 4}}, "member 'a' is not made of whole items"},
        {{{"a", "float", 0, 6, 4}}, "member 'a' is not made of whole items"},
        {{{"a", "float", 0, 4, 0}}, "member 'a' has items of 0 bytes"},
        {{{"a", "float", 16, 4, 4}}, "member 'a' lies outside the type"},
        {{{"a", "float", 14, 4, 4}}, "member 'a' lies outside the type"},
        {{{"a", "float", UINT32_MAX, 4, 4}}, "member 'a' lies outside the type"},
        {{{"a", "float", 0, 4, 4}, {"a", "float", 4, 4, 4}}, "member 'a' is declared twice"},
        {{{"a", "float", 0, 4, 4}, {"b", "int", 0, 4, 4}}, "members 'a' and 'b' overlap"},
        {{{"a", "float", 2, 4, 4}, {"b", "char", 5, 1, 1}}, "members 'a' and 'b' overlap"},
        {{{"a", "char", 5, 1, 1}, {"b", "float", 2, 4, 4}}, "members 'a' and 'b' overlap"},
        {{{"a.b", "float", 0, 4, 4}}, "has a name that C would not take"},
        {{{"", "float", 0, 4, 4}}, "has a name that C would not take"},
        {{{"a ", "float", 0, 4, 4}}, "has a name that C would not take"},
        {{{"3", "float", 0, 4, 4}}, "has a name that C would not take"},
        {{{"a", NULL, 0, 4, 4}}, "member 'a' has no type"},
        {{{"a", "Vec3", 0, 4, 4}},
         "column 1: type 'T': member type 'Vec3' is not described; register it first, or leave the "
         "member out"},
        {{{"a", "union U", 0, 4, 4}}, "'union' cannot be a described member; leave it out"},
        {{{"a", "enum Any", 0, 3, 3}}, "the size of 'enum Any' cannot be a described member"},
        {{{"a", "enum Team", 0, 1, 1}}, "has items of 1 bytes, but a 'enum Team' has 4"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(reflect_members(f, cases[i].members, 16), STOA_LAYOUT);
        support_assert_message(cases[i].message);
        support_assert_message("type 'T'");
    }
}

/* CMP-06 */
static void type_of_a_member_is_one_type_only(void **state) {
    fixture *f = *state;
    static const struct {
        const char *type;
        int32_t column;
    } cases[] = {{"float x", 7}, {"float[2]", 6}, {"", 1}, {"float float", 1}, {"float,", 6}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stoa_member_desc members[] = {{"a", cases[i].type, 0, 4, 4}, {0}};
        assert_int_equal(reflect_members(f, members, 16), STOA_SYNTAX);
        assert_int_equal(stoa_last_error().column, cases[i].column);
    }
}

/* CMP-06 */
static void undescribed_enum_has_the_size_of_its_item(void **state) {
    fixture *f = *state;
    for (uint32_t size = 1; size <= 8; size *= 2) {
        stoa_member_desc members[] = {{"a", "enum Any", 0, 2 * size, size}, {0}};
        assert_int_equal(reflect_members(f, members, 16), STOA_OK);
        member_is(f, "a", STOA_KIND_ENUM, 0, 2 * size, true);
        assert_int_equal(f->result.alignment, 1);
    }
}

/* CMP-06 */
static void member_count_has_a_limit(void **state) {
    fixture *f = *state;
    enum { MOST = 4096 };
    static stoa_member_desc members[MOST + 2];
    static char names[MOST + 1][8];
    for (uint32_t i = 0; i <= MOST; i++) {
        snprintf(names[i], sizeof names[i], "m%u", (unsigned)i);
        members[i] = (stoa_member_desc){names[i], "char", i, 1, 1};
    }
    assert_int_equal(reflect_members(f, members, MOST + 1), STOA_LIMIT);
    support_assert_message("more than 4096 members");
    members[MOST].name = NULL;
    assert_int_equal(reflect_members(f, members, MOST + 1), STOA_OK);
    assert_int_equal(f->result.member_count, MOST);
    assert_string_equal(f->result.members[MOST - 1].name, "m4095");
}

/* CMP-06 */
static void lack_of_memory_leaves_nothing(void **state) {
    fixture *f = *state;
    f->counter.fail_at = 1;
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(Packet)), STOA_NO_MEMORY);
    support_assert_message("out of memory");
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(Packet)), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(members_of_a_packed_struct_stand_where_they_are),
        TEST(members_that_do_not_fit_are_refused),
        TEST(type_of_a_member_is_one_type_only),
        TEST(undescribed_enum_has_the_size_of_its_item),
        TEST(member_count_has_a_limit),
        TEST(lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
