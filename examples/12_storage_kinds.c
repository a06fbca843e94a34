/* Storage kinds: a village at night. Names are columns and heroes a tag; who burns is sparse, lamps
 * can be switched off, and health keeps ticks for each villager. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Label, { char text[12]; });
STOA_TAG(Hero);
STOA_COMPONENT_WITH(Burning, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t turns; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t oil; });
STOA_COMPONENT_WITH(Health, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t points; });

/* Prints what a query matches, a run in brackets: rows that stand one after the other. */
static void names_print(const char *title, stoa_query *query) {
    printf("%-26s", title);
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
        printf(" [");
        for (int32_t i = 0; i < it.count; i++) {
            const Label *name = stoa_field_at(&it, Label, 0, i);
            printf("%s%s", i > 0 ? " " : "", name->text);
        }
        printf("]");
    }
    printf("%s\n", count == 0 ? " nobody" : "");
}

/* Who burns loses health. Names and health are columns, the fire is read by row. Only the rows that
 * are written are marked. */
static void fire_burn(stoa_query *burning) {
    for (stoa_iter it = stoa_query_iter(burning); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            Burning *fire = stoa_field_at_mut(&it, Burning, 1, i);
            Health *health = stoa_field_at_mut(&it, Health, 2, i);
            fire->turns--;
            health->points -= 10;
        }
    }
}

/* Which changes move the entity to another archetype? */
static void moves_print(stoa_world *w, stoa_entity e) {
    int32_t start = stoa_archetype_of(w, e);
    stoa_set(w, e, Burning, {3});
    printf("a sparse component %s\n", stoa_archetype_of(w, e) == start ? "stays" : "moves");
    stoa_enable(w, e, Lamp, false);
    printf("a switch %s\n", stoa_archetype_of(w, e) == start ? "stays" : "moves");
    stoa_enable(w, e, Lamp, true);
    stoa_add(w, e, Hero);
    printf("a tag %s\n", stoa_archetype_of(w, e) == start ? "stays" : "moves");
    stoa_remove(w, e, Hero);
    stoa_remove(w, e, Burning);
}

static void health_print(stoa_world *w, stoa_entity e) {
    printf("%s: %d health, lamp %s with %d oil, %s\n", stoa_get(w, e, Label)->text,
           stoa_get(w, e, Health)->points, stoa_enabled(w, e, Lamp) ? "on" : "off",
           stoa_get(w, e, Lamp)->oil, stoa_has(w, e, Burning) ? "burning" : "not burning");
}

int main(void) {
    static const Label names[] = {{"anna"}, {"bert"}, {"carl"}, {"dora"}, {"emil"}, {"fred"}};
    stoa_entity e[6];
    stoa_world *w = stoa_world_new(NULL);
    for (int i = 0; i < 6; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE_FROM(Label, &names[i]), STOA_VALUE(Health, {100}),
                                STOA_VALUE(Lamp, {5}));
    }
    moves_print(w, e[5]);

    printf("-- sparse: in a query like any other\n");
    stoa_set(w, e[0], Burning, {2});
    stoa_set(w, e[1], Burning, {1});
    stoa_set(w, e[4], Burning, {3});
    stoa_query *burning = stoa_query_new(
        w,
        &(stoa_query_desc){.terms = {STOA_READ(Label), STOA_WRITE(Burning), STOA_WRITE(Health)}});
    names_print("burning", burning);
    names_print("not burning", stoa_query_parse(w, "const Label, !Burning"));

    printf("-- switchable: who is off is passed over, and keeps the data\n");
    stoa_query *lit = stoa_query_parse(w, "const Label, const Lamp");
    names_print("lit", lit);
    stoa_enable(w, e[2], Lamp, false);
    names_print("lit, carl's lamp off", lit);
    names_print("dark", stoa_query_parse(w, "const Label, !Lamp"));
    names_print("all, cut where it changes", stoa_query_parse(w, "const Label, ?const Lamp"));

    printf("-- row ticks: which villagers were hurt, and nobody beside them\n");
    stoa_query *hurt = stoa_query_parse(w, "const Label, changed Health");
    names_print("the first run sees all", hurt);
    fire_burn(burning);
    names_print("hurt since", hurt);
    names_print("hurt since", hurt);

    printf("-- a clone has it all, and destroying ends it all\n");
    stoa_enable(w, e[0], Lamp, false);
    stoa_entity twin = stoa_clone(w, e[0]);
    health_print(w, twin);
    stoa_destroy(w, twin);
    stoa_destroy(w, e[0]);
    printf("still burning: %d\n", stoa_query_count(burning));
    stoa_world_free(w);
}
