/* Components: described once, known by name and member at run time; with memory of their own,
 * without data, from elsewhere, or made up while the program runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa.h>

STOA_ENUM(Team, {RED, BLUE = 4, GREEN});
STOA_COMPONENT(Vec3, { float x, y, z; });
STOA_COMPONENT(Ship, {
    Vec3 at;
    Team team;
    uint8_t shields[3];
    char callsign[8];
    double fuel;
});
STOA_TAG(Frozen);

/* A type that a header of somebody else declares. */
struct point {
    int32_t x, y;
};
typedef struct point Point;
STOA_TYPE(Point, { int32_t x, y; });

/* Text that is owned: freed with the component, copied with a clone. */
static void text_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        free(((char **)items)[i]);
    }
}

static bool text_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        const char *text = ((char *const *)from)[i];
        char *copy = malloc(strlen(text) + 1);
        if (copy == NULL) {
            text_drop(to, i, NULL);
            return false;
        }
        ((char **)to)[i] = strcpy(copy, text);
    }
    return true;
}

STOA_COMPONENT_WITH(Label, STOA_OPTIONS(.hooks = {.drop = text_drop, .copy = text_copy}),
                    { char *text; });

static Label label_of(const char *text) {
    Label label = {malloc(strlen(text) + 1)};
    if (label.text == NULL) {
        exit(1);
    }
    strcpy(label.text, text);
    return label;
}

static void value_print(stoa_world *w, const stoa_member *m, const uint8_t *item);

/* Prints a component of any described type: all that is needed is its id. */
static void component_print(stoa_world *w, stoa_component id, const void *component) {
    stoa_component_info info;
    if (stoa_component_info_get(w, id, &info) != STOA_OK) {
        return;
    }
    printf("%s {", info.name);
    for (int32_t i = 0; i < info.member_count; i++) {
        const stoa_member *m = &info.members[i];
        const uint8_t *item = (const uint8_t *)component + m->offset;
        printf("%s%s:", i > 0 ? ", " : " ", m->name);
        if (m->kind == STOA_KIND_CHAR && m->array) {
            printf(" '%.*s'", (int)m->count, (const char *)item);
            continue;
        }
        for (uint32_t k = 0; k < m->count; k++) {
            printf(" ");
            value_print(w, m, item + k * m->size);
        }
    }
    printf(" }");
}

static void enum_print(stoa_world *w, stoa_component id, int32_t number) {
    int32_t count;
    const stoa_enum_value *values = stoa_component_enum(w, id, &count);
    for (int32_t i = 0; i < count; i++) {
        if (values[i].value == number) {
            printf("%s", values[i].name);
        }
    }
}

/* Prints one value; a real program would have a case for each stoa_kind. */
static void value_print(stoa_world *w, const stoa_member *m, const uint8_t *item) {
    switch (m->kind) {
    case STOA_KIND_U8:
        printf("%d", *item);
        break;
    case STOA_KIND_I32:
        printf("%d", *(const int32_t *)(const void *)item);
        break;
    case STOA_KIND_F32:
        printf("%g", (double)*(const float *)(const void *)item);
        break;
    case STOA_KIND_F64:
        printf("%g", *(const double *)(const void *)item);
        break;
    case STOA_KIND_STRING:
        printf("'%s'", *(const char *const *)(const void *)item);
        break;
    case STOA_KIND_ENUM:
        enum_print(w, m->type, *(const int32_t *)(const void *)item);
        break;
    case STOA_KIND_STRUCT:
        component_print(w, m->type, item);
        break;
    default:
        printf("?");
        break;
    }
}

/* Prints all that an entity has. */
static void entity_print(stoa_world *w, stoa_entity e) {
    stoa_archetype_info archetype;
    if (stoa_archetype_info_get(w, stoa_archetype_of(w, e), &archetype) != STOA_OK) {
        return;
    }
    for (int32_t i = 0; i < archetype.component_count; i++) {
        printf("  ");
        component_print(w, archetype.components[i], stoa_get_id(w, e, archetype.components[i]));
        printf("\n");
    }
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_id(w, Team); /* what Ship is made of must be known before it */
    stoa_id(w, Vec3);

    printf("a described component, a tag, and a type from elsewhere\n");
    stoa_entity ship =
        stoa_create_with(w, STOA_VALUE(Ship, {{1, 2, 3}, BLUE, {9, 8, 7}, "Argo", 0.5}),
                         STOA_ZERO(Frozen), STOA_VALUE(Point, {40, 50}));
    entity_print(w, ship);

    printf("memory of its own\n");
    Label label = label_of("swift");
    stoa_set_from(w, ship, Label, &label);
    stoa_entity copy = stoa_clone(w, ship);
    stoa_get_mut(w, copy, Label)->text[0] = 'S';
    printf("  the ship is %s, its clone %s\n", stoa_get(w, ship, Label)->text,
           stoa_get(w, copy, Label)->text);

    printf("a component from text\n");
    stoa_component_desc desc = {.name = "Wallet", .fields = "{ int32_t gold; float debt; }"};
    stoa_component wallet = stoa_component_register(w, &desc);
    stoa_entity captain = stoa_create(w);
    stoa_add_id(w, captain, wallet);
    *(int32_t *)stoa_get_mut_named(w, captain, "Wallet") = 120;
    entity_print(w, captain);

    printf("all that this world knows\n");
    for (stoa_component id = 1; id <= (stoa_component)stoa_component_count(w); id++) {
        stoa_component_info info;
        stoa_component_info_get(w, id, &info);
        printf("  %-7s %2u bytes, alignment %u, %s\n", info.name, info.size, info.alignment,
               info.plain ? "plain" : "not plain");
    }
    stoa_world_free(w);
}
