/* What the other headers need from the compiler: linkage, hints and one atomic type.
 *
 * Every extension is behind a test for the compiler that has it; without one the headers are plain
 * C11 or C++17. */
#ifndef STOA_COMPILER_H
#define STOA_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <atomic>
/// Opens declarations with C linkage when read by a C++ compiler.
#define STOA_BEGIN extern "C" {
/// Closes what STOA_BEGIN opened.
#define STOA_END }
/// Marks a declaration that a translation unit may leave unused.
#define STOA_UNUSED [[maybe_unused]]
/// Alignment of a type, as a constant.
#define STOA_ALIGNOF(T) alignof(T)
/// A 32-bit atomic number, the same bytes in C and C++.
typedef std::atomic<uint32_t> stoa_atomic;
/// A 64-bit atomic number, the same bytes in C and C++.
typedef std::atomic<uint64_t> stoa_atomic64;
/// Reads an atomic number with relaxed order.
#define STOA_LOAD(pointer) std::atomic_load_explicit((pointer), std::memory_order_relaxed)
/// Writes an atomic number with relaxed order.
#define STOA_STORE(pointer, value)                                                                 \
    std::atomic_store_explicit((pointer), (value), std::memory_order_relaxed)
#else
#include <stdatomic.h>
/// Opens declarations with C linkage when read by a C++ compiler.
#define STOA_BEGIN
/// Closes what STOA_BEGIN opened.
#define STOA_END
#if defined(__GNUC__)
/// Marks a declaration that a translation unit may leave unused.
#define STOA_UNUSED __attribute__((unused))
#else
#define STOA_UNUSED
#endif
/// Alignment of a type, as a constant.
#define STOA_ALIGNOF(T) _Alignof(T)
/// A 32-bit atomic number, the same bytes in C and C++.
typedef _Atomic(uint32_t) stoa_atomic;
/// A 64-bit atomic number, the same bytes in C and C++.
typedef _Atomic(uint64_t) stoa_atomic64;
/// Reads an atomic number with relaxed order.
#define STOA_LOAD(pointer) atomic_load_explicit((pointer), memory_order_relaxed)
/// Writes an atomic number with relaxed order.
#define STOA_STORE(pointer, value) atomic_store_explicit((pointer), (value), memory_order_relaxed)
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) &&                                    \
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/// Of 64 bits that were read at once: the 32 at the lower address.
#define STOA_FIRST(bits) ((uint32_t)((bits) >> 32))
/// Of 64 bits that were read at once: the 32 at the higher address.
#define STOA_SECOND(bits) ((uint32_t)(bits))
/// Two numbers of 32 bits, to be written at once: the first goes to the lower address.
#define STOA_JOIN(first, second) ((uint64_t)(first) << 32 | (second))
/// Of 64 bits that were read at once: STOA_FIRST, and above it STOA_SECOND.
#define STOA_FIRST_LOW(bits) ((bits) << 32 | (bits) >> 32)
#else
#define STOA_FIRST(bits) ((uint32_t)(bits))
#define STOA_SECOND(bits) ((uint32_t)((bits) >> 32))
#define STOA_JOIN(first, second) ((uint64_t)(second) << 32 | (first))
#define STOA_FIRST_LOW(bits) (bits)
#endif

#if defined(__SANITIZE_THREAD__)
/// Defined if a tool looks at what threads read and write.
#define STOA_THREADS_CHECKED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STOA_THREADS_CHECKED
#endif
#endif

/// A number of 32 bits that compilers know no store to another struct to change.
typedef struct stoa_peeked32 {
    uint32_t value; ///< the number
} stoa_peeked32;

/// A number of 64 bits that compilers know no store to another struct to change.
typedef struct stoa_peeked64 {
    uint64_t value; ///< the number
} stoa_peeked64;

/// Reads a stoa_atomic, which is written once, as ordinary memory.
/// Compilers may then keep it over a loop. Threads that write it at the same time write the same,
/// and one that reads it too early takes the slow path.
static inline uint32_t stoa_peek32(const void *from) {
#ifdef STOA_THREADS_CHECKED
    return STOA_LOAD((const stoa_atomic *)from);
#else
    return ((const stoa_peeked32 *)from)->value;
#endif
}

/// stoa_peek32 of a stoa_atomic64.
static inline uint64_t stoa_peek64(const void *from) {
#ifdef STOA_THREADS_CHECKED
    return STOA_LOAD((const stoa_atomic64 *)from);
#else
    return ((const stoa_peeked64 *)from)->value;
#endif
}

#if defined(__GNUC__)
/// A function that changes nothing the caller can see.
#define STOA_PURE __attribute__((pure))
#else
#define STOA_PURE
#endif

#if defined(__GNUC__)
/// A function that must be part of its caller, where most of it is known beforehand.
#define STOA_FORCED static inline __attribute__((always_inline))
#else
#define STOA_FORCED static inline
#endif

#if defined(__GNUC__)
/// Tells the compiler which way a branch goes nearly always.
#define STOA_LIKELY(condition) __builtin_expect(!!(condition), 1)
/// Asks for memory that is needed soon.
#define STOA_PREFETCH(pointer) __builtin_prefetch(pointer)
/// Checks the arguments of a function that takes a printf format.
#define STOA_PRINTF(text, first) __attribute__((format(printf, text, first)))
/// Keeps the compiler from joining the load or store of a word with its neighbours.
#define STOA_ALONE(word) __asm__("" : "+r"(word))
/// True if the compiler sees that fewer bytes can be read at a pointer.
#define STOA_SHORTER(pointer, bytes) (__builtin_object_size((pointer), 0) < (bytes))
#else
#define STOA_LIKELY(condition) (condition)
#define STOA_PREFETCH(pointer) ((void)(pointer))
#define STOA_ALONE(word) ((void)(word))
#define STOA_PRINTF(text, first)
#define STOA_SHORTER(pointer, bytes) (false)
#endif

#endif
