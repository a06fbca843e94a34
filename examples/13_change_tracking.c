/* Change tracking: a screen that is redrawn only where something changed. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Label, { char text[12]; });
STOA_COMPONENT_WITH(Position, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t x; });
STOA_COMPONENT(Color, { int32_t shade; });

/* What the screen asks each frame. Each query has its own last run. */
typedef struct screen {
    stoa_query *come;
    stoa_query *moved;
    stoa_query *painted;
    uint32_t drawn; /* the tick of the last frame, for the log */
    int32_t frame;
} screen;

static screen screen_new(stoa_world *w) {
    return (screen){
        .come = stoa_query_parse(w, "const Label, added Position"),
        .moved =
            stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Label), STOA_READ(Position),
                                                           STOA_CHANGED(Position)}}),
        .painted = stoa_query_parse(w, "const Label, changed Color"),
        .drawn = stoa_tick(w),
    };
}

static void names_print(const char *title, stoa_query *query) {
    printf("  %s:", title);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Label *name = stoa_field(&it, Label, 0);
        for (int32_t i = 0; i < it.count; i++) {
            printf(" %s", name[i].text);
        }
    }
    printf("\n");
}

/* Entities that lost their position, and those that are no more. */
static void gone_print(stoa_world *w, uint32_t since) {
    char text[STOA_ENTITY_TEXT_SIZE];
    printf("  hidden:");
    for (stoa_log log = stoa_removed_since(w, Position, since); stoa_log_next(&log);) {
        printf(" %s", stoa_entity_print(log.entity, text, sizeof text));
    }
    printf("\n  destroyed:");
    stoa_log log = stoa_destroyed_since(w, since);
    while (stoa_log_next(&log)) {
        printf(" %s", stoa_entity_print(log.entity, text, sizeof text));
    }
    printf("%s\n", log.lost ? " and maybe others: draw everything anew" : "");
}

static void screen_draw(screen *s, stoa_world *w) {
    printf("frame %d\n", ++s->frame);
    names_print("come", s->come);
    names_print("moved", s->moved);
    names_print("painted", s->painted);
    gone_print(w, s->drawn);
    s->drawn = stoa_tick(w);
    stoa_tick_advance(w);
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_log_keep(w, 8);
    stoa_entity ball = stoa_create_with(w, STOA_VALUE(Label, {"ball"}), STOA_VALUE(Position, {1}),
                                        STOA_VALUE(Color, {1}));
    stoa_entity cube = stoa_create_with(w, STOA_VALUE(Label, {"cube"}), STOA_VALUE(Position, {2}),
                                        STOA_VALUE(Color, {2}));
    stoa_entity cone = stoa_create_with(w, STOA_VALUE(Label, {"cone"}), STOA_VALUE(Position, {3}),
                                        STOA_VALUE(Color, {3}));
    screen s = screen_new(w);
    screen_draw(&s, w);

    printf("-- nothing happened; reading marks nothing\n");
    (void)stoa_get(w, ball, Position);
    screen_draw(&s, w);

    printf("-- positions have a tick each, colors one for the chunk\n");
    stoa_get_mut(w, cube, Position)->x = 20;
    stoa_set(w, cube, Color, {9});
    screen_draw(&s, w);

    printf("-- one is hidden, one destroyed, one new\n");
    stoa_remove(w, ball, Position);
    stoa_destroy(w, cone);
    stoa_create_with(w, STOA_VALUE(Label, {"disk"}), STOA_VALUE(Position, {4}),
                     STOA_VALUE(Color, {4}));
    screen_draw(&s, w);

    printf("-- by handle, since a tick of your own\n");
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_set(w, cube, Position, {21});
    printf("cube changed: %s, added: %s\n", stoa_changed(w, cube, Position, before) ? "yes" : "no",
           stoa_added(w, cube, Position, before) ? "yes" : "no");
    for (stoa_iter it = stoa_query_iter_since(s.moved, before); stoa_iter_next(&it);) {
        printf("moved since: %s, to %d\n", stoa_field(&it, Label, 0)->text,
               stoa_field(&it, Position, 1)->x);
    }

    printf("-- more is destroyed than the log keeps\n");
    for (int i = 0; i < 5; i++) {
        stoa_destroy(w, stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Color)));
    }
    screen_draw(&s, w);
    stoa_world_free(w);
}
