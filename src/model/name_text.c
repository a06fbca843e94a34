/* What a text must be to be a name: UTF-8, not empty, not too long.
 *
 * UTF-8 is read strictly: no form longer than need be, no surrogates, nothing beyond U+10FFFF. No
 * more is read of a text than a name may have. Linear in the length. Any thread. */
#include "model/name_text.h"

#include "base/error.h"
#include "stoa/name.h"

#include <string.h>

/* The bytes of the character that begins here; 0 if it is none. The byte after the
 * text is a zero, which continues nothing. */
static size_t character_size(const uint8_t *at) {
    /* For each first byte: how many follow, and the range of the first of those. */
    uint8_t low = 0x80, high = 0xBF;
    size_t size;
    if (at[0] < 0x80) {
        return 1;
    }
    if (at[0] >= 0xC2 && at[0] <= 0xDF) {
        size = 2;
    } else if (at[0] >= 0xE0 && at[0] <= 0xEF) {
        size = 3;
        low = at[0] == 0xE0 ? 0xA0 : low;
        high = at[0] == 0xED ? 0x9F : high;
    } else if (at[0] >= 0xF0 && at[0] <= 0xF4) {
        size = 4;
        low = at[0] == 0xF0 ? 0x90 : low;
        high = at[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

stoa_status stoa__name_text_check(const char *text, uint32_t *length) {
    if (text == NULL || text[0] == '\0') {
        return stoa__error(STOA_INVALID, "a name must have a text that is not empty");
    }
    const char *end = memchr(text, '\0', (size_t)STOA_NAME_LENGTH + 1);
    if (end == NULL) {
        return stoa__error(STOA_LIMIT, "the name '%.40s...' has more than %u bytes", text,
                           (unsigned)STOA_NAME_LENGTH);
    }
    for (const char *at = text; at < end;) {
        size_t size = character_size((const uint8_t *)at);
        if (size == 0) {
            return stoa__error(STOA_INVALID, "a name is no UTF-8 at byte %zu", (size_t)(at - text));
        }
        at += size;
    }
    *length = (uint32_t)(end - text);
    return STOA_OK;
}
