/* SPDX-License-Identifier: MIT */
/*
 * The mutex that inherits priority.  Contract: mutex_pi.h.  Layout: object.h.  Bits: sys/robust.h.
 *
 * Origin: Molnar, Gleixner, "PI-futexes" (Linux 2.6.18); the protocol is the C library's and the
 * kernel's, and processes that run without this library take part.  What is new is how one waits:
 * doc/design/drop-in-kinds.md.
 *
 *   word         meaning                          left by
 *   0            free                             lock: -> id
 *   id           held                             unlock: -> 0; kernel: -> id|W, for a waiter
 *   id|W         held; has waiters in the kernel  kernel: -> id2|W, to the most urgent waiter;
 *                                                 -> 0, where nobody waits any more
 *   DIED[|W]     robust: the owner has died       kernel: -> id|DIED[|W]
 *   id|DIED[|W]  robust: taken from a dead owner  lock: -> id[|W], EOWNERDEAD
 *
 *   owner        beside the word, as in mutex_robust.c
 *
 *   PPI1  Only 0 -> id and id -> 0 are made without the kernel: neither is possible while it has a
 *         waiter.  So nobody overtakes a waiter that is asleep, and its priority counts.
 *   PPI2  Robust: the word is announced to the kernel as in mutex_robust.c, PROB2.
 *   PPI3  A thread spins for a bounded time: while it does, the owner does not have its priority.
 *         One that has a real-time priority, or may have inherited one, hardly spins at all.
 *
 * A mutex that is not robust and whose owner has died is held forever; its waiters wait forever.
 */
#include "mutex_pi.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/sleep.h"
#include "mutex_type.h"
#include "sys/clock.h"
#include "sys/futex_pi.h"
#include "sys/panic.h"
#include "sys/robust.h"
#include "sys/robust_list.h"
#include "sys/schedule.h"

/* How long a thread spins, first with pauses and then yielding: "How to wait" there. */
#define GLANCE_NS 2000u
#define SPIN_NS 100000u

/* Looks at the word between two looks at the clock. */
#define LOOKS 8u

/* Where spinning has failed it is tried again at full length at one wait in this many. */
#define WAITS_PER_TRIAL 8u

/* Of the calling thread. */
static __thread struct {
    uint32_t budget_ns; /* how long it spun last, or is to spin next */
    uint32_t failures;
} mine = {.budget_ns = SPIN_NS};

static uint32_t owner_of(uint32_t word)
{
    return word & FW_ROBUST_OWNER;
}

static bool has_died(uint32_t word)
{
    return (word & FW_ROBUST_DIED) != 0;
}

static bool is_robust(const struct fw_posix_mutex_ *m)
{
    return (m->kind & FW_KIND_ROBUST) != 0;
}

/* The kernel looks for waiters of the dead in shared memory only. */
static unsigned flags_of(const struct fw_posix_mutex_ *m)
{
    return (m->kind & (FW_KIND_ROBUST | FW_KIND_SHARED)) != 0 ? FW_FUTEX_SHARED : FW_FUTEX_PRIVATE;
}

/* A mutex that was destroyed has all bits set. */
static bool is_possible(const struct fw_posix_mutex_ *m)
{
    return (m->kind & FW_KIND_PROTECT) == 0;
}

bool fw_pi_is_there_(void)
{
    uint32_t nobodys = 0;

    return fw_futex_unlock_pi_(&nobodys, FW_FUTEX_PRIVATE) != -ENOSYS;
}

/* id -> 0, or what the kernel makes of it.  Nothing of the mutex is touched afterwards. */
static void put_back(struct fw_posix_mutex_ *m, uint32_t id)
{
    unsigned flags = flags_of(m);
    uint32_t now = id;

    if (fw_cas32_release(&m->word, &now, 0))
        return;
    fw_add32_release(&m->word, 0); /* the kernel is a barrier, but none that a sanitizer sees */
    fw_futex_unlock_pi_(&m->word, flags);
}

/* The word, which is `now`, is the caller's. */
static int have(struct fw_posix_mutex_ *m, uint32_t id, uint32_t now)
{
    if (is_robust(m) && fw_load32_relaxed(&m->owner) == FW_OWNER_GONE) {
        m->shared_count = 0;
        put_back(m, id);
        return ENOTRECOVERABLE;
    }
    if (has_died(now)) {
        m->shared_count = 1;
        fw_store32_relaxed(&m->owner, FW_OWNER_INCONSISTENT);
        fw_and32_relaxed(&m->word, ~FW_ROBUST_DIED); /* id|DIED[|W] -> id[|W] */
    } else {
        fw_type_sign_(m, id);
    }
    if (is_robust(m))
        fw_robust_enter_(&m->word, FW_ROBUST_INHERITS);
    fw_inheriting_++;
    return has_died(now) ? EOWNERDEAD : 0;
}

/* Nobody will release it: sleeps until the deadline. */
static int wait_for_deadline(const fw_deadline *deadline)
{
    fw_sleep_until_(deadline);
    return ETIMEDOUT;
}

/* The kernel's answer is not that the caller has it. */
static int refused(const struct fw_posix_mutex_ *m, int error, const fw_deadline *deadline)
{
    switch (-error) {
    case ETIMEDOUT:
    case EINVAL:
    case EPERM:
        return -error;
    case EDEADLK:
        if (fw_kind_type_(m->kind) == FW_KIND_ERRORCHECK || fw_type_is_recursive_(m))
            return EDEADLK; /* not of this mutex alone: that was looked for */
        return wait_for_deadline(deadline);
    case ESRCH:
        return wait_for_deadline(deadline);
    default:
        fw_panic_errno_("futex lock_pi", -error);
    }
}

static int ask_kernel(struct fw_posix_mutex_ *m, uint32_t id, const fw_deadline *deadline)
{
    int error = fw_futex_lock_pi_(&m->word, flags_of(m), deadline);
    uint32_t now;

    if (error != 0)
        return refused(m, error, deadline);
    now = fw_load32_acquire(&m->word); /* with put_back's */
    if (has_died(now) && !is_robust(m))
        return wait_for_deadline(deadline);
    return have(m, id, now);
}

/* 0 -> id, where that is possible */
static bool take(struct fw_posix_mutex_ *m, uint32_t id)
{
    uint32_t now = fw_load32_relaxed(&m->word);

    return now == 0 && fw_cas32_acquire(&m->word, &now, id);
}

static bool glance(struct fw_posix_mutex_ *m, uint32_t id, uint64_t end)
{
    do {
        for (unsigned i = 0; i < LOOKS; i++) {
            fw_pause_();
            if (take(m, id))
                return true;
        }
    } while (fw_clock_ns_() < end);
    return false;
}

/* Half as long after each failure; all of it after a success, and now and then. */
static uint32_t budget(void)
{
    return mine.failures % WAITS_PER_TRIAL == WAITS_PER_TRIAL - 1 ? SPIN_NS : mine.budget_ns;
}

/* Yields to any thread that could run here: to the owner, perhaps. */
static bool spin_yielding(struct fw_posix_mutex_ *m, uint32_t id, uint64_t end)
{
    do {
        fw_yield_();
        if (take(m, id)) {
            mine.budget_ns = SPIN_NS;
            return true;
        }
    } while (fw_clock_ns_() < end);
    mine.failures++;
    if (mine.budget_ns > GLANCE_NS)
        mine.budget_ns /= 2;
    return false;
}

/* PPI3.  False: time to ask the kernel. */
static bool spin(struct fw_posix_mutex_ *m, uint32_t id)
{
    uint64_t end = fw_clock_ns_() + GLANCE_NS;

    if (glance(m, id, end))
        return true;
    return fw_inheriting_ == 0 && !fw_is_real_time_() && spin_yielding(m, id, end + budget());
}

static int wait_for_it(struct fw_posix_mutex_ *m, uint32_t id, const fw_deadline *deadline)
{
    if (!fw_deadline_is_valid_(deadline))
        return EINVAL;
    if (deadline != NULL && deadline->at.tv_sec < 0)
        return EINVAL; /* so says the kernel, and the C library with it */
    return spin(m, id) ? have(m, id, id) : ask_kernel(m, id, deadline);
}

/* Without asking the kernel.  FW_TYPE_WAITS: not got; *now is the word as it was seen. */
static int attempt(struct fw_posix_mutex_ *m, uint32_t id, uint32_t *now)
{
    *now = 0;
    if (fw_cas32_acquire(&m->word, now, id)) /* 0 -> id */
        return have(m, id, id);
    return owner_of(*now) == id ? fw_type_relock_(m) : FW_TYPE_WAITS;
}

static int try_it(struct fw_posix_mutex_ *m, uint32_t id)
{
    uint32_t now;
    int error = attempt(m, id, &now);

    if (error != FW_TYPE_WAITS)
        return error;
    if (!has_died(now) || !is_robust(m) || fw_futex_trylock_pi_(&m->word, flags_of(m)) != 0)
        return EBUSY;
    return have(m, id, fw_load32_relaxed(&m->word));
}

static int lock_it(struct fw_posix_mutex_ *m, uint32_t id, const fw_deadline *deadline)
{
    uint32_t now;
    int error = attempt(m, id, &now);

    return error == FW_TYPE_WAITS ? wait_for_it(m, id, deadline) : error;
}

int fw_pi_trylock_(struct fw_posix_mutex_ *m)
{
    struct fw_robust_ r;
    int error;

    if (!is_possible(m))
        return EINVAL;
    if (!is_robust(m))
        return try_it(m, fw_robust_self_());
    fw_robust_announce_as_(&r, &m->word, FW_ROBUST_INHERITS); /* PPI2 */
    error = try_it(m, r.id);
    fw_robust_withdraw_(&r);
    return error;
}

int fw_pi_lock_(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    struct fw_robust_ r;
    int error;

    if (!is_possible(m))
        return EINVAL;
    if (!is_robust(m))
        return lock_it(m, fw_robust_self_(), deadline);
    fw_robust_announce_as_(&r, &m->word, FW_ROBUST_INHERITS); /* PPI2 */
    error = lock_it(m, r.id, deadline);
    fw_robust_withdraw_(&r);
    return error;
}

/* The caller has it for the last time. */
static void release(struct fw_posix_mutex_ *m, uint32_t id, bool is_sound)
{
    struct fw_robust_ r;

    fw_inheriting_--;
    if (!is_robust(m)) {
        fw_type_clear_(m, 0);
        put_back(m, id);
        return;
    }
    fw_robust_announce_as_(&r, &m->word, FW_ROBUST_INHERITS); /* PPI2 */
    fw_robust_leave_(&m->word);
    fw_type_clear_(m, is_sound ? 0 : FW_OWNER_GONE);
    put_back(m, id);
    fw_robust_withdraw_(&r);
}

int fw_pi_unlock_(struct fw_posix_mutex_ *m)
{
    uint32_t id = fw_robust_self_();
    bool is_sound = fw_load32_relaxed(&m->owner) != FW_OWNER_INCONSISTENT;

    if (!is_possible(m))
        return EINVAL;
    if (owner_of(fw_load32_relaxed(&m->word)) != id)
        return EPERM;
    if (fw_type_is_recursive_(m) && --m->shared_count != 0)
        return is_sound ? 0 : ENOTRECOVERABLE;
    release(m, id, is_sound);
    return 0;
}
