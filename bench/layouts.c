/* SPDX-License-Identifier: MIT */
/*
 * layouts: what one lock and unlock cost, for the ways in which a mutex word could be laid out and
 * released on x86-64.  The design note (doc/design/mutex.md) rests on this table.
 *
 *     layouts [ROUNDS]
 *
 * Each candidate runs in slices of 2000 iterations, all candidates in turn, ROUNDS times (1000);
 * printed are the 5th percentile and the median of the slices in nanoseconds, and their ratio to
 * pthread_mutex.  A second thread exists, so that the C library does not leave out its atomic
 * instructions.
 *
 * The candidates are sketches of the uncontended case only: they cannot wait.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/clock.h"

enum { SLICE = 2000, MOST_ROUNDS = 100000 };

struct word {
    uint32_t low, high;
};

static _Alignas(64) struct word word;
static _Alignas(64) pthread_mutex_t pthread_word = PTHREAD_MUTEX_INITIALIZER;
static __thread uint32_t self;

#define CALLED static __attribute__((noinline)) void
#define COMPILED_IN static inline __attribute__((always_inline)) void

COMPILED_IN take_cas_in(struct word *w)
{
    uint32_t zero = 0;
    if (!__atomic_compare_exchange_n(&w->low, &zero, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        abort();
}

COMPILED_IN take_byte_in(struct word *w)
{
    if (__atomic_exchange_n((uint8_t *)&w->low, 1, __ATOMIC_ACQUIRE) != 0)
        abort();
}

COMPILED_IN take_byte_sign_in(struct word *w)
{
    uint32_t id = self;
    take_byte_in(w);
    __atomic_store_n(&w->low, id, __ATOMIC_RELAXED);
}

CALLED take_cas(struct word *w)
{
    take_cas_in(w);
}

CALLED take_cas_sign(struct word *w)
{
    take_cas_in(w);
    __atomic_store_n(&w->low, self, __ATOMIC_RELAXED);
}

CALLED take_byte(struct word *w)
{
    take_byte_in(w);
}

CALLED take_byte_sign(struct word *w)
{
    take_byte_sign_in(w);
}

CALLED take_byte_sign_beside(struct word *w)
{
    take_byte_in(w);
    __atomic_store_n(&w->high, self, __ATOMIC_RELAXED);
}

CALLED release_exchange(struct word *w)
{
    __atomic_exchange_n(&w->low, 0, __ATOMIC_RELEASE);
}

CALLED release_store(struct word *w)
{
    __atomic_store_n(&w->low, 0, __ATOMIC_RELEASE);
}

/* A release inside a restartable sequence; see src/sys/x86_64/ for what the parts mean. */
#define DESCRIBE                                                                         \
    ".pushsection __rseq_cs, \"aw\"\n.balign 32\n3: .long 0, 0\n.quad 1f, 2f - 1f, 4f\n" \
    ".popsection\nleaq 3b(%%rip), %%rax\n"
#define ABORT "jmp 5f\n.byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n4: jmp %l[other]\n5:\n"
#define ARM "movq %%rax, %%fs:8(%[area])\n1:\n"
#define ARM_IF_NEEDED "1: cmpq %%rax, %%fs:8(%[area])\njne 6f\n"
#define ARM_LATER \
    ".pushsection .text.unlikely, \"ax\"\n6: movq %%rax, %%fs:8(%[area])\njmp 1b\n.popsection\n"
#define MINE "cmpl %[id], (%[w])\njne %l[other]\n"
#define MINE_BESIDE "cmpl %[id], 4(%[w])\njne %l[other]\n"
#define NOBODY_WAITS "cmpl $0, 4(%[w])\njne %l[other]\n"
#define NOBODY_WAITS_BYTE "cmpb $0, 1(%[w])\njne %l[other]\n"
#define MINE_AND_NOBODY "cmpq %q[id], (%[w])\njne %l[other]\n"

#define RELEASE(name, sequence)                                     \
    CALLED name(struct word *w)                                     \
    {                                                               \
        ptrdiff_t area = __rseq_offset;                             \
        __asm__ goto(DESCRIBE sequence ABORT                        \
                     : /* none */                                   \
                     : [area] "r"(area), [w] "r"(w), [id] "r"(self) \
                     : "rax", "cc", "memory"                        \
                     : other);                                      \
        return;                                                     \
    other:                                                          \
        __atomic_store_n(&w->low, 0, __ATOMIC_RELEASE);             \
        __atomic_store_n(&w->high, 0, __ATOMIC_RELEASE);            \
    }

RELEASE(rseq_word, ARM MINE NOBODY_WAITS "movl $0, (%[w])\n2:\n")
RELEASE(rseq_word_64, ARM MINE_AND_NOBODY "movl $0, (%[w])\n2:\n")
RELEASE(rseq_word_lazy, ARM_IF_NEEDED MINE NOBODY_WAITS "movl $0, (%[w])\n2:\n" ARM_LATER)
RELEASE(rseq_byte, ARM NOBODY_WAITS "movb $0, (%[w])\n2:\n")
RELEASE(rseq_beside, ARM MINE_BESIDE NOBODY_WAITS_BYTE "movl $0, 4(%[w])\nmovb $0, (%[w])\n2:\n")

#define CANDIDATE(name, take, release)                            \
    static __attribute__((noinline, aligned(64))) void name(void) \
    {                                                             \
        for (int i = 0; i < SLICE; i++) {                         \
            take;                                                 \
            release;                                              \
        }                                                         \
    }

CANDIDATE(c_pthread, pthread_mutex_lock(&pthread_word), pthread_mutex_unlock(&pthread_word))
CANDIDATE(c_inline, take_cas_in(&word), __atomic_exchange_n(&word.low, 0, __ATOMIC_RELEASE))
CANDIDATE(c_exchange, take_cas(&word), release_exchange(&word))
CANDIDATE(c_store, take_byte(&word), release_store(&word))
CANDIDATE(c_cas, take_cas(&word), rseq_word(&word))
CANDIDATE(c_cas_sign, take_cas_sign(&word), rseq_word(&word))
CANDIDATE(c_byte, take_byte(&word), rseq_byte(&word))
CANDIDATE(c_beside, take_byte_sign_beside(&word), rseq_beside(&word))
CANDIDATE(c_called, take_byte_sign(&word), rseq_word(&word))
CANDIDATE(c_chosen, take_byte_sign_in(&word), rseq_word(&word))
CANDIDATE(c_lazy, take_byte_sign_in(&word), rseq_word_lazy(&word))
CANDIDATE(c_compare_64, take_byte_sign_in(&word), rseq_word_64(&word))

static struct candidate {
    const char *what;
    void (*run)(void);
    double *ns;
} candidates[] = {
    {"pthread_mutex", c_pthread, NULL},
    {"compare-exchange + exchange, compiled in (owner unknown)", c_inline, NULL},
    {"compare-exchange of the id + exchange, called", c_exchange, NULL},
    {"byte exchange + plain store, called: wrong, but the floor", c_store, NULL},
    {"compare-exchange of the id + rseq release of the same word", c_cas, NULL},
    {"the same, and the id stored once more after the exchange", c_cas_sign, NULL},
    {"byte exchange + rseq release (owner unknown)", c_byte, NULL},
    {"byte exchange, owner in a word beside it, both cleared", c_beside, NULL},
    {"byte exchange + id stored over it, one word cleared", c_called, NULL},
    {"  the same with the lock compiled in: fw_mutex", c_chosen, NULL},
    {"  and rseq armed only where another sequence ran since", c_lazy, NULL},
    {"  and owner and waiters compared in one 64-bit load", c_compare_64, NULL},
};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *exist(void *unused)
{
    (void)unused;
    pause();
    return NULL;
}

static void print(int rounds)
{
    const double *base = candidates[0].ns;

    printf("%-60s %7s %7s %7s\n", "", "5 %", "median", "ratio");
    for (int c = 0; c < CANDIDATES; c++) {
        const double *ns = candidates[c].ns;
        printf("%-60s %7.2f %7.2f %7.3f\n", candidates[c].what, ns[rounds / 20], ns[rounds / 2],
               ns[rounds / 2] / base[rounds / 2]);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    pthread_t other;

    if (rounds < 1 || rounds > MOST_ROUNDS || argc > 2) {
        fprintf(stderr, "usage: layouts [ROUNDS], 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    if (__rseq_size == 0) {
        fprintf(stderr, "layouts: the C library has no restartable sequences registered\n");
        return 77;
    }
    self = (uint32_t)syscall(SYS_gettid) << 8 | 1;
    if (pthread_create(&other, NULL, exist, NULL) != 0) {
        fprintf(stderr, "layouts: cannot start a second thread\n");
        return 1;
    }
    for (int c = 0; c < CANDIDATES; c++)
        if ((candidates[c].ns = calloc((size_t)rounds, sizeof(double))) == NULL)
            return 1;
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < CANDIDATES; c++) {
            uint64_t begin = clock_ns();
            candidates[c].run();
            candidates[c].ns[r] = (double)(clock_ns() - begin) / SLICE;
            word = (struct word){0, 0};
        }
    for (int c = 0; c < CANDIDATES; c++)
        qsort(candidates[c].ns, (size_t)rounds, sizeof(double), ascending);
    print(rounds);
    return 0;
}
