/* One component in several forms, and conversions among them. */
#ifndef STOA_TESTS_RETYPE_TYPES_H
#define STOA_TESTS_RETYPE_TYPES_H

#include "support/support.h"

#define FORMS 4

STOA_COMPONENT_WITH(Form0, STOA_OPTIONS(.name = "P"), { float x, y; });
STOA_COMPONENT_WITH(Form1, STOA_OPTIONS(.name = "P"), {
    double y;
    double x;
    int32_t z;
});
STOA_COMPONENT_WITH(Form2, STOA_OPTIONS(.name = "P"), {
    int8_t x;
    int8_t y;
});
STOA_COMPONENT_WITH(Form3, STOA_OPTIONS(.name = "P"), {
    int32_t x;
    int32_t pad[40];
    int32_t y;
});

STOA_COMPONENT_WITH(Side0, STOA_OPTIONS(.name = "S", .flags = STOA_SPARSE), { float x, y; });
STOA_COMPONENT_WITH(Side1, STOA_OPTIONS(.name = "S", .flags = STOA_SPARSE), {
    double y;
    double x;
    int32_t z;
});
STOA_COMPONENT_WITH(Side2, STOA_OPTIONS(.name = "S", .flags = STOA_SPARSE), {
    int8_t x;
    int8_t y;
});
STOA_COMPONENT_WITH(Side3, STOA_OPTIONS(.name = "S", .flags = STOA_SPARSE), {
    int32_t x;
    int32_t pad[40];
    int32_t y;
});

static stoa_type *const forms[FORMS] = {STOA_TYPE_OF(Form0), STOA_TYPE_OF(Form1),
                                        STOA_TYPE_OF(Form2), STOA_TYPE_OF(Form3)};
static stoa_type *const sides[FORMS] = {STOA_TYPE_OF(Side0), STOA_TYPE_OF(Side1),
                                        STOA_TYPE_OF(Side2), STOA_TYPE_OF(Side3)};

/* Small whole numbers, which every form can hold. */
typedef struct point {
    int x, y;
} point;

static inline void form_write(uint32_t size, point p, void *to) {
    switch (size) {
    case sizeof(Form0):
        *(Form0 *)to = (Form0){(float)p.x, (float)p.y};
        break;
    case sizeof(Form1):
        *(Form1 *)to = (Form1){.x = p.x, .y = p.y, .z = p.x + p.y};
        break;
    case sizeof(Form2):
        *(Form2 *)to = (Form2){(int8_t)p.x, (int8_t)p.y};
        break;
    default:
        *(Form3 *)to = (Form3){.x = p.x, .y = p.y};
        break;
    }
}

static inline point form_read(uint32_t size, const void *from) {
    switch (size) {
    case sizeof(Form0):
        return (point){(int)((const Form0 *)from)->x, (int)((const Form0 *)from)->y};
    case sizeof(Form1):
        return (point){(int)((const Form1 *)from)->x, (int)((const Form1 *)from)->y};
    case sizeof(Form2):
        return (point){((const Form2 *)from)->x, ((const Form2 *)from)->y};
    default:
        return (point){((const Form3 *)from)->x, ((const Form3 *)from)->y};
    }
}

/* Converts; `user` points at how many calls go well, or is NULL. */
static inline stoa_status form_convert(void *user, const stoa_component_info *from,
                                       const stoa_component_info *to, const void *values,
                                       void *made, int32_t count) {
    int *left = user;
    if (left != NULL && (*left)-- == 0) {
        return stoa_fail(STOA_REFUSED, "enough converted");
    }
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *value = (const uint8_t *)values + (size_t)i * from->size;
        form_write(to->size, form_read(from->size, value), (uint8_t *)made + (size_t)i * to->size);
    }
    return STOA_OK;
}

#endif
