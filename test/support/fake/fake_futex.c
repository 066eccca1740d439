/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "sys/thread.h"

/* Futexes of the fake kernel: a first-in first-out list of nested sleepers. */

static uint64_t deadline_ns(const fw_deadline *d)
{
    int64_t at = (int64_t)d->at.tv_sec * 1000000000 + d->at.tv_nsec;

    if (d->clock == CLOCK_REALTIME)
        at -= fake.real_minus_monotonic_ns;
    return at < 0 ? 0 : (uint64_t)at;
}

static void check_word(const uint32_t *word, unsigned flags)
{
    if ((uintptr_t)word % 4 != 0)
        fake_impossible("a misaligned futex word");
    if (flags != FW_FUTEX_PRIVATE && flags != FW_FUTEX_SHARED)
        fake_impossible("unknown futex flags");
}

/* The sleeper was not woken by the hook: the deadline decides. */
static int nobody_came(const fw_deadline *deadline)
{
    if (!deadline)
        fake_impossible("a sleep that nothing ends");
    if (fake.now_ns < deadline_ns(deadline))
        fake.now_ns = deadline_ns(deadline);
    return -ETIMEDOUT;
}

static int sleep_here(struct fake_call *call, const fw_deadline *deadline)
{
    struct fake_sleeper *me = &fake.sleepers[fake.n_sleepers];
    int answer = FAKE_COMPARE;
    bool woken;

    if (fake.n_sleepers == FAKE_SLEEPERS)
        fake_impossible("too many nested sleepers");
    *me = (struct fake_sleeper){call->word, call->bits, false, fw_self_id_};
    fake.n_sleepers++;
    fake.real_minus_monotonic_ns += fake.set_real_by_ns;
    fake.set_real_by_ns = 0;
    if (fake.on_sleep)
        answer = fake.on_sleep(call);
    fw_self_id_ = me->id;
    woken = me->woken;
    fake.n_sleepers--;
    if (woken)
        return 0;
    return answer == FAKE_COMPARE ? nobody_came(deadline) : answer;
}

/*
 * on_wait runs first, while the caller is on its way into the kernel; an answer other than
 * FAKE_COMPARE is returned at once.  Then the word is compared.  Then on_sleep runs while the
 * caller sleeps.  If a wake reached the sleeper meanwhile, the wait returns 0; else what the hook
 * answered; or, where that is FAKE_COMPARE, the deadline passes; without one the test has failed.
 */
int fw_futex_wait_bitset(const uint32_t *word, uint32_t expected, uint32_t bits, unsigned flags,
                         const fw_deadline *deadline)
{
    struct fake_call *call = fake_note(FAKE_WAIT, word);
    int answer = FAKE_COMPARE;
    uint32_t id = fw_self_id_;

    check_word(word, flags);
    fake.waits++;
    call->expected = expected;
    call->bits = bits;
    call->flags = flags;
    call->has_deadline = deadline != NULL;
    if (deadline)
        call->deadline = *deadline;
    if (bits == 0)
        return call->result = -EINVAL;
    if (deadline && (deadline->at.tv_nsec < 0 || deadline->at.tv_nsec > 999999999))
        return call->result = -EINVAL;
    if (deadline && deadline->clock != CLOCK_MONOTONIC && deadline->clock != CLOCK_REALTIME)
        return call->result = -EINVAL;
    if (fake.on_wait)
        answer = fake.on_wait(call);
    fw_self_id_ = id;
    if (answer != FAKE_COMPARE)
        return call->result = answer;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != expected)
        return call->result = -EAGAIN;
    return call->result = sleep_here(call, deadline);
}

int fw_futex_wait(const uint32_t *word, uint32_t expected, unsigned flags,
                  const fw_deadline *deadline)
{
    return fw_futex_wait_bitset(word, expected, FW_FUTEX_ANY_BIT, flags, deadline);
}

static unsigned wake_sleepers(const uint32_t *word, unsigned n, uint32_t bits)
{
    unsigned woken = 0;

    for (unsigned i = 0; i < fake.n_sleepers && woken < n; i++) {
        struct fake_sleeper *s = &fake.sleepers[i];

        if (s->word != word || s->woken || !(s->bits & bits))
            continue;
        s->woken = true;
        woken++;
    }
    return woken;
}

int fw_futex_wake_bitset(const uint32_t *word, unsigned n, uint32_t bits, unsigned flags)
{
    struct fake_call *call = fake_note(FAKE_WAKE, word);

    check_word(word, flags);
    fake.wakes++;
    call->n = n;
    call->bits = bits;
    call->flags = flags;
    if (n > FW_FUTEX_ALL || bits == 0)
        return call->result = -EINVAL;
    if (fake.on_wake)
        fake.on_wake(call);
    if (fake.wake_result < 0)
        return call->result = fake.wake_result;
    return call->result = (int)wake_sleepers(word, n, bits);
}

int fw_futex_wake(const uint32_t *word, unsigned n, unsigned flags)
{
    return fw_futex_wake_bitset(word, n, FW_FUTEX_ANY_BIT, flags);
}

static int requeue(struct fake_call *call, const uint32_t *to, unsigned n_wake, unsigned n_move,
                   unsigned flags)
{
    unsigned moved = 0, woken;

    check_word(call->word, flags);
    check_word(to, flags);
    fake.requeues++;
    call->to = to;
    call->n = n_wake;
    call->n_move = n_move;
    call->flags = flags;
    call->bits = FW_FUTEX_ANY_BIT;
    woken = wake_sleepers(call->word, n_wake, FW_FUTEX_ANY_BIT);
    for (unsigned i = 0; i < fake.n_sleepers && moved < n_move; i++) {
        struct fake_sleeper *s = &fake.sleepers[i];

        if (s->word != call->word || s->woken)
            continue;
        s->word = to;
        moved++;
    }
    call->result = (int)(woken + moved);
    return call->result;
}

int fw_futex_requeue(const uint32_t *from, unsigned n_wake, const uint32_t *to, unsigned n_move,
                     unsigned flags)
{
    return requeue(fake_note(FAKE_REQUEUE, from), to, n_wake, n_move, flags);
}

int fw_futex_cmp_requeue(const uint32_t *from, uint32_t expected, unsigned n_wake,
                         const uint32_t *to, unsigned n_move, unsigned flags)
{
    struct fake_call *call = fake_note(FAKE_CMP_REQUEUE, from);

    call->expected = expected;
    if (call->seen != expected) {
        fake.requeues++;
        return call->result = -EAGAIN;
    }
    return requeue(call, to, n_wake, n_move, flags);
}

int fw_futex_wait_any(const fw_futex_any *words, unsigned n, const fw_deadline *deadline)
{
    struct fake_call *call = fake_note(FAKE_WAIT_ANY, n ? words[0].word : NULL);

    call->n = n;
    call->has_deadline = deadline != NULL;
    return call->result = fake.on_wait_any ? fake.on_wait_any(words, n) : -ENOSYS;
}
