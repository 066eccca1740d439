/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CHECK_NATIVE_H
#define FW_TEST_CHECK_NATIVE_H

/* What the files of native.c share. */

#define NOINLINE __attribute__((noinline))

void die(const char *what) __attribute__((noreturn));

/* Calls it in a thread of its own, and waits for its end: so no two ever wait for each other. */
void in_thread(void (*function)(void));

/* native_others.c: mutexes on the heap, read-write locks, and what lies in a region. */
#define OTHER_FAULTS(X) \
    X(heap_order)       \
    X(good_again)       \
    X(rwlock_order)     \
    X(rwlock_exit)      \
    X(good_readers)     \
    X(good_rwlock)      \
    X(brlock_order)     \
    X(brlock_exit)      \
    X(good_brlock)      \
    X(ipc_order)        \
    X(ipc_exit)         \
    X(good_ipc)

#define DECLARE(name) void name(void);
OTHER_FAULTS(DECLARE)
#undef DECLARE

#endif
