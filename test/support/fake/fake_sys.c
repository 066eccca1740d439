/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/futex.h>

#include "core/thread_state.h"
#include "fake.h"
#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/release.h"
#include "sys/running.h"
#include "sys/slice.h"
#include "sys/thread.h"

/* The rest of the fake kernel: threads, time, releases, panics. */

struct fake fake;
__thread uint32_t fw_self_id_;

void fake_reset(void)
{
    memset(&fake, 0, sizeof fake);
    fake.plain_works = true;
    fake.next_id = FAKE_ID(FAKE_SELF);
    fake.next_serial = 7;
    fake.urgency_known = -1;
    fake.now_ns = UINT64_C(3600000000000);
    fake.real_minus_monotonic_ns = INT64_C(1000000000000000);
    fake.pause_ns = 10;
    fake.yield_ns = 1000;
    fw_self_id_ = FAKE_ID(FAKE_SELF);
}

uint32_t fake_as(uint32_t tid)
{
    uint32_t before = fw_self_id_;

    fw_self_id_ = FAKE_ID(tid);
    return before;
}

const struct fake_call *fake_nth(enum fake_kind kind, unsigned nth)
{
    for (unsigned i = 0; i < fake.n_calls; i++)
        if (fake.calls[i].kind == kind && nth-- == 0)
            return &fake.calls[i];
    return NULL;
}

fw_deadline fake_deadline(clockid_t clock, int64_t ns)
{
    int64_t at = (int64_t)fake.now_ns + ns;
    fw_deadline d = {.clock = clock};

    if (clock == CLOCK_REALTIME)
        at += fake.real_minus_monotonic_ns;
    d.at.tv_sec = (time_t)(at / 1000000000);
    d.at.tv_nsec = (long)(at % 1000000000);
    return d;
}

struct fake_call *fake_note(enum fake_kind kind, const uint32_t *word)
{
    struct fake_call *call = &fake.calls[fake.n_calls];

    if (fake.n_calls == FAKE_CALLS)
        fake_impossible("the code under test goes round and round");
    fake.n_calls++;
    memset(call, 0, sizeof *call);
    call->kind = kind;
    call->word = word;
    if (word)
        call->seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    return call;
}

_Noreturn void fake_impossible(const char *why)
{
    fprintf(stderr, "fake kernel: %s (after %u calls)\n", why, fake.n_calls);
    abort();
}

uint32_t fw_self_init_(void)
{
    fake.self_inits++;
    return fw_self_id_ = fake.next_id;
}

uint32_t fw_aliased_number_;

uint32_t fw_fork_generation_(void)
{
    return fake.fork_generation;
}

int fw_futex_wait_cancellable_(const uint32_t *word, uint32_t expected, uint32_t bits,
                               unsigned flags, const fw_deadline *deadline,
                               void (*on_cancel)(void *), void *arg)
{
    int result;

    fake.on_cancel = on_cancel;
    fake.cancel_arg = arg;
    result = fw_futex_wait_bitset(word, expected, bits, flags, deadline);
    fake.on_cancel = NULL;
    return result;
}

void fw_cancel_point_(void (*on_cancel)(void *), void *arg)
{
    (void)on_cancel;
    (void)arg;
    fake.cancel_points++;
}

bool fw_wake_later_(const void *lock, const uint32_t *word)
{
    if (fake.later_lock != NULL)
        return false;
    fake.later_lock = lock;
    fake.later_word = word;
    return true;
}

void fw_wake_now_(const void *lock)
{
    if (fake.later_lock != lock)
        return;
    fake.later_lock = NULL;
    fw_futex_wake(fake.later_word, 1, FW_FUTEX_PRIVATE);
}

bool fw_spinning_pays_(enum fw_spin_ what)
{
    (void)what;
    return fake.polling_pays;
}

void fw_spinning_ended_(enum fw_spin_ what, bool has_paid)
{
    (void)what;
    fake.polling_found = has_paid;
}

bool fw_is_here_(uint32_t id, uint32_t generation)
{
    return generation == fake.fork_generation || id == fake.inherited_id;
}

void fw_at_fork_(void (*in_child)(void))
{
    (void)in_child;
}

int fw_fork_handlers_(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before;
    (void)in_parent;
    (void)in_child;
    return 0;
}

uint32_t fw_stamp_(void)
{
    return ++fake.next_stamp;
}

uint32_t fw_serial_(void)
{
    return fake.next_serial++;
}

bool fw_one_in_(uint32_t n)
{
    fake.one_in_asked = n;
    return fake.one_in;
}

bool fw_is_overdue_(const void *lock, bool is_waking)
{
    (void)lock;
    return is_waking && fake.overdue;
}

void fw_running_begin_(void)
{
    fake.running_begins++;
}

void fw_running_slept_(void)
{
    fake.running_sleeps++;
}

enum fw_running_ fw_running_in_(uint32_t tid, uint32_t pid_namespace)
{
    fake.running_asked++;
    fake.running_asked_tid = tid;
    fake.running_asked_namespace = pid_namespace;
    return fake.on_running != NULL ? fake.on_running(tid, pid_namespace) : fake.running;
}

enum fw_running_ fw_running_(uint32_t tid)
{
    return fw_running_in_(tid, 0);
}

bool fw_cpu_is_wanted_(void)
{
    return fake.cpu_wanted;
}

uint64_t fw_clock_ns_(void)
{
    uint64_t now = fake.now_ns;

    fake.clock_looks++;
    fake.now_ns += fake.clock_step_ns;
    return now;
}

void fw_clock_get_(clockid_t clock, struct timespec *now)
{
    uint64_t ns = fw_clock_ns_();

    if (clock == CLOCK_REALTIME)
        ns += (uint64_t)fake.real_minus_monotonic_ns;
    now->tv_sec = (time_t)(ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
}

static void poll_hook(void)
{
    uint32_t id = fw_self_id_;

    if (fake.on_poll)
        fake.on_poll();
    fw_self_id_ = id;
}

void fw_pause_(void)
{
    fake.pauses++;
    fake.now_ns += fake.pause_ns;
    poll_hook();
}

void fw_yield_(void)
{
    fake.yields++;
    fake.now_ns += fake.yield_ns;
    poll_hook();
}

bool fw_release_plain_(uint64_t *state, uint32_t id)
{
    uint32_t self = fw_self_id_;

    fake.plains++;
    if (fake.on_plain)
        fake.on_plain(state);
    fw_self_id_ = self;
    if (!fake.plain_works || __atomic_load_n(state, __ATOMIC_RELAXED) != id)
        return false;
    __atomic_store_n((uint32_t __attribute__((may_alias)) *)state, 0, __ATOMIC_RELEASE);
    return true;
}

bool fw_release_quiet_(uint64_t *state)
{
    return fw_release_plain_(state, (uint32_t)__atomic_load_n(state, __ATOMIC_RELAXED));
}

int fw_release_fence_(void)
{
    uint32_t id = fw_self_id_;
    struct fake_call *call = fake_note(FAKE_FENCE, NULL);

    fake.fences++;
    if (fake.on_fence)
        fake.on_fence();
    fw_self_id_ = id;
    return call->result = fake.fence_result;
}

static _Noreturn void panicked(void)
{
    if (!fake.panic_expected) {
        fprintf(stderr, "unexpected panic: %s: lock %p, caller %x, owner %x, error %d\n",
                fake.panic_what, fake.panic_lock, (unsigned)fake.panic_caller,
                (unsigned)fake.panic_owner, fake.panic_error);
        abort();
    }
    longjmp(fake.panic_jump, 1);
}

_Noreturn void fw_panic_(const char *what, const void *lock, uint32_t caller, uint32_t owner)
{
    fake.panic_what = what;
    fake.panic_lock = lock;
    fake.panic_caller = caller;
    fake.panic_owner = owner;
    panicked();
}

_Noreturn void fw_panic_errno_(const char *what, int error)
{
    fake.panic_what = what;
    fake.panic_error = error;
    panicked();
}

void fw_slice_ask_(const void *lock)
{
    (void)lock;
}

void fw_slice_done_(const void *lock)
{
    (void)lock;
}
