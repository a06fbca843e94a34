/* Fuzzes deltas: whatever the bytes, they are refused or give the target they name, and any two
 * blocks of bytes have a delta that is exact.
 *
 * The first byte chooses. 0: the rest is a delta as it is. 1: it is what follows the header of one,
 * which is made to fit, so that checks of the header do not keep all bytes out. Else: the second
 * byte tells how much of the rest is a base, and what is left is a target. */
#include "fuzz.h"

#include <string.h>

#include "persist/delta.h"

#define BASE "a base that is copied from: 0123456789 0123456789 abcdefghijklmnopqrstuvwxyz"
#define BASE_SIZE (sizeof BASE - 1)
/* More than any input makes of this base by accident. */
#define SIZE_MOST (1u << 20)

static void delta_try(const uint8_t *delta, size_t size) {
    stoa_blob target = {0};
    stoa_delta_info info;
    stoa_error_clear();
    stoa_status verified = stoa_delta_verify(delta, size, &info);
    stoa_status status = stoa_delta_apply(BASE, BASE_SIZE, delta, size, SIZE_MOST, &target);
    if (status == STOA_OK) {
        CHECK(verified == STOA_OK);
        CHECK(target.size == info.target_size);
        CHECK(info.copied_size + info.literal_size == info.target_size);
        CHECK(info.literal_size <= size);
    } else {
        CHECK(status == STOA_CORRUPT || status == STOA_LIMIT);
        CHECK(target.size == 0);
        CHECK(stoa_last_error().status == status && stoa_last_error().message[0] != '\0');
    }
    stoa_blob_free(&target);
}

/* A header before the bytes: the first two tell the target's size. */
static void commands_try(const uint8_t *bytes, size_t size) {
    stoa_blob made = {0};
    const stoa_sink sink = stoa_blob_sink(&made);
    CHECK(stoa_delta_make(BASE, BASE_SIZE, "", 0, &made) == STOA_OK);
    CHECK(made.size == STOA__DELTA_HEADER);
    uint64_t target_size = size >= 2 ? (uint64_t)bytes[0] << 8 | bytes[1] : 0;
    bytes += size >= 2 ? 2 : 0;
    size -= size >= 2 ? 2 : 0;
    CHECK(stoa_sink_write(&sink, bytes, size) == STOA_OK);
    stoa__delta_word_put(made.data + 8, made.size, 8);
    stoa__delta_word_put(made.data + 32, target_size, 8);
    stoa__delta_word_put(made.data + STOA__DELTA_CHECKSUM,
                         stoa__delta_checksum(made.data, made.size), 8);
    delta_try(made.data, made.size);
    stoa_blob_free(&made);
}

static void bytes_try(const uint8_t *bytes, size_t size, uint8_t share) {
    size_t base_size = size * share / 255;
    stoa_blob delta = {0}, target = {0};
    size_t target_size = size - base_size;
    const uint8_t *wanted = bytes + base_size;
    CHECK(stoa_delta_make(bytes, base_size, wanted, target_size, &delta) == STOA_OK);
    CHECK(delta.size <= STOA__DELTA_HEADER + target_size + STOA__DELTA_NUMBER_MAX);
    CHECK(stoa_delta_apply(bytes, base_size, delta.data, delta.size, 0, &target) == STOA_OK);
    CHECK(target.size == target_size && memcmp(target.data, wanted, target_size) == 0);
    stoa_blob_free(&delta);
    stoa_blob_free(&target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 1u << 16) {
        return 0;
    }
    if (data[0] == 0) {
        delta_try(data + 1, size - 1);
    } else if (data[0] == 1) {
        commands_try(data + 1, size - 1);
    } else {
        bytes_try(data + 2, size - 2, data[1]);
    }
    return 0;
}
