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
#else
#define STOA__INLINE static inline
#define STOA__APART
#define STOA__COLD
#endif

#endif
