/* Frames of a world: the ring, saving and going back.
 *
 * A frame is made aside, in a slot that the ring has more than it keeps, and counts once it is
 * complete; so a save that fails has changed nothing. Going back finds all the memory first. The
 * newest frame is the base that the next save is told by, until something changes the world in a
 * way that ticks and stamps do not tell: another ring of frames going back, the content being
 * replaced, or a sweep of old ticks. One thread at a time, that of the world. */
#include "world/frames.h"

#include "storage/entities.h"
#include "world/commands_buffer.h"

#include <string.h>

static stoa__frame *slot_of(const stoa_frames *frames, int64_t number) {
    return &frames->slots[(uint64_t)number % frames->slot_count];
}

/* Gives up what a frame has, but for what the one beside it has too; its arrays stay for the next
 * one. */
static void frame_clear(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside) {
    stoa__frame_records_free(frames, frame, beside);
    stoa__frame_rows_free(frames, frame, beside);
    stoa__frame_sparse_free(frames, frame);
    stoa__frame_values_free(frames, frame);
    stoa__frame_rest_free(frames, frame);
}

/* Gives up the oldest frame. */
static void first_clear(stoa_frames *frames) {
    stoa__frame *frame = slot_of(frames, frames->first++);
    frame_clear(frames, frame,
                frames->first < frames->next ? slot_of(frames, frames->first) : NULL);
}

static void frame_fini(stoa_frames *frames, stoa__frame *frame) {
    stoa__heap *heap = &frames->heap;
#define FREE(name)                                                                                 \
    stoa__heap_grow_free(heap, frame->name, frame->name##_capacity, sizeof *frame->name)
    FREE(records);
    FREE(archetypes);
    FREE(spans);
    FREE(sets);
    FREE(blocks);
    FREE(resources);
    FREE(queues);
    FREE(readers);
    FREE(buffers);
    FREE(runs);
    FREE(extensions);
#undef FREE
}

stoa_frames *stoa_frames_new(stoa_world *world, int32_t count) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (count < 1 || count > STOA_FRAMES_MAX) {
        stoa__world_report(world, stoa__error(STOA_INVALID, "a ring of %d frames, not 1 to %d",
                                              count, STOA_FRAMES_MAX));
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, &world->storage.heap.hooks);
    stoa_frames *frames = stoa__heap_zalloc(&heap, sizeof *frames, _Alignof(stoa_frames));
    stoa__frame *slots =
        stoa__heap_zalloc(&heap, ((size_t)count + 1) * sizeof *slots, _Alignof(stoa__frame));
    if (frames == NULL || slots == NULL || stoa__entities_stamp_all(&world->storage) != STOA_OK) {
        stoa__heap_free(&heap, frames, sizeof *frames, _Alignof(stoa_frames));
        stoa__heap_free(&heap, slots, ((size_t)count + 1) * sizeof *slots, _Alignof(stoa__frame));
        stoa__world_report(world, stoa__error_memory("a ring of frames"));
        return NULL;
    }
    *frames = (stoa_frames){
        .world = world, .heap = heap, .slots = slots, .slot_count = (uint32_t)count + 1};
    stoa__pages_init(&frames->pages, &frames->heap);
    frames->after = world->frames;
    world->frames = frames;
    return frames;
}

void stoa__frames_clear_all(stoa_world *world) {
    for (stoa_frames *at = world->frames; at != NULL; at = at->after) {
        (void)stoa_frames_clear(at, at->next);
    }
}

void stoa_frames_free(stoa_frames *frames) {
    if (frames == NULL) {
        return;
    }
    stoa_frames **at = &frames->world->frames;
    while (*at != frames) {
        at = &(*at)->after;
    }
    *at = frames->after;
    while (frames->first < frames->next) {
        first_clear(frames);
    }
    for (uint32_t i = 0; i < frames->slot_count; i++) {
        frame_fini(frames, &frames->slots[i]);
    }
    stoa__page_leave(&frames->pages, frames->aside);
    stoa__pages_fini(&frames->pages);
    stoa__heap_grow_free(&frames->heap, frames->touched, frames->touched_capacity,
                         sizeof *frames->touched);
    stoa__heap_grow_free(&frames->heap, frames->due, frames->due_capacity, sizeof *frames->due);
    stoa__heap heap = frames->heap;
    stoa__heap_free(&heap, frames->slots, frames->slot_count * sizeof *frames->slots,
                    _Alignof(stoa__frame));
    stoa__heap_free(&heap, frames, sizeof *frames, _Alignof(stoa_frames));
}

/* True if something is recorded that was not applied. */
static bool commands_pending(const stoa_world *world) {
    bool pending = world->buffers.deferred->count > 0 || world->storage.reserved_count > 0;
    for (const stoa_commands *c = world->buffers.first; c != NULL; c = c->next) {
        pending |= c->count > 0;
    }
    return pending;
}

/* True if a hook of a resource or an event is being called. */
static bool values_busy(const stoa_world *world) {
    bool busy = world->events.depth > 0;
    for (uint32_t i = 0; i < world->resources.capacity; i++) {
        busy |= world->resources.items[i].busy;
    }
    for (uint32_t i = 0; i < world->events.capacity; i++) {
        busy |= world->events.channels[i] != NULL && world->events.channels[i]->busy;
    }
    return busy;
}

/* STOA_OK if the world is at rest; otherwise reported. */
static stoa_status frames_may(const stoa_frames *frames, bool restore) {
    if (frames == NULL) {
        return stoa__world_null(NULL, "ring of frames");
    }
    const stoa_world *world = frames->world;
    uint32_t open = world->storage.head.open;
    if (restore && (open & STOA__OPEN_SEAL) != 0) {
        return stoa__world_read_only(world);
    }
    open &= ~STOA__OPEN_SEAL;
    stoa_status status = open != 0 ? stoa__world_busy(world) : STOA_OK;
    if (status != STOA_OK) {
        return status;
    }
    const char *what = restore ? "restored" : "saved";
    if (open != 0 || frames->busy || values_busy(world)) {
        return stoa__world_report(
            world, stoa__error(STOA_LOCKED, "a frame cannot be %s inside of a hook", what));
    }
    if (commands_pending(world)) {
        return stoa__world_report(
            world,
            stoa__error(STOA_INVALID, "a frame cannot be %s while commands are recorded", what));
    }
    return STOA_OK;
}

/* Keeps hooks of values from changing the world while they are called. */
static void world_hold(stoa_frames *frames, const char *what) {
    frames->busy = true;
    frames->world->held = what;
    frames->world->storage.head.open |= STOA__OPEN_HELD;
}

static void world_release(stoa_frames *frames) {
    frames->world->storage.head.open &= ~STOA__OPEN_HELD;
    frames->world->held = NULL;
    frames->busy = false;
}

/* Forgets the base if the world cannot be told by it. */
static void base_check(stoa_frames *frames) {
    if (frames->upheavals != frames->world->storage.upheavals) {
        frames->base = NULL;
    }
}

/* Makes a frame, or a part of one if it fails. The thread's error is set. */
static stoa_status frame_fill(stoa_frames *frames, stoa__frame *frame) {
    stoa_status status = stoa__frame_touch(frames);
    if (status == STOA_OK) {
        status = stoa__frame_records_save(frames, frame);
    }
    if (status == STOA_OK) {
        status = stoa__frame_rows_save(frames, frame);
    }
    if (status == STOA_OK) {
        status = stoa__frame_sparse_save(frames, frame);
    }
    if (status == STOA_OK) {
        status = stoa__frame_values_save(frames, frame);
    }
    return status == STOA_OK ? stoa__frame_rest_save(frames, frame) : status;
}

/* The frame is the base from now on. */
static void base_set(stoa_frames *frames, const stoa__frame *frame) {
    frames->base = frame;
    frames->upheavals = frames->world->storage.upheavals;
}

stoa_status stoa_frames_save(stoa_frames *frames) {
    stoa_status status = frames_may(frames, false);
    if (status != STOA_OK) {
        return status;
    }
    stoa__frame *frame = slot_of(frames, frames->next);
    base_check(frames);
    world_hold(frames, "being saved");
    stoa__pages_begin(&frames->pages);
    status = frame_fill(frames, frame);
    stoa__pages_end();
    if (status != STOA_OK) {
        frame_clear(frames, frame, frames->base);
        world_release(frames);
        return stoa__world_report(frames->world, status);
    }
    base_set(frames, frame);
    frames->base_stamp = ++frames->world->storage.stamp;
    frames->next++;
    if (frames->next - frames->first == (int64_t)frames->slot_count) {
        first_clear(frames);
    }
    world_release(frames);
    return STOA_OK;
}

/* Finds the memory that going back needs. */
static stoa_status frame_reserve(stoa_frames *frames, const stoa__frame *frame) {
    stoa_status status = stoa__frame_extensions_reserve(frames);
    if (status == STOA_OK) {
        status = stoa__frame_rows_reserve(frames, frame);
    }
    if (status == STOA_OK) {
        status = stoa__frame_sparse_reserve(frames, frame);
    }
    return status == STOA_OK ? stoa__frame_values_reserve(frames, frame) : status;
}

/* Goes back; the memory is there. Returns what extensions come to. */
static stoa_status frame_put(stoa_frames *frames, stoa__frame *frame) {
    stoa_world *world = frames->world;
    world_release(frames);
    stoa__frame_extensions_reset(frames, frame);
    world_hold(frames, "being restored");
    stoa__frame_rows_restore(frames, frame);
    stoa__frame_sparse_restore(frames, frame);
    stoa__frame_values_restore(frames, frame);
    stoa__frame_rest_restore(frames, frame);
    stoa__pages_unstage(&frames->pages);
    stoa__frame_sparse_purge(frames);
    world_release(frames);
    stoa_status status = stoa__frame_extensions_load(frames, frame);
    stoa__frame_managed_restore(frames, frame);
    /* Loading may have moved the tick on, or marked what it wrote. */
    world->storage.head.tick = frame->tick;
    world->storage.upheavals++;
    return status;
}

/* STOA_OK if there is such a frame; otherwise reported. */
static stoa_status number_check(const stoa_frames *frames, int64_t number) {
    if (number >= frames->first && number < frames->next) {
        return STOA_OK;
    }
    return stoa__world_report(
        frames->world,
        frames->first == frames->next
            ? stoa__error(STOA_NOT_FOUND, "there is no frame %lld: none is kept", (long long)number)
            : stoa__error(
                  STOA_NOT_FOUND, "there is no frame %lld: those from %lld to %lld are kept",
                  (long long)number, (long long)frames->first, (long long)frames->next - 1));
}

stoa_status stoa_frames_restore(stoa_frames *frames, int64_t number, bool *restored) {
    bool ignored = false;
    restored = restored != NULL ? restored : &ignored;
    *restored = false;
    stoa_status status = frames_may(frames, true);
    if (status == STOA_OK) {
        status = number_check(frames, number);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__frame *frame = slot_of(frames, number);
    base_check(frames);
    world_hold(frames, "being restored");
    status = frame_reserve(frames, frame);
    if (status != STOA_OK) {
        stoa__frame_values_unreserve(frames);
        stoa__pages_unstage(&frames->pages);
        world_release(frames);
        return stoa__world_report(frames->world, status);
    }
    status = frame_put(frames, frame);
    *restored = true;
    base_set(frames, frame);
    while (frames->next > number + 1) {
        frames->next--;
        frame_clear(frames, slot_of(frames, frames->next), slot_of(frames, frames->next - 1));
    }
    return stoa__world_report(frames->world, status);
}

int64_t stoa_frames_first(const stoa_frames *frames) {
    return frames != NULL && frames->first < frames->next ? frames->first : -1;
}

int64_t stoa_frames_last(const stoa_frames *frames) {
    return frames != NULL && frames->first < frames->next ? frames->next - 1 : -1;
}

int32_t stoa_frames_count(const stoa_frames *frames) {
    return frames != NULL ? (int32_t)(frames->next - frames->first) : 0;
}

int64_t stoa_frames_next(const stoa_frames *frames) {
    return frames != NULL ? frames->next : 0;
}

stoa_status stoa_frames_clear(stoa_frames *frames, int64_t next) {
    if (frames == NULL) {
        return stoa__world_null(NULL, "ring of frames");
    }
    if (next < 0 || frames->busy) {
        return stoa__world_report(
            frames->world,
            next < 0 ? stoa__error(STOA_INVALID, "a frame of number %lld", (long long)next)
                     : stoa__error(STOA_LOCKED, "frames cannot be cleared inside of a hook"));
    }
    while (frames->first < frames->next) {
        first_clear(frames);
    }
    frames->base = NULL;
    frames->first = frames->next = next;
    return STOA_OK;
}

size_t stoa_frames_bytes(const stoa_frames *frames) {
    return frames != NULL ? frames->heap.used + frames->pages.scratch.capacity : 0;
}
