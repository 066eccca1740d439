/* SPDX-License-Identifier: MIT */
/*
 * How to wait: one policy for all locks.  Contract: furwock/wait.h and wait.h.
 *
 * Origin: the choice of blocking, yielding and spinning is Franke, Russell and Kirkwood's (OLS
 * 2002, section 2); the reasoning about the budget is Gustedt's (INRIA RR-8818, section 3.2):
 * polling pays for as long as it costs no more than a failed sleep would, t_mono = E * t_fail.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "wait.h"

/* The built-in budget: doc/mutex.md, "How long to spin", has the measurement. */
#define SPIN_DEFAULT_NS 7000u

/* A policy that never sleeps polls this long before it stands in line. */
#define PATIENCE_NS 500000u

/* The process default in one word, so that it is read and changed in one step. */
static uint64_t process_default = (uint64_t)FW_WAIT_SPIN_THEN_BLOCK << 32 | SPIN_DEFAULT_NS;

static bool policy_is_valid(const fw_wait_policy *p)
{
    return p->kind >= FW_WAIT_DEFAULT && p->kind <= FW_WAIT_YIELD &&
           (p->kind != FW_WAIT_SPIN_THEN_BLOCK || p->spin_ns <= FW_WAIT_SPIN_MAX_NS);
}

int fw_wait_set_default(const fw_wait_policy *policy)
{
    if (policy == NULL || !policy_is_valid(policy))
        return EINVAL;
    if (policy->kind == FW_WAIT_DEFAULT)
        fw_store64_relaxed(&process_default,
                           (uint64_t)FW_WAIT_SPIN_THEN_BLOCK << 32 | SPIN_DEFAULT_NS);
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
    w->budget_ns = p.kind == FW_WAIT_BLOCK             ? 0
                   : p.kind == FW_WAIT_SPIN_THEN_BLOCK ? p.spin_ns
                                                       : PATIENCE_NS;
    w->deadline = deadline;
    w->polling = false;
    return 0;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* The point that lies ns (less than a second) from now. */
static fw_deadline in_ns(clockid_t clock, uint64_t ns)
{
    fw_deadline d = {.clock = clock};

    fw_clock_get_(clock, &d.at);
    d.at.tv_nsec += (long)ns;
    if (d.at.tv_nsec >= 1000000000) {
        d.at.tv_nsec -= 1000000000;
        d.at.tv_sec++;
    }
    return d;
}

bool fw_wait_is_over_(const struct fw_wait_ *w)
{
    struct timespec now;

    if (w->deadline == NULL)
        return false;
    fw_clock_get_(w->deadline->clock, &now);
    return !is_before(&now, &w->deadline->at);
}

/* Lets time pass without sleeping. */
static void poll_once(const struct fw_wait_ *w)
{
    if (w->kind == FW_WAIT_YIELD)
        fw_yield_();
    else
        fw_pause_();
}

bool fw_wait_poll_(struct fw_wait_ *w)
{
    uint64_t now;

    if (w->budget_ns == 0)
        return false;
    poll_once(w);
    if (fw_wait_is_over_(w))
        return false;
    now = fw_clock_ns_();
    if (!w->polling) {
        w->polling = true;
        w->began_ns = now;
    }
    return now - w->began_ns < w->budget_ns;
}

void fw_wait_again_(struct fw_wait_ *w)
{
    w->polling = false;
}

bool fw_wait_blocks_(const struct fw_wait_ *w)
{
    return w->kind == FW_WAIT_BLOCK || w->kind == FW_WAIT_SPIN_THEN_BLOCK;
}

/* Sleeps for a short time only; when that is over it counts as a spurious wake. */
static int sleep_a_slice(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                         uint64_t slice_ns)
{
    fw_deadline end = in_ns(w->deadline != NULL ? w->deadline->clock : CLOCK_MONOTONIC, slice_ns);
    int error;

    if (w->deadline != NULL && is_before(&w->deadline->at, &end.at))
        end = *w->deadline;
    error = fw_futex_wait_bitset(word, expected, bits, FW_FUTEX_PRIVATE, &end);
    if (error == -ETIMEDOUT)
        return fw_wait_is_over_(w) ? -ETIMEDOUT : 0;
    return error;
}

int fw_wait_sleep_(struct fw_wait_ *w, const uint32_t *word, uint32_t expected, uint32_t bits,
                   uint64_t slice_ns)
{
    int error;

    if (!fw_wait_blocks_(w)) {
        poll_once(w);
        return fw_wait_is_over_(w) ? -ETIMEDOUT : 0;
    }
    error = slice_ns != 0
                ? sleep_a_slice(w, word, expected, bits, slice_ns)
                : fw_futex_wait_bitset(word, expected, bits, FW_FUTEX_PRIVATE, w->deadline);
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait", -error);
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
    error = fw_futex_wait_cancellable_(word, expected, bits, w->deadline, on_cancel, w);
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT &&
        error != -EFAULT)
        fw_panic_errno_("futex wait", -error);
    return error;
}
