/* Snapshots, as the files that write and read them see them; docs/snapshot-format.md says what the
 * bytes mean.
 *
 * A writer puts bytes to a sink, or to memory, or only counts them: a section is written by one
 * function, which is asked twice, first for how much it will be. A cursor takes bytes from memory
 * and never goes past their end. */
#ifndef STOA_PERSIST_SNAPSHOT_H
#define STOA_PERSIST_SNAPSHOT_H

#include "base/hash.h"
#include "persist/schema.h"
#include "stoa/rebuild.h"
#include "stoa/snapshot.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define STOA__LITTLE 0
#else
#define STOA__LITTLE 1
#endif

#define STOA__SNAPSHOT_MAGIC UINT32_C(0x00534345)
#define STOA__SNAPSHOT_HEADER 40
#define STOA__SECTION_HEAD 16
#define STOA__SECTION_NAME_MAX 255
/* Sections and their bodies begin at multiples of this. */
#define STOA__SNAPSHOT_UNIT 8
/* Snapshots of that size do not stay in the caches. */
#define STOA__SNAPSHOT_FAR ((uint64_t)16 << 20)

/* Flags of a section. */
#define STOA__SECTION_REQUIRED 1u
#define STOA__SECTION_EXTENSION 2u

/* What a section is, in the order that they come in. */
typedef enum stoa__section_kind {
    STOA__SECTION_SCHEMA,
    STOA__SECTION_SLOTS,
    STOA__SECTION_TICK,
    STOA__SECTION_ARCHETYPE,
    STOA__SECTION_SPARSE,
    STOA__SECTION_TICKS,
    STOA__SECTION_RESOURCES,
    STOA__SECTION_RESOURCE_TICKS,
    STOA__SECTION_LOG,
    STOA__SECTION_EVENTS,
    STOA__SECTION_APP,
    STOA__SECTION_OF_EXTENSION,
    STOA__SECTION_OTHER /* not known, and not required */
} stoa__section_kind;

/* The name of a section by kind, of those that have one. */
extern const char *const stoa__section_names[STOA__SECTION_OF_EXTENSION];

/* Bytes that make a size a multiple of the unit. */
static inline uint32_t stoa__snapshot_padding(uint64_t size) {
    return (uint32_t)(-size % STOA__SNAPSHOT_UNIT);
}

/* Bytes of a whole section. */
static inline uint64_t stoa__section_size(uint32_t name_size, uint64_t body_size) {
    return STOA__SECTION_HEAD + (uint64_t)name_size + stoa__snapshot_padding(name_size) +
           body_size + stoa__snapshot_padding(body_size) + sizeof(uint64_t);
}

/* The header, as numbers. */
typedef struct stoa__snapshot_header {
    uint32_t version;
    uint32_t section_count;
    uint32_t archetype_count;
    uint32_t slot_count;
    uint32_t entity_count;
    uint64_t size;
} stoa__snapshot_header;

/* Where bytes are put. */
typedef struct stoa__output {
    uint8_t *begin; /* memory that is filled; NULL: bytes are only counted */
    uint8_t *at;
    uint8_t *end;
    bool far;              /* it is too large for the caches */
    const stoa_sink *sink; /* where it goes once it is full; NULL: it holds everything */
    stoa__hasher checksum;
    uint64_t size;      /* bytes put so far */
    stoa_status status; /* of the first failure; nothing is put after it */
} stoa__output;

void stoa__output_put(stoa__output *output, const void *bytes, size_t size);
void stoa__output_u8(stoa__output *output, uint8_t number);
void stoa__output_u32(stoa__output *output, uint32_t number);
void stoa__output_u64(stoa__output *output, uint64_t number);
void stoa__output_u32s(stoa__output *output, const uint32_t *numbers, size_t count);
void stoa__output_zeros(stoa__output *output, uint32_t count);

/* Hands what is left to the sink. */
stoa_status stoa__output_flush(stoa__output *output);

/* A sink that puts to an output. */
stoa_sink stoa__output_sink(stoa__output *output);

/* Begins a section whose body will have that size; ends one. */
void stoa__output_section(stoa__output *output, const char *name, uint32_t flags,
                          uint64_t body_size);
void stoa__output_section_end(stoa__output *output, uint64_t body_size);

void stoa__output_header(stoa__output *output, const stoa__snapshot_header *header);

/* Bytes that are taken one after the other. */
typedef struct stoa__cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool failed; /* more was asked for than there was: what is taken since is zero, or NULL */
} stoa__cursor;

const void *stoa__cursor_take(stoa__cursor *cursor, uint64_t size);
uint8_t stoa__cursor_u8(stoa__cursor *cursor);
uint32_t stoa__cursor_u32(stoa__cursor *cursor);
uint64_t stoa__cursor_u64(stoa__cursor *cursor);

/* A count of things that take at least `size` bytes each: fails if they cannot be there. */
uint32_t stoa__cursor_count(stoa__cursor *cursor, uint32_t size);

static inline uint64_t stoa__cursor_left(const stoa__cursor *cursor) {
    return (uint64_t)(cursor->end - cursor->at);
}

/* Numbers that stand in bytes, least byte first. */
static inline uint32_t stoa__read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline uint64_t stoa__read_u64(const uint8_t *bytes) {
    return stoa__read_u32(bytes) | (uint64_t)stoa__read_u32(bytes + 4) << 32;
}

/* A section as it stands in memory. */
typedef struct stoa__section {
    stoa__section_kind kind;
    char name[STOA__SECTION_NAME_MAX + 1];
    uint32_t name_size;
    uint32_t flags;
    const uint8_t *body;
    uint64_t body_size;
} stoa__section;

/* Reads a header out of its bytes. `checked`: the checksum must be right. */
stoa_status stoa__snapshot_header_read(stoa__snapshot_header *header, const uint8_t *bytes,
                                       bool checked);

/* Reads the head of a section of a snapshot that goes on for `left` bytes, and with it how large
 * the section is from there to its end. Fewer bytes than a head has are not looked at. */
stoa_status stoa__section_head_read(stoa__section *section, const uint8_t *bytes, uint64_t left,
                                    uint64_t *size);

/* Reads a section whose head was read, and all of whose bytes are there. */
stoa_status stoa__section_read(stoa__section *section, const uint8_t *bytes);

/* True if the checksum of a section of that size is right. */
bool stoa__section_sound(const uint8_t *bytes, uint64_t size);

/* Fails for one whose checksum is wrong. */
stoa_status stoa__section_damaged(const stoa__section *section);

/* Where a reader of sections is: tells which may come next. */
typedef struct stoa__order {
    stoa__section_kind last; /* of the sections so far that are known, but for `ticks` */
    char extension[STOA__SECTION_NAME_MAX + 1]; /* the last one */
    uint32_t section_count;
    uint32_t archetype_count;
    bool any;       /* there was a section */
    bool tick;      /* there was a `tick` */
    bool ticks_due; /* a `ticks` may follow */
} stoa__order;

/* Counts a section, which may not come now: STOA_CORRUPT. */
stoa_status stoa__order_next(stoa__order *order, const stoa__section *section);

/* STOA_CORRUPT unless all sections came that the header and the format ask for. */
stoa_status stoa__order_end(const stoa__order *order, const stoa__snapshot_header *header);

/* stoa_snapshot_load_memory and stoa_snapshot_load for fuzzing: with `checked` false checksums are
 * not looked at, so that damage reaches what is behind them. */
stoa_status stoa__snapshot_load_bytes(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                      const void *bytes, size_t size, bool checked);
stoa_status stoa__snapshot_load_stream(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                       const stoa_source *source, bool checked);

#endif
