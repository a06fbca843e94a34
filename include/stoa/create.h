/* Making entities without a call: the part of stoa_create_with that is compiled into the caller.
 *
 * A world remembers the bundles that entities were made with. If one has a few plain components of
 * up to four words, and nobody wants to be told of such entities, all that is left to do is to take
 * a slot and a row and to write the values, whose sizes the compiler knows. Whatever is not so is
 * done by a call.
 *
 * The structs below are prefixes of the library's own, like those of fast.h: their layout is part
 * of the binary interface. What is not in the heads of fast.h has other names there, so it is read
 * and written as bytes. */
#ifndef STOA_CREATE_H
#define STOA_CREATE_H

#include "stoa/fast.h"

STOA_BEGIN

/// Bundles that a world remembers, a power of two.
#define STOA_BUNDLES 16

/// The largest value that is written without a call, in bytes.
#define STOA_WORDS_SIZE 16

/// A bundle that entities were made with, and where its values go.
typedef struct stoa_bundle {
    uint32_t slots[STOA_CREATE_FEW];   ///< of the descriptors, in the order they are named
    uint32_t sizes;                    ///< STOA_SIZES of the values; 0: nothing is remembered
    uint32_t open;                     ///< 0, as in a world whose structure may change
    uint32_t epoch;                    ///< of the world, when this was noted
    stoa_archetype_front *target;      ///< where the entities go
    stoa_chunk *chunk;                 ///< the last one of it, when this was noted
    uint8_t *columns[STOA_CREATE_FEW]; ///< of the chunk: where the values go
    uint8_t *entities;                 ///< of the chunk
    uint64_t *rows;                    ///< of the archetype: see STOA_ROW_CAME
    int32_t capacity;                  ///< rows of the chunk
    uint32_t unused;                   ///< 0
    uint64_t reserved[5];              ///< 0
} stoa_bundle;

/// Set in the sizes of a bundle that only calls may make use of: records are to be stamped.
#define STOA_SIZES_STAMPED 0x80000000u

/// Sizes of up to three values, and how many they are, as one number.
#define STOA_SIZES(count, first, second, third)                                                    \
    ((uint32_t)(count) << 24 | (uint32_t)(third) << 16 | (uint32_t)(second) << 8 |                 \
     (uint32_t)(first))

/// What a new row adds to what is known of the rows of its archetype.
/// The lower half is how many there are, the upper one how often some came or changed places. See
/// stoa_query_version.
#define STOA_ROW_CAME (((uint64_t)1 << 32) + 1)

/// The part of a world that creation reads and writes.
typedef struct stoa_world_front {
    stoa_world_head head;              ///< what the fast paths read
    uint32_t free_first;               ///< the first dead slot; others follow by `mixed`; 0: none
    uint32_t free_count;               ///< dead slots
    uint32_t record_capacity;          ///< slots that there is room for
    uint32_t reserved;                 ///< not for programs
    uint64_t *rows;                    ///< by the archetype's index: see STOA_ROW_CAME
    stoa_bundle bundles[STOA_BUNDLES]; ///< see stoa_bundle_at
} stoa_world_front;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
/// Reads a number as bytes. In a value it may be padding, which nobody has written.
static inline uint32_t stoa_number_read(const void *from) {
    uint32_t number;
    memcpy(&number, from, sizeof number);
    return number;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Writes a number as bytes.
static inline void stoa_number_write(void *to, uint32_t number) {
    memcpy(to, &number, sizeof number);
}

/// Where in the list a bundle is remembered that starts with a descriptor, in bytes.
/// That goes by where the descriptor is, which a program knows without a look at memory.
static inline uint32_t stoa_bundle_at(const stoa_type *first, int32_t count) {
    const uint32_t size = (uint32_t)sizeof(stoa_bundle);
    return ((uint32_t)(uintptr_t)first + 5 * (uint32_t)count * size) & (STOA_BUNDLES - 1) * size;
}

/// The row that the next entity of a bundle gets.
typedef struct stoa_room {
    stoa_chunk *chunk; ///< the last of its archetype
    size_t row;        ///< in the chunk
} stoa_room;

/// Finds the next row of a bundle that is good; false if there is none, or in another chunk.
STOA_FORCED bool stoa_room_find(const stoa_bundle *bundle, stoa_room *room) {
    memcpy(&room->chunk, &bundle->target->tail, sizeof room->chunk);
    room->row = (uint32_t)room->chunk->count;
    return STOA_LIKELY(room->chunk == bundle->chunk && (int32_t)room->row < bundle->capacity);
}

/// Gives a row, whose values are written, to a new entity. Marks no column.
/// False, and nothing done, if there is no slot for it.
STOA_FORCED bool stoa_room_take(stoa_world_front *w, const stoa_bundle *bundle,
                                const stoa_room *room, stoa_entity *e) {
    stoa_world_head *head = &w->head;
    stoa_chunk *chunk = room->chunk;
    uint32_t index = stoa_number_read(&w->free_first);
    uint64_t handle;
    if (STOA_LIKELY(index != 0)) {
        uint64_t record = stoa_bits_read(&head->records[index]);
        handle = stoa_record_tenant(record, index);
        /* By a store of its own, since the next creation waits for it: compilers would join it with
         * that of the count, in a register of another kind. */
        *(volatile uint32_t *)&w->free_first = stoa_record_next(record);
        stoa_number_write(&w->free_count, stoa_number_read(&w->free_count) - 1);
    } else {
        index = head->record_count;
        if (!STOA_LIKELY(index < stoa_number_read(&w->record_capacity))) {
            return false;
        }
        head->record_count = index + 1;
        handle = STOA_JOIN(index, 1u);
    }
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)room->row;
    uint64_t home = stoa_record_home(handle, place);
    memcpy(&head->records[index], &home, sizeof home);
    chunk->count = (int32_t)room->row + 1;
    *bundle->rows += STOA_ROW_CAME;
    memcpy(bundle->entities + room->row * sizeof handle, &handle, sizeof handle);
    memcpy(e, &handle, sizeof handle);
    return true;
}

/// Marks a column as written and added to; `ticks` has the tick twice.
STOA_FORCED void stoa_column_fresh(uint8_t *column, uint64_t ticks) {
    memcpy(column - sizeof ticks, &ticks, sizeof ticks);
}

/// A component of a small bundle.
typedef struct stoa_piece {
    stoa_type *type;  ///< the described type
    const void *data; ///< the value; NULL: zeros
    uint32_t size;    ///< of the type, a number of whole words
} stoa_piece;

/// A value, word by word.
typedef struct stoa_words {
    uint32_t word[STOA_WORDS_SIZE / 4]; ///< as many as its size says
} stoa_words;

/// Reads a value. Words, since a value was mostly written a moment ago, member by member.
STOA_FORCED stoa_words stoa_words_read(stoa_piece piece) {
    stoa_words words = {{0, 0, 0, 0}};
    const uint8_t *from = (const uint8_t *)piece.data;
    if (from != NULL) {
        words.word[0] = piece.size >= 4 ? stoa_number_read(from) : 0;
        words.word[1] = piece.size >= 8 ? stoa_number_read(from + 4) : 0;
        words.word[2] = piece.size >= 12 ? stoa_number_read(from + 8) : 0;
        words.word[3] = piece.size >= 16 ? stoa_number_read(from + 12) : 0;
    }
    return words;
}

/// Writes a value.
STOA_FORCED void stoa_words_write(stoa_words words, uint8_t *to, uint32_t size) {
    if (size >= 4) {
        stoa_number_write(to, words.word[0]);
    }
    if (size >= 8) {
        stoa_number_write(to + 4, words.word[1]);
    }
    if (size >= 12) {
        stoa_number_write(to + 8, words.word[2]);
    }
    if (size >= 16) {
        stoa_number_write(to + 12, words.word[3]);
    }
}

/// True if a bundle is the one of these pieces and is good now.
STOA_FORCED bool stoa_bundle_fits(const stoa_world_head *head, const stoa_bundle *bundle,
                                  int32_t count, stoa_piece a, stoa_piece b, stoa_piece c) {
    return STOA_LIKELY(bundle->sizes == STOA_SIZES(count, a.size, b.size, c.size) &&
                       bundle->slots[0] == stoa_peek32(&a.type->slot) &&
                       (count < 2 || bundle->slots[1] == stoa_peek32(&b.type->slot)) &&
                       (count < 3 || bundle->slots[2] == stoa_peek32(&c.type->slot)) &&
                       stoa_bits_read(&bundle->open) == stoa_bits_read(&head->open));
}

/// Makes an entity without a call; false, and nothing done, if it takes one.
/// Values are read before anything is written: a compiler that sees how they came about need not
/// read them from memory. They are written before the row is anybody's.
STOA_FORCED bool stoa_fast_few(stoa_world *world, int32_t count, stoa_piece a, stoa_piece b,
                               stoa_piece c, stoa_entity *e) {
    if (!STOA_LIKELY(world != NULL)) {
        return false;
    }
    stoa_world_front *w = (stoa_world_front *)(void *)world;
    const stoa_bundle *bundle =
        (stoa_bundle *)(void *)((uint8_t *)w->bundles + stoa_bundle_at(a.type, count));
    stoa_room room;
    if (!stoa_bundle_fits(&w->head, bundle, count, a, b, c) || !stoa_room_find(bundle, &room)) {
        return false;
    }
    stoa_words first = stoa_words_read(a), second = stoa_words_read(b), third = stoa_words_read(c);
    uint8_t *const *columns = bundle->columns;
    stoa_words_write(first, columns[0] + room.row * a.size, a.size);
    if (count > 1) {
        stoa_words_write(second, columns[1] + room.row * b.size, b.size);
    }
    if (count > 2) {
        stoa_words_write(third, columns[2] + room.row * c.size, c.size);
    }
    if (!STOA_LIKELY(stoa_room_take(w, bundle, &room, e))) {
        return false;
    }
    uint64_t ticks = STOA_JOIN(w->head.tick, w->head.tick);
    for (int32_t i = 0; i < count; i++) {
        stoa_column_fresh(columns[i], ticks);
    }
    return true;
}

/// A value of a list as a piece.
STOA_FORCED stoa_piece stoa_piece_of(const stoa_value *v, int32_t count, int32_t i) {
    stoa_piece piece = {NULL, NULL, 0};
    if (i < count) {
        piece.type = v[i].type;
        piece.data = v[i].data;
        piece.size = v[i].id;
    }
    return piece;
}

/// Makes an entity with a bundle; see stoa_create_with.
/// The compiler knows what is in the list, so that little of this is left. What is, is the way that
/// makes the entity here and one call, to which the values of a small bundle travel in registers.
STOA_FORCED stoa_entity stoa_fast_create(stoa_world *world, const stoa_value *v, int32_t count) {
    bool typed = count > 0 && count <= STOA_CREATE_FEW, words = true;
    for (int32_t i = 0; typed && i < count; i++) {
        typed = v[i].type != NULL && v[i].op == STOA_PUT;
        words = words && v[i].id % 4 == 0 && v[i].id <= STOA_WORDS_SIZE;
    }
    if (!typed) {
        return stoa_create_values(world, v, count);
    }
    stoa_piece a = stoa_piece_of(v, count, 0), b = stoa_piece_of(v, count, 1),
               c = stoa_piece_of(v, count, 2);
    if (words) {
        stoa_entity e;
        if (STOA_LIKELY(stoa_fast_few(world, count, a, b, c, &e))) {
            return e;
        }
    }
    if (count == 1) {
        return stoa_create_one(world, a.type, a.data);
    }
    if (count == 2) {
        return stoa_create_two(world, a.type, a.data, b.type, b.data);
    }
    return stoa_create_three(world, a.type, a.data, b.type, b.data, c.type, c.data);
}

STOA_END

#endif
