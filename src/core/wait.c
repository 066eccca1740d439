/* SPDX-License-Identifier: MIT */
/*
 * How to wait: one policy for all locks.  Contract: furwock/wait.h and wait.h.
 *
 * Origin: the choice of blocking, yielding and spinning is Franke, Russell and Kirkwood's (OLS
 * 2002, section 2); the reasoning about the budget is Gustedt's (INRIA RR-8818, section 3.2):
 * spinning pays for as long as it costs no more than a failed sleep would, t_mono = E * t_fail.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "core/wait.h"
#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/panic.h"

/* The built-in budget: doc/design/mutex.md, "How long to spin", has the measurement. */
#define SPIN_DEFAULT_NS 7000u

/*
 * While the owner is seen to run, a waiter spins at most this long: where nobody else wants its
 * CPU, and where somebody does.  doc/design/adaptive.md, "How long".
 */
#define ALONE_NS 200000u
#define WANTED_NS 25000u

/* A policy that never sleeps spins this long before it queues. */
#define PATIENCE_NS 500000u

#define BUILT_IN ((uint64_t)FW_WAIT_ADAPTIVE << 32 | SPIN_DEFAULT_NS)

/* The process default in one word, so that it is read and changed in one step. */
static uint64_t process_default = BUILT_IN;

/* Does spin_ns mean anything to this kind? */
static bool has_budget(fw_wait_kind kind)
{
    return kind == FW_WAIT_SPIN_THEN_BLOCK || kind == FW_WAIT_ADAPTIVE;
}

static bool policy_is_valid(const fw_wait_policy *p)
{
    return p->kind >= FW_WAIT_DEFAULT && p->kind <= FW_WAIT_ADAPTIVE &&
           (!has_budget(p->kind) || p->spin_ns <= FW_WAIT_SPIN_MAX_NS);
}

int fw_wait_set_default(const fw_wait_policy *policy)
{
    if (policy == NULL || !policy_is_valid(policy))
        return EINVAL;
    if (policy->kind == FW_WAIT_DEFAULT)
        fw_store64_relaxed(&process_default, BUILT_IN);
    else
        fw_store64_relaxed(&process_default, (uint64_t)policy->kind << 32 | policy->spin_ns);
    return 0;
}

fw_wait_policy fw_wait_get_default(void)
{
    uint64_t d = fw_load64_relaxed(&process_default);
    return (fw_wait_policy){(fw_wait_kind)(d >> 32), (uint32_t)d};
}

int fw_wait_begin_(struct fw_wait_ *w, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    fw_wait_policy p;

    if (policy != NULL && !policy_is_valid(policy))
        return EINVAL;
    if (!fw_deadline_is_valid_(deadline))
        return EINVAL;
    p = policy == NULL || policy->kind == FW_WAIT_DEFAULT ? fw_wait_get_default() : *policy;
    w->kind = p.kind;
    w->budget_ns = p.kind == FW_WAIT_BLOCK ? 0 : has_budget(p.kind) ? p.spin_ns : PATIENCE_NS;
    w->deadline = deadline;
    w->spinning = false;
    w->asks = false;
    return 0;
}

bool fw_wait_is_over_(const struct fw_wait_ *w)
{
    return fw_deadline_is_over_(w->deadline);
}

/* Lets time pass without sleeping. */
static void spin_once(const struct fw_wait_ *w)
{
    if (w->kind == FW_WAIT_YIELD)
        fw_yield_();
    else
        fw_pause_();
}

/* Spins once.  How long this phase has lasted; more than any budget if the wait has timed out. */
static uint64_t spin_and_look(struct fw_wait_ *w)
{
    uint64_t now;

    spin_once(w);
    if (fw_wait_is_over_(w))
        return UINT64_MAX;
    now = fw_clock_ns_();
    if (!w->spinning) {
        w->spinning = true;
        w->began_ns = now;
    }
    return now - w->began_ns;
}

bool fw_wait_spin_(struct fw_wait_ *w)
{
    return w->budget_ns != 0 && spin_and_look(w) < w->budget_ns;
}

bool fw_wait_spin_knowing_(struct fw_wait_ *w, enum fw_running_ owner)
{
    uint64_t spun;

    if (w->kind == FW_WAIT_ADAPTIVE && !w->asks) { /* waits for no owner pay nothing for all this */
        w->asks = true;
        fw_running_begin_();
    }
    if (w->kind != FW_WAIT_ADAPTIVE || owner == FW_RUNNING_UNKNOWN)
        return fw_wait_spin_(w);
    if (owner == FW_RUNNING_NO) /* F:sleeps-at-once */
        return false;           /* F:spins-on */
    spun = spin_and_look(w);
    /* F:spins-forever */
    return spun < WANTED_NS || (spun < ALONE_NS && !fw_cpu_is_wanted_());
}

void fw_wait_again_(struct fw_wait_ *w)
{
    w->spinning = false;
}

bool fw_wait_blocks_(const struct fw_wait_ *w)
{
    return w->kind == FW_WAIT_BLOCK || has_budget(w->kind);
}

/* Sleeps for a short time only; when that is over it counts as a spurious wake. */
static int sleep_a_slice(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                         uint64_t slice_ns)
{
    fw_deadline end = fw_deadline_recheck_(w->deadline, slice_ns); /* F:recheck-by-realtime */
    int error = fw_futex_wait_bitset(word, expected, bits, FW_FUTEX_PRIVATE, &end);

    if (error == -ETIMEDOUT)
        return fw_wait_is_over_(w) ? -ETIMEDOUT : 0;
    return error;
}

int fw_wait_sleep_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                   uint64_t slice_ns)
{
    int error;

    if (!fw_wait_blocks_(w)) {
        spin_once(w);
        return fw_wait_is_over_(w) ? -ETIMEDOUT : 0;
    }
    error = slice_ns != 0
                ? sleep_a_slice(w, word, expected, bits, slice_ns)
                : fw_futex_wait_bitset(word, expected, bits, FW_FUTEX_PRIVATE, w->deadline);
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait", -error);
    if (error == 0 && w->asks)
        fw_running_slept_();
    return error;
}

int fw_wait_sleep_cancellable_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected,
                               uint32_t bits, void (*on_cancel)(void *))
{
    int error;

    if (!fw_wait_blocks_(w)) {
        fw_cancel_point_(on_cancel, w);
        return fw_wait_sleep_(w, word, expected, bits, 0);
    }
    error = fw_futex_wait_cancellable_(word, expected, bits, FW_FUTEX_PRIVATE, w->deadline,
                                       on_cancel, w);
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT &&
        error != -EFAULT)
        fw_panic_errno_("futex wait", -error);
    return error;
}
