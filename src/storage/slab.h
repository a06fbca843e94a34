/* Slabs: the memory that chunks are cut from. */
#ifndef STOA_STORAGE_SLAB_H
#define STOA_STORAGE_SLAB_H

#include "storage/storage.h"

/* Slabs are so large once a world is; for one block they may be up to STOA__SLAB_BLOCK_MAX. */
#define STOA__SLAB_SIZE (2u << 20)

/* Blocks from this size up to STOA__SLAB_BLOCK_MAX come from slabs, others straight from the heap.
 * One above STOA__SLAB_BLOCK_PART has a slab of its own: it should nearly fill that. */
#define STOA__SLAB_BLOCK_MIN (8u << 10)
#define STOA__SLAB_BLOCK_PART (512u << 10)
#define STOA__SLAB_BLOCK_MAX (8u << 20)

/* A block on a 64-byte boundary, or NULL. */
uint8_t *stoa__slab_alloc(stoa__storage *storage, size_t size);

/* Gives a block of that size back; its slab is kept for the next one. */
void stoa__slab_free(stoa__storage *storage, uint8_t *block, size_t size);

/* Bytes of the largest block of at least `least` that slabs have room for as they are, or 0. */
size_t stoa__slab_gap(stoa__storage *storage, size_t least);

/* Gives slabs that hold nothing back to the heap. */
void stoa__slab_trim(stoa__storage *storage);

/* Closes every slab with room to spare, so that new blocks go elsewhere, or opens all again. */
void stoa__slab_close(stoa__storage *storage);
void stoa__slab_open(stoa__storage *storage);

/* True if the block is in a closed slab. */
bool stoa__slab_closed(const stoa__storage *storage, const uint8_t *block, size_t size);

/* Frees all slabs; no block may be in use. */
void stoa__slab_fini(stoa__storage *storage);

/* Bytes held for chunks: slabs, and blocks that are in none. */
size_t stoa__slab_held(const stoa__storage *storage);

/* STOA_CORRUPT unless the maps are consistent and `used` granule bytes are in use. */
stoa_status stoa__slab_check(const stoa__storage *storage, size_t used);

/* What a block of that size takes in a slab, 0 if it is in none. */
size_t stoa__slab_footprint(size_t size);

#endif
