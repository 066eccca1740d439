/* SPDX-License-Identifier: MIT */
/*
 * Atomic objects of types that no instruction handles, as a program has them, in C and in C++:
 * nothing here knows of a library.  Two threads count in each; the program ends with 0 where
 * nothing was lost or torn.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#include <atomic>
using namespace std;
#define ATOMIC(type) std::atomic<type>
#else
#include <complex.h>
#include <stdatomic.h>
#define ATOMIC(type) _Atomic(type)
#endif

enum { N_THREADS = 2, ROUNDS = 2000 };

static void fail(const char *what, size_t size)
{
    printf("%s of %zu bytes is wrong\n", what, size);
    exit(1);
}

/* clang makes these greater in C, to be lock-free; its version 14 then does not write back what a
 * failed comparison found. */
#if defined __clang__ && !defined __cplusplus
#define IS_WRITTEN_BACK(n) ((n) != 3 && (n) != 12)
#else
#define IS_WRITTEN_BACK(n) true
#endif

/* The same behind a reference, where the C++ library has it. */
#ifdef __cpp_lib_atomic_ref
#define PLAIN(n) alignas(16) static bytes##n plain##n;
#define COUNT_PLAIN(n)                                                   \
    do {                                                                 \
        seen = std::atomic_ref<bytes##n>(plain##n).load();               \
        check##n(seen);                                                  \
    } while (!std::atomic_ref<bytes##n>(plain##n).compare_exchange_weak( \
        seen, of##n(seen.b[0] + 1U), memory_order_acq_rel, memory_order_relaxed));
#define CHECK_PLAIN(n)                                        \
    check##n(plain##n);                                       \
    if (plain##n.b[0] != (unsigned char)(N_THREADS * ROUNDS)) \
        fail("the count of a structure behind a reference", n);
#else
#define PLAIN(n)
#define COUNT_PLAIN(n)
#define CHECK_PLAIN(n)
#endif

/* A structure of n bytes, all of which have the same value, and counters made of it. */
#define STRUCTURE(n)                                                                       \
    struct bytes##n {                                                                      \
        unsigned char b[n];                                                                \
    };                                                                                     \
    static ATOMIC(struct bytes##n) shared##n;                                              \
    PLAIN(n)                                                                               \
    static struct bytes##n of##n(unsigned value)                                           \
    {                                                                                      \
        struct bytes##n s;                                                                 \
                                                                                           \
        memset(s.b, (int)value, n);                                                        \
        return s;                                                                          \
    }                                                                                      \
    static void check##n(struct bytes##n s)                                                \
    {                                                                                      \
        for (size_t i = 1; i < n; i++)                                                     \
            if (s.b[i] != s.b[0])                                                          \
                fail("a structure", n);                                                    \
    }                                                                                      \
    static void count##n(void)                                                             \
    {                                                                                      \
        struct bytes##n seen;                                                              \
                                                                                           \
        do {                                                                               \
            seen = atomic_load(&shared##n);                                                \
            check##n(seen);                                                                \
        } while (!atomic_compare_exchange_weak(&shared##n, &seen, of##n(seen.b[0] + 1U))); \
        COUNT_PLAIN(n)                                                                     \
    }                                                                                      \
    static void finish##n(void)                                                            \
    {                                                                                      \
        struct bytes##n wrong = of##n(255), seen = shared##n;                              \
                                                                                           \
        if (seen.b[0] != (unsigned char)(N_THREADS * ROUNDS))                              \
            fail("the count of a structure", n);                                           \
        CHECK_PLAIN(n)                                                                     \
        if (atomic_compare_exchange_strong(&shared##n, &wrong, of##n(1)))                  \
            fail("a comparison", n);                                                       \
        check##n(wrong);                                                                   \
        if (wrong.b[0] != seen.b[0] && IS_WRITTEN_BACK(n))                                 \
            fail("what a comparison writes back", n);                                      \
        shared##n = of##n(7);                                                              \
        seen = atomic_exchange_explicit(&shared##n, of##n(9), memory_order_acq_rel);       \
        wrong = shared##n;                                                                 \
        if (seen.b[n - 1] != 7 || wrong.b[0] != 9)                                         \
            fail("an exchange", n);                                                        \
        if (n > 16 && atomic_is_lock_free(&shared##n))                                     \
            fail("what is said", n);                                                       \
    }

#define FOR_EACH_SIZE(f) f(3) f(12) f(16) f(24) f(32) f(40) f(100)
FOR_EACH_SIZE(STRUCTURE)

static ATOMIC(long double) long_double;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static unsigned guarded_by_flag;

static void count_by_flag(void)
{
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        continue;
    guarded_by_flag++;
    atomic_flag_clear_explicit(&flag, memory_order_release);
}

#ifdef __cplusplus

/* No loop of compare-exchanges here: clang does not keep the 6 bytes that have no meaning. */
static void count_numbers(void)
{
    long double seen = atomic_exchange(&long_double, long_double.load() < 0 ? 1.0L : -1.0L);

    if (seen != 0 && seen != 1 && seen != -1)
        fail("a floating-point exchange", sizeof seen);
}

static void finish_numbers(void) {}

#else

static _Atomic double plain_double;
static _Atomic float plain_float;
static _Atomic _Complex double complex_double;

static void count_numbers(void)
{
    _Complex double seen = complex_double;

    long_double += 1; /* compilers keep the exceptions of tries that fail from showing */
    plain_double -= 1;
    plain_float += 0.5F;
    while (!atomic_compare_exchange_weak(&complex_double, &seen, seen + 1 + 2 * I))
        continue;
}

static void finish_numbers(void)
{
    const double n = (double)N_THREADS * ROUNDS;
    _Complex double c = complex_double;

    if (long_double != n || plain_double != -n || plain_float != (float)(n / 2))
        fail("a floating-point count", sizeof(long double));
    if (creal(c) != n || cimag(c) != 2 * n)
        fail("a complex count", sizeof c);
}

#endif

#define COUNT(n) count##n();
#define FINISH(n) finish##n();

static void *thread(void *unused)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        FOR_EACH_SIZE(COUNT)
        count_numbers();
        count_by_flag();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N_THREADS];

    for (unsigned i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread, NULL) != 0)
            return 2;
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    FOR_EACH_SIZE(FINISH)
    finish_numbers();
    if (guarded_by_flag != N_THREADS * ROUNDS)
        fail("what a flag guards", sizeof flag);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    puts("nothing lost, nothing torn");
    return 0;
}
