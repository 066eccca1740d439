/* SPDX-License-Identifier: MIT */
/*
 * Plain stores as steps.  Sources that write to shared memory by plain stores (a redo log, the head
 * of a table) are compiled with -fsanitize=thread.  The compiler then calls one of the functions
 * below before each access; there is no sanitizer behind them.  memcpy and memset are these, too.
 *
 * A plain store to an object of the program is a step: before it others may run, and the thread may
 * be killed.  It does not wait in the store buffer: what the thread stored before arrives first,
 * and it arrives at once.  A change of what the thread has announced to the kernel is no step, but
 * the thread may be killed before it.  Plain loads are no steps.
 */
#include <string.h>

#include "../engine/model.h"
#include "robust.h"
#include "sys/panic.h"

/* What the compiler calls; no header declares them. */
#define HOOK(name)       \
    void name(void *at); \
    void name(void *at)

static void before_store(const void *at, unsigned size)
{
    if (model_object_at((uint64_t)(uintptr_t)at, size) != NULL)
        model_op(OP_PLAIN, at, size, 0, 0, 0, 0);
    else if (subject_is_announcement(at) && model_shared.budget.kills > 0)
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

#define STORES(size)                   \
    HOOK(__tsan_write##size)           \
    {                                  \
        before_store(at, size);        \
    }                                  \
    HOOK(__tsan_unaligned_write##size) \
    {                                  \
        before_store(at, size);        \
    }

#define LOADS(size)                   \
    HOOK(__tsan_read##size)           \
    {                                 \
        (void)at;                     \
    }                                 \
    HOOK(__tsan_unaligned_read##size) \
    {                                 \
        (void)at;                     \
    }

/* clang-format off */
STORES(1) STORES(2) STORES(4) STORES(8) STORES(16)
LOADS(1) LOADS(2) LOADS(4) LOADS(8) LOADS(16)
    /* clang-format on */

    void __tsan_write_range(void *at, unsigned long size);
void __tsan_write_range(void *at, unsigned long size)
{
    before_store(at, (unsigned)size);
}

void __tsan_read_range(void *at, unsigned long size);
void __tsan_read_range(void *at, unsigned long size)
{
    (void)at;
    (void)size;
}

/* Word by word. */
void *subject_copy(void *to, const void *from, size_t n);
void *subject_copy(void *to, const void *from, size_t n)
{
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < 8 ? n - done : 8;
        before_store((char *)to + done, (unsigned)part);
        memcpy((char *)to + done, (const char *)from + done, part);
    }
    return to;
}

void *subject_fill(void *to, int byte, size_t n);
void *subject_fill(void *to, int byte, size_t n)
{
    before_store(to, (unsigned)n);
    return memset(to, byte, n);
}

HOOK(__tsan_func_entry)
{
    (void)at;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

void __tsan_init(void);
void __tsan_init(void) {}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __asm__ volatile("" ::: "memory");
}

void fw_panic_object_(const char *what, const void *object, size_t n)
{
    model_thread_fail("panic", what, (uint64_t)(uintptr_t)object, n);
}
