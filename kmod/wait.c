/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "module.h"

/*
 * The calls that sleep, and those that end a sleep: what is around the core.
 *
 * A signal ends a sleep with -ERESTARTSYS: with SA_RESTART, or without a handler, the call is made
 * again, with the same absolute deadline.  Nothing is remembered in the thread:
 * -ERESTART_RESTARTBLOCK would leave a pointer into the module behind, where it can be called after
 * the module has gone.
 */

enum { URGENT = 1, ORDINARY = MAX_RT_PRIO + URGENT };

/* As Linux's futex: real-time threads by their priority (deadline threads first), all others alike.
  */
int fwk_waiter_init(struct fwk_waiter *w, u32 lower)
{
    int priority = READ_ONCE(current->normal_prio);

    if (lower > FW_KERNEL_LOWEST)
        return -EINVAL;
    memset(w, 0, sizeof *w);
    w->task = current;
    w->self = (u64)task_pid_vnr(current);
    w->priority = (u64)(priority < MAX_RT_PRIO ? priority + URGENT : ORDINARY) + lower;
    return 0;
}

void fwk_deadline_start(struct fwk_deadline *d, const struct fw_kernel_wait *call)
{
    d->is_set = call->deadline != FW_KERNEL_NEVER;
    if (!d->is_set)
        return;
    fwk_sleeper_init(&d->sleeper,
                     (call->flags & FW_KERNEL_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    hrtimer_set_expires_range_ns(&d->sleeper.timer, ns_to_ktime(max_t(s64, call->deadline, 0)),
                                 current->timer_slack_ns);
    hrtimer_sleeper_start_expires(&d->sleeper, HRTIMER_MODE_ABS);
}

void fwk_deadline_end(struct fwk_deadline *d)
{
    if (!d->is_set)
        return;
    hrtimer_cancel(&d->sleeper.timer);
    destroy_hrtimer_on_stack(&d->sleeper.timer);
}

int fwk_sleep(struct fwk_waiter *w, struct fwk_deadline *d, long slice)
{
    int result = 0;

    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
        if (!fwk_is_queued(w))
            break;
        result = -ETIMEDOUT;
        if (d->is_set && d->sleeper.task == NULL)
            break;
        result = -ERESTARTSYS;
        if (signal_pending(current))
            break;
        result = 0;
        if (slice == 0) {
            schedule();
        } else {
            slice = schedule_timeout(slice);
            if (slice == 0 && fwk_is_queued(w)) {
                result = -EAGAIN;
                break;
            }
        }
    }
    __set_current_state(TASK_RUNNING);
    return result;
}

#define WAIT_FLAGS (FWK_KEY_FLAGS | FW_KERNEL_REALTIME)

long fwk_do_wait(const struct fw_kernel_wait *call)
{
    fwk_word word = fwk_word_at(call->word);
    struct fwk_deadline deadline;
    struct fwk_waiter w;
    long error;

    if ((call->flags & ~WAIT_FLAGS) != 0 || fwk_waiter_init(&w, call->lower) != 0)
        return -EINVAL;
    error = fwk_key_make(&w.key, call->word, call->flags, FWK_WAIT, false);
    if (error != 0)
        return error;
    while ((error = fwk_wait(&fwk_table, &w, word, call->expected)) == -EFAULT)
        if ((error = fwk_fault_in(word, false)) != 0)
            break;
    if (error == 0) {
        fwk_deadline_start(&deadline, call);
        error = fwk_sleep(&w, &deadline, 0);
        if (error != 0 && !fwk_unqueue(&w))
            error = 0; /* it was woken as well */
        fwk_deadline_end(&deadline);
    }
    fwk_hold_release(&w.key.hold);
    return error;
}

long fwk_do_wake(const struct fw_kernel_wake *call)
{
    struct fwk_key key;
    long n;

    if ((call->flags & ~FWK_KEY_FLAGS) != 0 || call->number != 0 || call->count > FW_KERNEL_ALL)
        return -EINVAL;
    n = fwk_key_make(&key, call->word, call->flags, FWK_WAIT, true);
    if (n != 0)
        return n;
    n = fwk_wake(&fwk_table, &key, call->count);
    fwk_hold_release(&key.hold);
    return n;
}

long fwk_do_requeue(const struct fw_kernel_requeue *call, bool compares)
{
    struct fwk_key from, to;
    struct fwk_requeue r = {.from = &from,
                            .to = &to,
                            .wake = call->wake,
                            .move = call->requeue,
                            .word = fwk_word_at(call->word),
                            .expected = call->expected,
                            .compares = compares};
    long n;

    if ((call->flags & ~FWK_KEY_FLAGS) != 0 || call->padding != 0 || call->wake > FW_KERNEL_ALL ||
        call->requeue > FW_KERNEL_ALL || (!compares && call->expected != 0))
        return -EINVAL;
    n = fwk_key_make(&from, call->word, call->flags, FWK_WAIT, true);
    if (n != 0)
        return n;
    n = fwk_key_make(&to, call->target, call->flags, FWK_WAIT, true);
    if (n != 0)
        goto out;
    n = -EINVAL;
    if (from.object != to.object || from.offset != to.offset)
        while ((n = fwk_requeue(&fwk_table, &r)) == -EFAULT)
            if ((n = fwk_fault_in(r.word, false)) != 0)
                break;
    fwk_hold_release(&to.hold);
out:
    fwk_hold_release(&from.hold);
    return n;
}

/* How a look at the word went: 0, and the call goes on; or it ends, by *result. */
static bool has_ended(int outcome, fwk_word word, long *result)
{
    switch (outcome) {
    case -EFAULT:
        *result = fwk_fault_in(word, true);
        return *result != 0;
    case -EAGAIN:
        cond_resched();
        *result = signal_pending(current) ? -ERESTARTSYS : 0;
        return *result != 0;
    case FWK_QUEUED:
        return false;
    case FWK_TAKEN_DEAD:
        *result = -EOWNERDEAD;
        return true;
    default:
        *result = outcome;
        return true;
    }
}

/* The queue is left for good: what is the result, where it was `error` so far? */
static long give_up(struct fwk_waiter *w, const struct fwk_acquire *a, long error)
{
    switch (fwk_acquire_end(&fwk_table, w, a)) {
    case FWK_TAKEN:
        return 0;
    case FWK_TAKEN_DEAD:
        return -EOWNERDEAD;
    default:
        return error;
    }
}

static long acquire(struct fwk_waiter *w, struct fwk_acquire *a, struct fwk_deadline *d,
                    const struct fwk_owner_rules *rules)
{
    bool is_first = true;
    long result;
    int outcome;

    for (;;) {
        if (rules != NULL && rules->is_adaptive && rules->spin(w, a->word))
            return 0;
        if (rules != NULL && is_first)
            a->dead = rules->dead_owner(a->word);
        is_first = false;
        outcome = fwk_acquire(&fwk_table, w, a);
        if (has_ended(outcome, a->word, &result))
            return outcome == FWK_TAKEN || outcome == FWK_TAKEN_DEAD ? result
                                                                     : give_up(w, a, result);
        a->dead = 0;
        if (outcome != FWK_QUEUED)
            continue;
        while ((result = fwk_sleep(w, d, rules != NULL ? rules->slice : 0)) == -EAGAIN) {
            a->dead = rules->dead_owner(a->word);
            if (a->dead != 0 && fwk_unqueue(w))
                break;
        }
        if (result == 0 && w->outcome == FWK_GRANTED)
            return 0;
        if (result != 0 && result != -EAGAIN)
            return give_up(w, a, result);
    }
}

long fwk_do_acquire(const struct fw_kernel_wait *call, u64 kind,
                    const struct fwk_owner_rules *rules)
{
    struct fwk_acquire a = {.protocol = fwk_protocol_of(kind), .word = fwk_word_at(call->word)};
    struct fwk_deadline deadline;
    struct fwk_waiter w;
    long error;

    if (call->expected != 0 || fwk_waiter_init(&w, call->lower) != 0)
        return -EINVAL;
    error = fwk_key_make(&w.key, call->word, call->flags & FWK_KEY_FLAGS, kind, true);
    if (error != 0)
        return error;
    fwk_deadline_start(&deadline, call);
    error = acquire(&w, &a, &deadline, rules);
    fwk_deadline_end(&deadline);
    fwk_hold_release(&w.key.hold);
    return error;
}

long fwk_do_release(const struct fw_kernel_wake *call, u64 kind)
{
    u32 policy = call->flags & (FW_KERNEL_FAIR | FW_KERNEL_RANDOM);
    struct fwk_release r = {.protocol = fwk_protocol_of(kind),
                            .word = fwk_word_at(call->word),
                            .self = (u32)task_pid_vnr(current)};
    struct fwk_key key;
    long n, error = 0;

    if ((call->flags & ~(FWK_KEY_FLAGS | FW_KERNEL_FAIR | FW_KERNEL_RANDOM)) != 0 ||
        policy == (FW_KERNEL_FAIR | FW_KERNEL_RANDOM) || call->number != 0 || call->count != 1)
        return -EINVAL;
    r.policy = policy == 0 ? FWK_GREEDY : policy == FW_KERNEL_FAIR ? FWK_FAIR : FWK_RANDOM;
    n = fwk_key_make(&key, call->word, call->flags & FWK_KEY_FLAGS, kind, true);
    if (n != 0)
        return n;
    r.key = &key;
    while ((n = fwk_release(&fwk_table, &r)) == -EFAULT || n == -EAGAIN)
        if (has_ended((int)n, r.word, &error))
            break;
    fwk_hold_release(&key.hold);
    return error != 0 ? error : n;
}

long fwk_do_down(const struct fw_kernel_wait *call)
{
    if ((call->flags & ~WAIT_FLAGS) != 0)
        return -EINVAL;
    return fwk_do_acquire(call, FWK_COUNT, NULL);
}

long fwk_do_up(const struct fw_kernel_wake *call)
{
    return fwk_do_release(call, FWK_COUNT);
}
