/* SPDX-License-Identifier: MIT */
/*
 * How threads wait between processes.  Contract: nap.h.
 *
 * A nap is measured on CLOCK_MONOTONIC, whatever clock the deadline is on: where somebody sets the
 * other clock back, the nap ends all the same, and the deadline is looked at again.  Its end stands
 * from the first sleep on a word until that says something else, however many sleeps that takes: a
 * thread that gets signals all the time naps like others.
 */
#include "ipc/nap.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "ipc/member.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/running.h"

#define SECOND_NS 1000000000

/* Pauses between looks, at most; with the look at the clock one takes about 50 ns. */
enum { LOOKS_APART = 32 };

int fw_ipc_wait_begin_(struct fw_ipc_wait_ *w, const struct fw_ipc_me_ *me, const void *object,
                       uint32_t how, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    w->me = *me;
    w->object = object;
    w->how = how;
    w->looks = 1;
    w->is_told = false;
    w->has_napped = false;
    w->naps = 0;
    w->word = NULL;
    w->expected = 0;
    w->nap_ends = 0;
    return fw_wait_begin_(&w->poll, policy, deadline);
}

/* Does this holder run?  Its line may be another's by now, which is a wrong guess like others. */
static enum fw_running_ runs(const struct fw_ipc_wait_ *w, uint64_t holder)
{
    const struct fw_ipc_member_ *m = fw_ipc_member_of_(w->me.place, holder);

    return m == NULL ? FW_RUNNING_UNKNOWN
                     : fw_running_in_((uint32_t)fw_load64_relaxed(&m->ids),
                                      (uint32_t)fw_load64_relaxed(&m->pid_namespace));
}

bool fw_ipc_wait_poll_on_(struct fw_ipc_wait_ *w, uint64_t holder)
{
    enum fw_running_ owner =
        w->poll.kind == FW_WAIT_ADAPTIVE ? runs(w, holder) : FW_RUNNING_UNKNOWN;

    for (uint32_t i = 0; i < w->looks; i++)
        if (!fw_wait_poll_knowing_(&w->poll, owner))
            return false;
    if (w->looks < LOOKS_APART)
        w->looks *= 2;
    return true;
}

bool fw_ipc_wait_poll_(struct fw_ipc_wait_ *w)
{
    return fw_ipc_wait_poll_on_(w, 0);
}

void fw_ipc_wait_again_(struct fw_ipc_wait_ *w)
{
    w->looks = 1;
    fw_wait_again_(&w->poll);
}

/* For tools.  The place is stored last: who sees it sees when, and how. */
static void tell(struct fw_ipc_wait_ *w)
{
    struct fw_ipc_member_ *m = w->me.member;

    fw_store64_relaxed(&m->waits_since, fw_clock_ns_());
    fw_store64_relaxed(&m->waits_how, w->how);
    fw_store64_release(&m->waits_for, fw_ipc_offset_(w->me.place, w->object));
    w->is_told = true;
}

/* The nap on this word goes on, or begins.  False: it is over. */
static bool begin_nap(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected, uint64_t now)
{
    if (w->nap_ends == 0 || w->word != word || w->expected != expected) {
        w->word = word;
        w->expected = expected;
        w->nap_ends = now + FW_IPC_NAP_NS_;
    }
    return now < w->nap_ends;
}

static void end_nap(struct fw_ipc_wait_ *w, bool has_napped)
{
    w->has_napped = has_napped;
    if (!has_napped)
        return;
    w->nap_ends = 0;
    /* counted up to the last, of which the second half comes again and again */
    w->naps = w->naps < FW_IPC_NAPS_COUNTED_ ? w->naps + 1 : FW_IPC_NAPS_COUNTED_ / 2 + 1;
}

/* For a policy that never sleeps: to poll for as long as a nap counts as one. */
static int watch(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    end_nap(w, !begin_nap(w, word, expected, fw_clock_ns_()));
    return fw_wait_sleep_(&w->poll, word, expected, FW_FUTEX_ANY_BIT, 0) == -ETIMEDOUT ? ETIMEDOUT
                                                                                       : 0;
}

static fw_deadline point(uint64_t ns)
{
    return (fw_deadline){
        .clock = CLOCK_MONOTONIC,
        .at = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)}};
}

int fw_ipc_wait_sleep_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    fw_deadline end;
    uint64_t now, left;
    bool goes_on;
    int error;

    if (!w->is_told)
        tell(w);
    if (!fw_wait_blocks_(&w->poll))
        return watch(w, word, expected);
    now = fw_clock_ns_();
    goes_on = begin_nap(w, word, expected, now);
    left = fw_deadline_left_(w->poll.deadline, goes_on ? w->nap_ends - now : 1);
    if (left == 0)
        return ETIMEDOUT;
    end = point(now + left);
    error = goes_on ? fw_futex_wait(word, expected, FW_FUTEX_SHARED, &end) : -ETIMEDOUT;
    if (error != 0 && error != -EAGAIN && error != -EINTR && error != -ETIMEDOUT)
        fw_panic_errno_("futex wait between processes", -error);
    if (error == 0)
        fw_running_slept_();
    end_nap(w, error == -ETIMEDOUT);
    return 0;
}

/* A power of two. */
static bool is_time_to_ask(uint32_t naps)
{
    return (naps & (naps - 1)) == 0;
}

enum fw_ipc_life fw_ipc_wait_life_(const struct fw_ipc_wait_ *w, uint64_t holder)
{
    return w->has_napped && is_time_to_ask(w->naps) ? fw_ipc_life_slow_(w->me.place, holder)
                                                    : fw_ipc_life_(w->me.place, holder);
}

void fw_ipc_wait_end_(struct fw_ipc_wait_ *w)
{
    if (w->is_told)
        fw_store64_relaxed(&w->me.member->waits_for, 0);
}

void fw_ipc_wake_(const uint32_t *word, unsigned n)
{
    int woken = fw_futex_wake(word, n, FW_FUTEX_SHARED);

    if (woken < 0)
        fw_panic_errno_("futex wake between processes", -woken);
}
