/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_H
#define FW_ATOMIC_H /* the guard of furwock/bits/atomic.h: this file stands in for it */

#include <stdbool.h>
#include <stdint.h>

/*
 * The operations of furwock/bits/atomic.h, each one step under the model's scheduler.  Under
 * x86-TSO the memory order of a locked instruction makes no difference; those of plain loads and
 * stores are the hardware's.
 */
typedef uint64_t __attribute__((may_alias)) fw_word_;
typedef uint32_t __attribute__((may_alias)) fw_half_;
typedef uint8_t __attribute__((may_alias)) fw_byte_;

uint64_t subject_load(const void *p, unsigned size);
void subject_store(void *p, unsigned size, uint64_t v);
uint64_t subject_xchg(void *p, unsigned size, uint64_t v);
uint64_t subject_cas(void *p, unsigned size, uint64_t expected, uint64_t v);
uint64_t subject_add(void *p, unsigned size, uint64_t v);
uint64_t subject_or(void *p, unsigned size, uint64_t v);
uint64_t subject_and(void *p, unsigned size, uint64_t v);

#define SUBJECT_LOAD(bits, access, order)                                 \
    static inline uint##bits##_t fw_load##bits##_##order(const access *p) \
    {                                                                     \
        return (uint##bits##_t)subject_load(p, sizeof *p);                \
    }

#define SUBJECT_STORE(bits, access, order)                                   \
    static inline void fw_store##bits##_##order(access *p, uint##bits##_t v) \
    {                                                                        \
        subject_store(p, sizeof *p, v);                                      \
    }

#define SUBJECT_MODIFY(name, bits, access, order)                                       \
    static inline uint##bits##_t fw_##name##bits##_##order(access *p, uint##bits##_t v) \
    {                                                                                   \
        return (uint##bits##_t)subject_##name(p, sizeof *p, v);                         \
    }

#define SUBJECT_CAS(bits, access, order)                                               \
    static inline bool fw_cas##bits##_##order(access *p, uint##bits##_t *expected,     \
                                              uint##bits##_t v)                        \
    {                                                                                  \
        uint##bits##_t seen = (uint##bits##_t)subject_cas(p, sizeof *p, *expected, v); \
        bool done = seen == *expected;                                                 \
        *expected = seen;                                                              \
        return done;                                                                   \
    }

SUBJECT_LOAD(8, fw_byte_, relaxed)
SUBJECT_LOAD(32, fw_half_, relaxed)
SUBJECT_LOAD(32, fw_half_, acquire)
SUBJECT_LOAD(32, fw_half_, seq_cst)
SUBJECT_LOAD(64, uint64_t, relaxed)
SUBJECT_LOAD(64, uint64_t, acquire)
SUBJECT_LOAD(64, uint64_t, seq_cst)
SUBJECT_STORE(8, fw_byte_, relaxed)
SUBJECT_STORE(32, fw_half_, relaxed)
SUBJECT_STORE(32, fw_half_, release)
SUBJECT_STORE(64, uint64_t, relaxed)
SUBJECT_STORE(64, uint64_t, release)
SUBJECT_MODIFY(xchg, 8, fw_byte_, acquire)
SUBJECT_MODIFY(xchg, 32, fw_half_, acquire)
SUBJECT_MODIFY(xchg, 32, fw_half_, release)
SUBJECT_MODIFY(xchg, 32, fw_half_, seq_cst)
SUBJECT_MODIFY(xchg, 64, uint64_t, seq_cst)
SUBJECT_MODIFY(add, 32, fw_half_, relaxed)
SUBJECT_MODIFY(add, 32, fw_half_, acquire)
SUBJECT_MODIFY(add, 32, fw_half_, release)
SUBJECT_MODIFY(add, 32, fw_half_, acq_rel)
SUBJECT_MODIFY(add, 64, uint64_t, acquire)
SUBJECT_MODIFY(add, 64, uint64_t, release)
SUBJECT_MODIFY(add, 64, uint64_t, acq_rel)
SUBJECT_MODIFY(or, 32, fw_half_, relaxed)
SUBJECT_MODIFY(or, 64, uint64_t, relaxed)
SUBJECT_MODIFY(or, 64, uint64_t, release)
SUBJECT_MODIFY(or, 64, uint64_t, seq_cst)
SUBJECT_MODIFY(and, 32, fw_half_, relaxed)
SUBJECT_MODIFY(and, 64, uint64_t, acquire)
SUBJECT_MODIFY(and, 64, uint64_t, seq_cst)
SUBJECT_MODIFY(and, 64, uint64_t, release)
SUBJECT_CAS(32, fw_half_, relaxed)
SUBJECT_CAS(32, fw_half_, acquire)
SUBJECT_CAS(32, fw_half_, release)
SUBJECT_CAS(32, fw_half_, seq_cst)
SUBJECT_CAS(64, uint64_t, relaxed)
SUBJECT_CAS(64, uint64_t, acquire)
SUBJECT_CAS(64, uint64_t, release)
SUBJECT_CAS(64, uint64_t, acq_rel)
SUBJECT_CAS(64, uint64_t, seq_cst)

/* Under TSO the first two order nothing that is not ordered anyway. */
static inline void fw_fence_acquire(void)
{
    __asm__ volatile("" ::: "memory");
}

static inline void fw_fence_release(void)
{
    __asm__ volatile("" ::: "memory");
}

void fw_fence_seq_cst(void);

/*
 * The generic atomics: their table of stripes is an object of the program, and has two; how often
 * a thread looks before it sleeps, or before it takes the lock, is the program's choice.
 */
struct fw_stripe_;
unsigned subject_lock_looks(void);
unsigned subject_load_looks(void);
void *subject_thread_pointer(void);
#define FW_STRIPES_LOG2 1
#define fw_stripes_ (*subject_stripes)
#define FW_WORD_LOCK_LOOKS_ (subject_lock_looks())
#define FW_OBJECT_LOOKS_ (subject_load_looks())
#define FW_OBJECT_PEEK_ 32u
#define FW_RECHECK_ATOMIC_NS 0 /* without an end: a lost wake-up shows */
#define __builtin_thread_pointer() subject_thread_pointer()

/*
 * Thread-local variables lie in a section, which is brought and taken away with each model thread
 * (engine/thread.c).  A faulty copy of the sources has a section of its own.
 */
#define SUBJECT_TEXT_(x) #x
#define SUBJECT_TEXT(x) SUBJECT_TEXT_(x)
#define SUBJECT_OWN model_own_variables
#define __thread __attribute__((section(SUBJECT_TEXT(SUBJECT_OWN))))

/* And so do those of a process, in programs where each thread is one: process.h. */
#define FW_OF_PROCESS_ __attribute__((section("model_process_variables")))

#endif
