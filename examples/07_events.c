/* Events: told at once to those who listen, kept for those who read later. */
#include <stdio.h>

#include <stoa.h>

STOA_COMPONENT(Health, { int32_t left; });
STOA_COMPONENT(Hit, { int32_t damage; });
STOA_COMPONENT(Died, { int32_t place; });
STOA_TAG(Alarm);

/* Hears every hit: the target is in the event. */
static void hit_apply(stoa_world *w, const stoa_event *event, void *user) {
    const Hit *hit = event->data;
    int32_t *dead = user;
    Health *health = stoa_try_get_mut(w, event->target, Health);
    if (health == NULL) {
        return;
    }
    health->left -= hit->damage;
    printf("  %d damage, %d left\n", hit->damage, health->left);
    if (health->left <= 0) {
        ++*dead;
        stoa_event_send_to(w, event->target, Died, {*dead});
        stoa_destroy(w, event->target);
    }
}

/* Hears only what is sent to the king. */
static void king_hit(stoa_world *w, const stoa_event *event, void *user) {
    (void)event;
    printf("  %s is under attack!\n", (const char *)user);
    stoa_event_send(w, Alarm, {0});
}

static void alarm_ring(stoa_world *w, const stoa_event *event, void *user) {
    (void)event;
    stoa_listener *self = user;
    printf("  the bells ring, once\n");
    stoa_listener_remove(w, *self);
}

/* Reads what has come in since it last looked. */
static void chronicle_write(stoa_reader *deaths) {
    stoa_event event;
    char text[STOA_ENTITY_TEXT_SIZE];
    while (stoa_event_read(deaths, &event)) {
        printf("  chronicle: %s fell as number %d\n",
               stoa_entity_print(event.target, text, sizeof text),
               ((const Died *)event.data)->place);
    }
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_entity king = stoa_create_with(w, STOA_VALUE(Health, {10}));
    stoa_entity guard = stoa_create_with(w, STOA_VALUE(Health, {5}));

    char name[] = "the king";
    stoa_listener_new(
        w, &(stoa_listener_desc){
               .type = STOA_TYPE_OF(Hit), .target = king, .call = king_hit, .user = name});
    int32_t dead = 0;
    stoa_event_listen(w, Hit, hit_apply, &dead);
    stoa_listener bells;
    bells = stoa_event_listen(w, Alarm, alarm_ring, &bells);
    stoa_reader *chronicle = stoa_reader_new(w, Died);
    stoa_reader *late = stoa_reader_new(w, Died);

    printf("blows are told at once, in the order in which listeners came\n");
    stoa_event_send_to(w, guard, Hit, {3});
    stoa_event_send_to(w, king, Hit, {4});
    stoa_event_send_to(w, guard, Hit, {9});
    printf("  %d lives\n", stoa_count(w));

    printf("readers come when they like, each at its own pace\n");
    chronicle_write(chronicle);
    stoa_event_send_to(w, king, Hit, {6});
    chronicle_write(chronicle);
    printf("  the other reader has %d to read\n", stoa_reader_count(late));
    chronicle_write(late);

    printf("a queue that nobody reads is bounded\n");
    stoa_reader *idle = stoa_reader_new(w, Alarm);
    stoa_event_limit(w, Alarm, 100);
    for (int i = 0; i < 1000; i++) {
        stoa_event_send(w, Alarm, {0});
    }
    printf("  %d kept, %d lost\n", stoa_reader_count(idle), (int)stoa_reader_lost(idle));
    stoa_world_free(w);
}
