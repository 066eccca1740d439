/* SPDX-License-Identifier: MIT */
/*
 * What the locks call below themselves (furwock/bits/atomic.h and src/sys/): steps of the model.
 */
#include <errno.h>

#include <furwock/futex.h>

#include "../cpus.h"
#include "../engine/model.h"
#include "../faults.h"
#include "../kernel.h"
#include "../memory.h"
#include "atomic.h"
#include "subject.h"
#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/cpu_count.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/thread.h"

__thread uint32_t fw_self_id_;

/* --- furwock/bits/atomic.h ------------------------------------------------------------------ */

/* Constants, and settings that no program changes, need no scheduling. */
static bool is_private(const void *p)
{
    return !memory_is_shared((uint64_t)(uintptr_t)p);
}

/*
 * What was written to another thread's stack may let that thread go on, and end the frame.  So here
 * it may run, before anything else happens, were it only a plain access.
 */
static void let_go(const void *p)
{
    unsigned thread;

    if (memory_stack_of((uint64_t)(uintptr_t)p, &thread) && thread != model_current)
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

uint64_t subject_load(const void *p, unsigned size)
{
    if (is_private(p))
        return size == 8   ? *(const uint64_t *)p
               : size == 4 ? *(const fw_half_ *)p
                           : *(const fw_byte_ *)p;
    return model_op(OP_LOAD, p, size, 0, 0, 0, 0);
}

/* A store that changes no such constant is nothing, either. */
void subject_store(void *p, unsigned size, uint64_t v)
{
    if (is_private(p) && subject_load(p, size) == v)
        return;
    if (is_private(p) && model_program->hooks->access == NULL)
        model_thread_fail("stray access", "a store to 0x%llx, which is no object of the program",
                          (uint64_t)(uintptr_t)p, 0);
    model_op(OP_STORE, p, size, v, 0, 0, 0);
    let_go(p);
}

/* One locked instruction. */
static uint64_t modify(enum model_kind kind, void *p, unsigned size, uint64_t v)
{
    uint64_t seen = model_op(kind, p, size, v, 0, 0, 0);

    let_go(p);
    return seen;
}

uint64_t subject_xchg(void *p, unsigned size, uint64_t v)
{
    return modify(OP_XCHG, p, size, v);
}

uint64_t subject_add(void *p, unsigned size, uint64_t v)
{
    return modify(OP_ADD, p, size, v);
}

uint64_t subject_or(void *p, unsigned size, uint64_t v)
{
    return modify(OP_OR, p, size, v);
}

uint64_t subject_and(void *p, unsigned size, uint64_t v)
{
    return modify(OP_AND, p, size, v);
}

uint64_t subject_cas(void *p, unsigned size, uint64_t expected, uint64_t v)
{
    if (fault_is(FAULT_UNLOCKED_CAS)) {
        uint64_t seen = model_op(OP_LOAD, p, size, 0, 0, 0, 0);
        if (seen == expected)
            model_op(OP_STORE, p, size, v, 0, 0, 0);
        return seen;
    }
    uint64_t seen = model_op(OP_CAS, p, size, expected, v, 0, 0);
    if (seen == expected)
        let_go(p);
    return seen;
}

void fw_fence_seq_cst(void)
{
    model_op(OP_FENCE_LOCAL, NULL, 0, 0, 0, 0, 0);
}

/* Another one for each thread; leads nowhere. */
void *subject_thread_pointer(void)
{
    return (void *)(uintptr_t)(model_current + 1);
}

/* --- furwock/futex.h ------------------------------------------------------------------------ */

static uint64_t ns_of(const fw_deadline *deadline)
{
    if (deadline == NULL)
        return KERNEL_FOREVER;
    if (deadline->at.tv_sec < 0)
        return 0;
    return (uint64_t)deadline->at.tv_sec * 1000000000u + (uint64_t)deadline->at.tv_nsec;
}

static uint64_t clock_of(const fw_deadline *deadline)
{
    return deadline != NULL && deadline->clock == CLOCK_REALTIME ? ON_REALTIME : 0;
}

int fw_futex_wait(const uint32_t *word, uint32_t expected, unsigned flags,
                  const fw_deadline *deadline)
{
    return fw_futex_wait_bitset(word, expected, FW_FUTEX_ANY_BIT, flags, deadline);
}

int fw_futex_wait_bitset(const uint32_t *word, uint32_t expected, uint32_t bits, unsigned flags,
                         const fw_deadline *deadline)
{
    (void)flags;
    if (is_private(word)) { /* which nobody changes: a short sleep */
        model_op(OP_SLEEP, NULL, 0, 0, 0, 0, 0);
        return -ETIMEDOUT;
    }
    return (int)model_op(OP_WAIT, word, 4, expected, bits, ns_of(deadline), clock_of(deadline));
}

int fw_futex_wake(const uint32_t *word, unsigned n, unsigned flags)
{
    return fw_futex_wake_bitset(word, n, FW_FUTEX_ANY_BIT, flags);
}

int fw_futex_wake_bitset(const uint32_t *word, unsigned n, uint32_t bits, unsigned flags)
{
    return (int)model_op(OP_WAKE, word, 4, n, bits | (flags == FW_FUTEX_PRIVATE ? WAKE_PRIVATE : 0),
                         0, 0);
}

int fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to, unsigned n_move,
                     unsigned flags)
{
    (void)flags;
    return (int)model_op(OP_REQUEUE, from, 4, n_wake, (uint64_t)(uintptr_t)to, n_move, 0);
}

int fw_futex_cmp_requeue(const uint32_t *from, uint32_t expected, unsigned n_wake,
                         const uint32_t *to, unsigned n_move, unsigned flags)
{
    (void)flags;
    return (int)model_op(OP_CMP_REQUEUE, from, 4, n_wake, (uint64_t)(uintptr_t)to, n_move,
                         expected);
}

int fw_futex_wait_any(const fw_futex_any *words, unsigned n, const fw_deadline *deadline)
{
    if (model_program->old_kernel)
        return -ENOSYS;
    return (int)model_op(OP_WAIT_ANY, words, n, 0, 0, ns_of(deadline), 0);
}

/* --- src/sys/thread.h and src/sys/fork.h ------------------------------------------------ */

uint32_t fw_self_init_(void)
{
    return fw_self_id_ = subject_id(model_current);
}

uint32_t fw_aliased_number_;

uint32_t fw_fork_generation_(void)
{
    return model_program->generation;
}

bool fw_is_here_(uint32_t id, uint32_t generation)
{
    (void)id; /* the thread that called the fork is none of the program's */
    return generation == model_program->generation;
}

void fw_at_fork_(void (*in_child)(void))
{
    (void)in_child; /* nobody forks here */
}

int fw_fork_handlers_(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before;
    (void)in_parent;
    (void)in_child;
    return 0;
}

/* --- src/sys/cancel.h ----------------------------------------------------------------------- */

/* The clean-up of the sources, then that of the program, which ends the thread. */
_Noreturn static void die(void (*on_cancel)(void *), void *arg)
{
    on_cancel(arg);
    if (model_program->hooks->cancelled != NULL)
        model_program->hooks->cancelled(model_current);
    model_thread_end();
}

void fw_cancel_point_(void (*on_cancel)(void *), void *arg)
{
    if (model_shared.budget.cancels != 0 && model_op(OP_CANCEL, NULL, 0, 0, 0, 0, 0) != 0)
        die(on_cancel, arg);
}

static int after_cancellable(int result, void (*on_cancel)(void *), void *arg)
{
    if (result == -ECANCELED)
        die(on_cancel, arg);
    fw_cancel_point_(on_cancel, arg); /* woken, and cancelled on the way out */
    return result;
}

int fw_futex_wait_cancellable_(const uint32_t *word, uint32_t expected, uint32_t bits,
                               unsigned flags, const fw_deadline *deadline,
                               void (*on_cancel)(void *), void *arg)
{
    int result = (int)model_op(OP_WAIT, word, 4, expected, bits, ns_of(deadline),
                               WAIT_CANCELLABLE | clock_of(deadline));

    (void)flags;
    return after_cancellable(result, on_cancel, arg);
}

int fw_futex_wait_any_cancellable_(const fw_futex_any *words, unsigned n, const fw_deadline *d,
                                   void (*on_cancel)(void *), void *arg)
{
    int result = (int)model_op(OP_WAIT_ANY, words, n, 0, 0, ns_of(d), WAIT_CANCELLABLE);

    return after_cancellable(result, on_cancel, arg);
}

/* --- src/sys/clock.h ------------------------------------------------------------------------ */

uint64_t fw_clock_ns_(void)
{
    if (model_shared.budget.ticks == 0 && !model_program->time_passes) { /* stands still */
        cpus_note_clock(model_current);
        return model_shared.clock;
    }
    return model_op(OP_CLOCK, NULL, 0, 0, 0, 0, 0);
}

void fw_clock_get_(clockid_t clock, struct timespec *now)
{
    uint64_t ns;

    if (clock != CLOCK_REALTIME ||
        (model_shared.budget.clock_steps == 0 && model_shared.budget.ticks == 0))
        ns = fw_clock_ns_() + (clock == CLOCK_REALTIME ? model_shared.real_ahead : 0);
    else
        ns = model_op(OP_CLOCK, NULL, 0, ON_REALTIME, 0, 0, 0);
    now->tv_sec = (time_t)(ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
}

void fw_pause_(void)
{
    cpus_note_pause();
    model_pause();
}

void fw_yield_(void)
{
    fw_pause_();
}

/* --- src/sys/panic.h ------------------------------------------------------------------------ */

void fw_panic_(const char *what, const void *lock, uint32_t caller, uint32_t owner)
{
    (void)lock;
    model_thread_fail("panic", what, caller >> FW_ID_SHIFT, owner >> FW_ID_SHIFT);
}

void fw_panic_errno_(const char *what, int error)
{
    model_thread_fail("panic", what, (uint64_t)error, 0);
}

/* --- sys/cpu_count.h -------------------------------------------------------------------------- */

uint32_t fw_cpus_allowed_(void)
{
    return model_program->cpu_count != 0 ? model_program->cpu_count : 1;
}
