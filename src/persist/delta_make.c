/* Making deltas: the target as runs of the base and bytes of its own.
 *
 * The maker goes along the target with a place in the base beside it. While the two agree nothing
 * is told. Where they do not, it first looks a little ahead in both, as values change in place; if
 * that fails, or what agrees comes in crumbs only, the place in the base is wrong, since rows were
 * added or removed before it: then the next bytes are looked for in an index of all blocks, which
 * is built the first time that it is needed.
 * Both are hashed a little before they are compared, so that memory is read once.
 * Each byte of the target is looked at a bounded number of times: O(base + target). */
#include "persist/delta.h"

#include "base/error.h"

/* Bytes that have to agree before a copy is worth its command. */
#define RUN_LEAST 8u
/* How far is looked ahead with the place in the base as it is. */
#define AHEAD 128u
/* How far is looked ahead for a better place. */
#define BETTER_AHEAD 128u
/* Bytes that have to agree for a place to be better. */
#define BETTER_LEAST 96u
/* A difference costs so much trust in the place, of which each byte that agrees gives one back;
 * when so much is lost a better place is looked for, and not again before so many bytes. */
#define TRUST_COST 32
#define TRUST_LOST 160
#define TRUST_PAUSE 2048
/* Bytes that have to agree for a shift to be remembered when others are tried. */
#define HOME_LEAST 256u
/* The last bytes of a target are not worth an index: a snapshot ends with a checksum. */
#define REST_MOST 64u
/* Compared at once. */
#define STEP_LARGE 512u

typedef struct maker {
    const uint8_t *base;
    size_t base_size;
    const uint8_t *target;
    size_t target_size;
    stoa__delta_walk base_walk;
    stoa__delta_walk target_walk;
    size_t told;   /* bytes of the target that commands were made of */
    size_t cursor; /* the place in the base beside them */
    size_t at;     /* of the target, under way */
    size_t shift;  /* to be added, modulo 2^n, for the place in the base */
    size_t home;   /* the last shift that much agreed with */
    int64_t lost;  /* trust */
    stoa_sink sink;
    stoa__delta_index index;
} maker;

/* Hashes a part more of both, if what is compared next is past what is hashed. */
static void maker_walk(maker *m, size_t at) {
    if (at >= m->target_walk.hashed) {
        size_t end = at + STOA__DELTA_PART;
        stoa__delta_walk_to(&m->target_walk, end < m->target_size ? end : m->target_size);
        stoa__delta_walk_to(&m->base_walk, end < m->base_size ? end : m->base_size);
    }
}

/* The bytes from `at` on that are in the base, with a shift. */
static size_t maker_run(maker *m, size_t at, size_t shift) {
    size_t from = at + shift;
    if (from >= m->base_size) {
        return 0;
    }
    size_t most = m->target_size - at;
    most = most < m->base_size - from ? most : m->base_size - from;
    const uint8_t *a = m->base + from;
    const uint8_t *b = m->target + at;
    size_t i = 0;
    for (; most - i >= STEP_LARGE; i += STEP_LARGE) {
        maker_walk(m, at + i);
        if (memcmp(a + i, b + i, STEP_LARGE) != 0) {
            break;
        }
    }
    while (most - i >= 8 && stoa__word(a + i) == stoa__word(b + i)) {
        i += 8;
    }
    while (i < most && a[i] == b[i]) {
        i++;
    }
    return i;
}

static stoa_status number_put(const maker *m, uint64_t number) {
    uint8_t bytes[STOA__DELTA_NUMBER_MAX];
    size_t size = 0;
    for (; number >= 0x80; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80);
    }
    bytes[size++] = (uint8_t)number;
    return stoa_sink_write(&m->sink, bytes, size);
}

/* Tells what was not told up to `at` as bytes, and then a copy of `run` bytes. */
static stoa_status command_put(maker *m, size_t run) {
    size_t literal = m->at - m->told;
    stoa_status status = number_put(m, literal);
    if (status == STOA_OK) {
        status = stoa_sink_write(&m->sink, m->target + m->told, literal);
    }
    size_t from = m->at + m->shift;
    uint64_t jump = (uint64_t)from - (uint64_t)(m->cursor + literal);
    jump = run > 0 ? jump : 0;
    if (status == STOA_OK) {
        status = number_put(m, (uint64_t)run << 1 | (jump != 0));
    }
    if (status == STOA_OK && jump != 0) {
        /* The sign is in the lowest bit, so that short ways back are short numbers, too. */
        status = number_put(m, jump << 1 ^ (0 - (jump >> 63)));
    }
    m->at += run;
    m->told = m->at;
    m->cursor = from + run;
    return status;
}

/* Looks ahead with the shift as it is; false if nothing agrees soon. */
static bool maker_look_ahead(maker *m) {
    size_t from = m->at + m->shift;
    if (from >= m->base_size) {
        return false;
    }
    size_t most = m->target_size - m->at;
    most = most < m->base_size - from ? most : m->base_size - from;
    most = most < AHEAD + RUN_LEAST ? most : AHEAD + RUN_LEAST;
    for (size_t i = 0; i + RUN_LEAST <= most; i++) {
        if (stoa__word(m->target + m->at + i) == stoa__word(m->base + from + i)) {
            m->at += i;
            return true;
        }
    }
    return false;
}

/* Takes a block that was found at `at` as the new place, from where it begins to agree. */
static void maker_move(maker *m, size_t at, size_t from) {
    while (at > m->told && from > 0 && m->target[at - 1] == m->base[from - 1]) {
        at--;
        from--;
    }
    m->at = at;
    m->shift = from - at;
    m->lost = 0;
}

/* Looks for a place where much agrees, if trust in this one is lost. */
static bool maker_look_better(maker *m) {
    size_t end = m->target_size - m->at < BETTER_AHEAD ? m->target_size : m->at + BETTER_AHEAD;
    for (size_t at = m->at; at + STOA__DELTA_BLOCK <= end; at++) {
        size_t from;
        if (stoa__delta_index_find(&m->index, m->target + at, &from) && from - at != m->shift &&
            maker_run(m, at, from - at) >= BETTER_LEAST) {
            maker_move(m, at, from);
            return true;
        }
    }
    m->lost = -TRUST_PAUSE;
    return false;
}

/* Goes on to where anything agrees, at home or elsewhere; else to the end. */
static void maker_look_on(maker *m) {
    size_t at = m->at;
    size_t seen = m->home == m->shift ? at + AHEAD : at;
    for (; m->target_size - at >= STOA__DELTA_BLOCK; at++) {
        const uint8_t *bytes = m->target + at;
        size_t from = at + m->home;
        if (from < m->base_size && m->base_size - from >= RUN_LEAST && at >= seen &&
            stoa__word(bytes) == stoa__word(m->base + from)) {
            m->at = at;
            m->shift = m->home;
            return;
        }
        if (stoa__delta_index_find(&m->index, bytes, &from)) {
            maker_move(m, at, from);
            return;
        }
    }
    m->at = m->target_size;
}

/* At a difference: finds where to go on. */
static stoa_status maker_find(maker *m) {
    m->lost += TRUST_COST;
    bool trusted = m->lost < TRUST_LOST;
    if (trusted && maker_look_ahead(m)) {
        return STOA_OK;
    }
    if (m->index.bits == 0) {
        if (m->target_size - m->at <= REST_MOST) {
            m->at = m->target_size;
            return STOA_OK;
        }
        stoa_status status = stoa__delta_index_build(&m->index);
        if (status != STOA_OK) {
            return status;
        }
    }
    if (!trusted && (maker_look_better(m) || maker_look_ahead(m))) {
        return STOA_OK;
    }
    maker_look_on(m);
    return STOA_OK;
}

/* A run that agrees gives trust back. */
static void maker_trust(maker *m, size_t run) {
    int64_t bytes = run < TRUST_PAUSE ? (int64_t)run : TRUST_PAUSE;
    if (m->lost > 0) {
        m->lost = m->lost > bytes ? m->lost - bytes : 0;
    } else {
        m->lost = m->lost < -bytes ? m->lost + bytes : 0;
    }
    m->home = run >= HOME_LEAST ? m->shift : m->home;
}

static stoa_status maker_go(maker *m) {
    stoa_status status = STOA_OK;
    while (m->at < m->target_size && status == STOA_OK) {
        size_t run = maker_run(m, m->at, m->shift);
        if (run >= RUN_LEAST) {
            maker_trust(m, run);
            status = command_put(m, run);
        } else {
            status = maker_find(m);
        }
    }
    return status == STOA_OK && m->at > m->told ? command_put(m, 0) : status;
}

static void header_fill(uint8_t *delta, size_t size, maker *m) {
    stoa__delta_word_put(delta, STOA__DELTA_MAGIC, 4);
    stoa__delta_word_put(delta + 4, STOA_DELTA_VERSION, 4);
    stoa__delta_word_put(delta + 8, size, 8);
    stoa__delta_word_put(delta + 16, m->base_size, 8);
    stoa__delta_word_put(delta + 24, stoa__delta_walk_hash(&m->base_walk), 8);
    stoa__delta_word_put(delta + 32, m->target_size, 8);
    stoa__delta_word_put(delta + 40, stoa__delta_walk_hash(&m->target_walk), 8);
    stoa__delta_word_put(delta + STOA__DELTA_CHECKSUM, stoa__delta_checksum(delta, size), 8);
}

stoa_status stoa_delta_make(const void *base, size_t base_size, const void *target,
                            size_t target_size, stoa_blob *delta) {
    if (delta == NULL || (base == NULL && base_size > 0) || (target == NULL && target_size > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "a base, a target and a blob are needed");
    }
    stoa_status status = stoa__delta_apart(delta, base, base_size);
    status = status == STOA_OK ? stoa__delta_apart(delta, target, target_size) : status;
    if (status != STOA_OK) {
        return status;
    }
    stoa_allocator plain = stoa_allocator_default();
    stoa__heap heap;
    stoa__heap_init(&heap, delta->allocator != NULL ? delta->allocator : &plain);
    maker m = {.base = base,
               .base_size = base_size,
               .target = target,
               .target_size = target_size,
               .base_walk = stoa__delta_walk_new(base, base_size),
               .target_walk = stoa__delta_walk_new(target, target_size),
               .sink = stoa_blob_sink(delta),
               .index = {.heap = &heap, .base = base, .base_size = base_size}};
    size_t begin = delta->size;
    uint8_t header[STOA__DELTA_HEADER] = {0};
    status = stoa_sink_write(&m.sink, header, sizeof header);
    status = status == STOA_OK ? maker_go(&m) : status;
    stoa__delta_index_free(&m.index);
    if (status != STOA_OK) {
        delta->size = begin;
        return status;
    }
    header_fill(delta->data + begin, delta->size - begin, &m);
    return STOA_OK;
}
