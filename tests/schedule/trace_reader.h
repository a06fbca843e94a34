/* A strict reader of traces: JSON with nothing but what the standard allows, read into events.
 *
 * Every text is checked to be UTF-8, every number to be one, no key to come twice, nothing to
 * follow the end. A failure fails the test. */
#ifndef STOA_TESTS_TRACE_READER_H
#define STOA_TESTS_TRACE_READER_H

#include "support/support.h"

#define TEXT_MAX 256
#define KEYS_MAX 16

typedef struct trace_event {
    char name[TEXT_MAX];
    char category[TEXT_MAX];
    char kind[TEXT_MAX];
    char called[TEXT_MAX]; /* args.name */
    uint64_t start;        /* nanoseconds */
    uint64_t length;
    int64_t process;
    int64_t thread;
    int64_t frame; /* args; -1 where there is none, and so on */
    int64_t job;
    int64_t jobs;
    int64_t lost;
} trace_event;

typedef struct trace_reader {
    const char *at;
    trace_event *events;
    int32_t capacity;
    int32_t count;
} trace_reader;

static void reader_space(trace_reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

static void reader_expect(trace_reader *r, char c) {
    reader_space(r);
    if (*r->at != c) {
        fail_msg("'%c' expected at \"%.40s\"", c, r->at);
    }
    r->at++;
}

/* True, and the character taken, if it comes next. */
static bool reader_take(trace_reader *r, char c) {
    reader_space(r);
    bool found = *r->at == c;
    r->at += found;
    return found;
}

/* Takes one character of UTF-8 that is more than one byte. */
static void reader_wide(trace_reader *r, char *to, size_t *length) {
    const unsigned char *p = (const unsigned char *)r->at;
    uint32_t follow = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : 1;
    uint32_t value = p[0] & (0x3Fu >> follow);
    assert_in_range(p[0], 0xC2, 0xF4);
    for (uint32_t i = 1; i <= follow; i++) {
        assert_int_equal(p[i] & 0xC0, 0x80);
        value = value << 6 | (p[i] & 0x3F);
    }
    assert_true(value >= (follow == 3 ? 0x10000u : follow == 2 ? 0x800u : 0x80u));
    assert_true(value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF));
    memcpy(to + *length, p, follow + 1);
    *length += follow + 1;
    r->at += follow + 1;
}

/* Takes what a backslash begins. */
static char reader_escape(trace_reader *r) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = *r->at++;
    if (c == 'u') {
        unsigned value = 0;
        for (int i = 0; i < 4; i++) {
            static const char digits[] = "0123456789abcdef";
            const char *digit = *r->at != '\0' ? strchr(digits, *r->at++) : NULL;
            assert_non_null(digit);
            value = value * 16 + (unsigned)(digit - digits);
        }
        assert_in_range(value, 1, 0x7F);
        return (char)value;
    }
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    assert_non_null(found);
    return to[found - from];
}

static void reader_text(trace_reader *r, char to[TEXT_MAX]) {
    size_t length = 0;
    reader_expect(r, '"');
    while (*r->at != '"') {
        assert_true((unsigned char)*r->at >= 0x20);
        assert_true(length + 5 < TEXT_MAX);
        if ((unsigned char)*r->at >= 0x80) {
            reader_wide(r, to, &length);
        } else if (*r->at == '\\') {
            r->at++;
            to[length++] = reader_escape(r);
        } else {
            to[length++] = *r->at++;
        }
    }
    r->at++;
    to[length] = '\0';
}

/* Takes a whole number that has no sign; with `places`, one with so many decimals, in units of the
 * last of them. */
static uint64_t reader_number(trace_reader *r, int places) {
    uint64_t value = 0;
    reader_space(r);
    assert_true(*r->at >= '0' && *r->at <= '9');
    assert_false(r->at[0] == '0' && r->at[1] >= '0' && r->at[1] <= '9');
    while (*r->at >= '0' && *r->at <= '9') {
        assert_true(value < UINT64_MAX / 10 - 10);
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    }
    if (places > 0) {
        assert_int_equal(*r->at++, '.');
    }
    for (int i = 0; i < places; i++) {
        assert_true(*r->at >= '0' && *r->at <= '9');
        value = value * 10 + (uint64_t)(*r->at++ - '0');
    }
    assert_true(strchr(",}] \n", *r->at) != NULL);
    return value;
}

/* Takes a key that has not come yet in this object. */
static void reader_key(trace_reader *r, char seen[KEYS_MAX][TEXT_MAX], int *count) {
    assert_true(*count < KEYS_MAX);
    reader_text(r, seen[*count]);
    for (int i = 0; i < *count; i++) {
        assert_string_not_equal(seen[i], seen[*count]);
    }
    ++*count;
    reader_expect(r, ':');
}

static void reader_arguments(trace_reader *r, trace_event *event) {
    char keys[KEYS_MAX][TEXT_MAX];
    int count = 0;
    reader_expect(r, '{');
    do {
        reader_key(r, keys, &count);
        const char *key = keys[count - 1];
        if (strcmp(key, "name") == 0) {
            reader_text(r, event->called);
        } else {
            int64_t *to = strcmp(key, "frame") == 0  ? &event->frame
                          : strcmp(key, "job") == 0  ? &event->job
                          : strcmp(key, "jobs") == 0 ? &event->jobs
                          : strcmp(key, "lost") == 0 ? &event->lost
                                                     : NULL;
            assert_non_null(to);
            *to = (int64_t)reader_number(r, 0);
        }
    } while (reader_take(r, ','));
    reader_expect(r, '}');
}

/* Takes an event; it must have the keys that its kind needs, and no others. */
static void reader_event(trace_reader *r) {
    char keys[KEYS_MAX][TEXT_MAX];
    int count = 0;
    assert_true(r->count < r->capacity);
    trace_event *event = &r->events[r->count++];
    *event = (trace_event){.process = -1, .thread = -1, .frame = -1};
    event->job = event->jobs = event->lost = -1;
    reader_expect(r, '{');
    do {
        reader_key(r, keys, &count);
        const char *key = keys[count - 1];
        if (strcmp(key, "name") == 0) {
            reader_text(r, event->name);
        } else if (strcmp(key, "cat") == 0) {
            reader_text(r, event->category);
        } else if (strcmp(key, "ph") == 0) {
            reader_text(r, event->kind);
        } else if (strcmp(key, "ts") == 0) {
            event->start = reader_number(r, 3);
        } else if (strcmp(key, "dur") == 0) {
            event->length = reader_number(r, 3);
        } else if (strcmp(key, "pid") == 0) {
            event->process = (int64_t)reader_number(r, 0);
        } else if (strcmp(key, "tid") == 0) {
            event->thread = (int64_t)reader_number(r, 0);
        } else {
            assert_string_equal(key, "args");
            reader_arguments(r, event);
        }
    } while (reader_take(r, ','));
    reader_expect(r, '}');
    bool named = strcmp(event->kind, "M") == 0;
    assert_string_equal(event->kind, named ? "M" : "X");
    assert_int_equal(count, named ? 5 : 8);
    assert_int_equal(event->process, 1);
    assert_true(event->thread >= 0);
    assert_true(event->name[0] != '\0');
    assert_true(named ? event->called[0] != '\0' : event->frame >= 0);
}

/* Reads a whole trace; returns how many events it has. */
static int32_t reader_read(const char *text, trace_event *events, int32_t capacity) {
    trace_reader r = {text, events, capacity, 0};
    char keys[KEYS_MAX][TEXT_MAX], unit[TEXT_MAX];
    int count = 0, lists = 0;
    reader_expect(&r, '{');
    do {
        reader_key(&r, keys, &count);
        if (strcmp(keys[count - 1], "traceEvents") != 0) {
            assert_string_equal(keys[count - 1], "displayTimeUnit");
            reader_text(&r, unit);
            continue;
        }
        lists++;
        reader_expect(&r, '[');
        do {
            reader_event(&r);
        } while (reader_take(&r, ','));
        reader_expect(&r, ']');
    } while (reader_take(&r, ','));
    reader_expect(&r, '}');
    reader_space(&r);
    assert_int_equal(*r.at, '\0');
    assert_int_equal(lists, 1);
    return r.count;
}

/* Spans of one thread lie one in the other or one after the other, and what is in a frame, stage or
 * batch is in one of the same frame. */
static void reader_check(const trace_event *events, int32_t count) {
    static const char *const outer[] = {"", "frame", "stage", "batch"};
    static const char *const inner[] = {"frame", "stage", "batch", "system"};
    for (int32_t i = 0; i < count; i++) {
        const trace_event *a = &events[i];
        bool span = strcmp(a->kind, "X") == 0;
        int level = 0, around = 0;
        while (span && strcmp(a->category, inner[level]) != 0) {
            assert_true(++level < 4);
        }
        assert_true(!span || level == 3 || a->thread == 0);
        for (int32_t k = 0; span && k < count; k++) {
            const trace_event *b = &events[k];
            if (k == i || strcmp(b->kind, "X") != 0) {
                continue;
            }
            uint64_t a_end = a->start + a->length, b_end = b->start + b->length;
            bool in = a->start >= b->start && a_end <= b_end;
            bool apart = a_end <= b->start || b_end <= a->start;
            bool around_it = a->start <= b->start && a_end >= b_end;
            assert_true(a->thread != b->thread || in || apart || around_it);
            around += in && k < i && a->frame == b->frame && strcmp(b->category, outer[level]) == 0;
        }
        assert_true(!span || level == 0 || around >= 1);
    }
}

#endif
