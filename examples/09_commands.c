/* Commands: a tick in which everybody loses health, and who has none left is destroyed while the
 * loop still runs. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Label, { char text[12]; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Poison, { int32_t strength; });
STOA_COMPONENT(Grave, {
    char text[12];
    int32_t tick;
});
STOA_TAG(Weak);

/* The poisoned lose health. The world cannot change its structure under the loop: what is to be
 * done is recorded. */
static void health_tick(stoa_world *w, stoa_query *poisoned, int32_t tick) {
    stoa_commands *c = stoa_deferred(w);
    for (stoa_iter it = stoa_query_iter(poisoned); stoa_iter_next(&it);) {
        const Label *name = stoa_field(&it, Label, 0);
        Health *health = stoa_field_mut(&it, Health, 1);
        const Poison *poison = stoa_field(&it, Poison, 2);
        for (int32_t i = 0; i < it.count; i++) {
            health[i].points -= poison[i].strength;
            if (health[i].points <= 0) {
                stoa_commands_destroy(c, it.entities[i]);
                /* The handle is good at once, for further commands. */
                stoa_entity grave = stoa_commands_create(c);
                Grave text = {.tick = tick};
                snprintf(text.text, sizeof text.text, "%s", name[i].text);
                stoa_commands_set_from(c, grave, Grave, &text);
            } else if (health[i].points < 5) {
                /* Both take one move. */
                stoa_commands_add(c, it.entities[i], Weak);
                stoa_commands_set(c, it.entities[i], Poison, {1});
            }
        }
    }
    printf("tick %d: %d commands", tick, stoa_commands_count(c));
    stoa_flush(w);
    printf(", %d alive\n", stoa_query_count(poisoned));
}

static void world_print(stoa_world *w) {
    stoa_query_desc living = {.terms = {STOA_READ(Label), STOA_READ(Health)}};
    for (stoa_iter it = stoa_query_once(w, &living); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            printf("  %s has %d%s\n", stoa_field(&it, Label, 0)[i].text,
                   stoa_field(&it, Health, 1)[i].points,
                   stoa_has(w, it.entities[i], Weak) ? " and is weak" : "");
        }
    }
    stoa_query_desc graves = {.terms = {STOA_READ(Grave)}};
    for (stoa_iter it = stoa_query_once(w, &graves); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            const Grave *grave = &stoa_field(&it, Grave, 0)[i];
            printf("  %s died in tick %d\n", grave->text, grave->tick);
        }
    }
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_create_with(w, STOA_VALUE(Label, {"ant"}), STOA_VALUE(Health, {2}),
                     STOA_VALUE(Poison, {2}));
    stoa_create_with(w, STOA_VALUE(Label, {"bear"}), STOA_VALUE(Health, {20}),
                     STOA_VALUE(Poison, {7}));
    stoa_create_with(w, STOA_VALUE(Label, {"cat"}), STOA_VALUE(Health, {6}),
                     STOA_VALUE(Poison, {2}));
    stoa_query *poisoned = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_READ(Label), STOA_WRITE(Health), STOA_READ(Poison)}});
    for (int32_t tick = 1; tick <= 4; tick++) {
        health_tick(w, poisoned, tick);
    }
    world_print(w);

    printf("-- a buffer of its own, for somebody who may be gone by then\n");
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity last = stoa_query_first(poisoned);
    stoa_commands_set(c, last, Health, {100});
    stoa_destroy(w, last);
    stoa_commands_flush(c);
    printf("skipped: %lld\n", (long long)stoa_commands_skipped(c));

    printf("-- what is discarded never happens\n");
    stoa_entity never = stoa_commands_create_with(c, STOA_VALUE(Label, {"unicorn"}));
    printf("recorded: %d\n", stoa_commands_count(c));
    stoa_commands_clear(c);
    printf("recorded: %d, alive: %s\n", stoa_commands_count(c),
           stoa_alive(w, never) ? "yes" : "no");
    stoa_world_free(w);
}
