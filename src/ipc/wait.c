/* SPDX-License-Identifier: MIT */
/*
 * How threads wait between processes.  Contract: wait.h.
 *
 * A re-check interval is measured on CLOCK_MONOTONIC, whatever clock the deadline is on: if the
 * other clock is set back, the interval ends all the same, and the deadline is checked again.  Its
 * end is fixed from the first sleep on a word until that changes, however many sleeps that takes: a
 * thread that gets signals all the time re-checks as others do.
 */
#include "ipc/wait.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/futex.h>

#include "core/recheck.h"
#include "core/sleep.h"
#include "ipc/region/participant.h"
#include "sys/cancel.h"
#include "sys/clock.h"
#include "sys/panic.h"
#include "sys/running.h"
#include "sys/wait_any.h"

#define SECOND_NS 1000000000

/* What a sleeper can sleep on, beside the alarm. */
#define WORDS (FW_IPC_WATCHED_ + 2)

_Static_assert(WORDS + 1 <= FW_IPC_WORDS_ && FW_IPC_WORDS_ <= FW_FUTEX_WAIT_ANY_MAX,
               "as many words as can be slept on");

/* The first of the words is the one to sleep on. */
static void forget_lives(struct fw_ipc_wait_ *w)
{
    w->is_blind = false;
    w->is_partial = false;
    w->is_late = false;
    w->lives = 1;
    w->n = 1;
    w->more = 0;
}

int fw_ipc_wait_begin_(struct fw_ipc_wait_ *w, const struct fw_ipc_me_ *me, const void *object,
                       uint32_t how, const fw_wait_policy *policy, const fw_deadline *deadline)
{
    w->me = *me;
    w->object = object;
    w->how = how;
    w->looks = 1;
    w->is_told = false;
    w->has_elapsed = false;
    w->asks = false;
    w->owes = false;
    w->rechecks_only = false;
    w->was_queued = false;
    w->rechecks = 0;
    w->met = w->asked = w->questions = 0;
    w->elapsed_ns = 0;
    w->word = NULL;
    w->expected = 0;
    w->most_ns = fw_recheck_longest_(deadline);
    w->first_ns = how == FW_IPC_WAITS_COND ? w->most_ns : FW_RECHECK_IPC_NS;
    w->recheck_ns = w->first_ns;
    w->recheck_at = 0;
    forget_lives(w);
    return fw_ipc_wait_interruptible_(w, policy, deadline);
}

/* For tools.  The object is stored last: a tool that sees it sees since when, and how. */
static void tell(struct fw_ipc_wait_ *w)
{
    struct fw_ipc_participant_ *m = w->me.participant;

    fw_store64_relaxed(&m->waits_since, fw_clock_ns_());
    fw_store32_relaxed(&m->waits_how, w->how);
    fw_store64_release(&m->waits_for, fw_ipc_offset_(w->me.mapping, w->object));
    w->is_told = true;
}

/* --- Lives ------------------------------------------------------------------------------------ */

static uint32_t *alarm_of(const struct fw_ipc_wait_ *w)
{
    return &w->me.mapping->head->alarm;
}

void fw_ipc_wait_compare_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    w->words[w->n++] = (fw_futex_any){word, expected, FW_FUTEX_SHARED};
    w->lives = w->n;
}

/* From the end, so that a life finds room as long as there are fewer than can be watched. */
void fw_ipc_wait_compare_more_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    if (w->n + w->more < WORDS)
        w->words[WORDS - ++w->more] = (fw_futex_any){word, expected, FW_FUTEX_SHARED};
}

/* What is at the end comes behind the lives. */
static uint32_t close_ranks(struct fw_ipc_wait_ *w)
{
    uint32_t n = w->n;

    for (uint32_t i = WORDS - w->more; i < WORDS; i++)
        w->words[n++] = w->words[i];
    return n;
}

void fw_ipc_wait_watch_(struct fw_ipc_wait_ *w, uint64_t holder)
{
    const struct fw_ipc_participant_ *m = fw_ipc_participant_of_(w->me.mapping, holder);
    uint64_t life = m != NULL ? fw_load64_acquire(&m->life) : 0;

    if (life >> 32 != holder >> 32 || (life & FW_ROBUST_OWNER) == 0)
        w->is_late = true; /* F:ipc-life-not-compared */
    else if ((life & FW_ROBUST_WAITERS) == 0)
        w->is_blind = true;
    else if (w->n - w->lives == FW_IPC_WATCHED_ - fw_ipc_wait_has_stop_(w))
        w->is_partial = true;
    else
        w->words[w->n++] = (fw_futex_any){fw_ipc_life_half_(m), (uint32_t)life, FW_FUTEX_SHARED};
    if (w->more > WORDS - w->n)
        w->more--; /* a life comes first */
}

/* Any number does: these scatter threads, and the re-checks of each. */
uint32_t fw_ipc_wait_first_(const struct fw_ipc_wait_ *w, uint32_t count)
{
    uint32_t scattered = (uint32_t)(w->me.id & FW_IPC_SLOT) * UINT32_C(2654435761) +
                         w->rechecks * UINT32_C(2246822519);

    return count > FW_IPC_WATCHED_ ? (uint32_t)((uint64_t)scattered * count >> 32) : 0;
}

/* IWAIT2 */
static void pass_deaths_on(const struct fw_ipc_wait_ *w)
{
    for (uint32_t i = w->lives; i < w->n; i++)
        if (fw_load32_relaxed(w->words[i].word) != w->words[i].expected)
            fw_ipc_wake_(w->words[i].word, FW_FUTEX_ALL);
}

/* Before the first sleep. */
static void begin_debt(struct fw_ipc_wait_ *w)
{
    w->rechecks_only = !fw_can_wait_any_() || !fw_ipc_is_marked_(w->me.participant);
    fw_ipc_debt_begin_(&w->debt, w->me.mapping); /* F:ipc-owes-nothing */
    w->owes = true;                              /* F:ipc-owes-nothing-2 */
}

/* --- Re-check intervals ----------------------------------------------------------------------- */

static bool is_blind(const struct fw_ipc_wait_ *w)
{
    return w->rechecks_only || w->is_blind;
}

/* A power of two. */
static bool is_time_to_ask(uint32_t rechecks)
{
    return (rechecks & (rechecks - 1)) == 0;
}

/* All that it watches is compared again: IWAIT7. */
static bool is_safe(const struct fw_ipc_wait_ *w)
{
    return 2 * (w->n + w->more) + 1 <= FW_IPC_WORDS_;
}

static uint64_t next_interval(const struct fw_ipc_wait_ *w, bool is_same)
{
    uint64_t ns = is_blind(w) ? FW_RECHECK_IPC_NS : is_same ? w->recheck_ns : w->first_ns;

    return (w->is_partial || !is_safe(w)) && ns > FW_RECHECK_REALTIME_NS ? FW_RECHECK_REALTIME_NS
                                                                         : ns; /* IWAIT4 */
}

/* The interval on this word goes on, or begins.  False: it is over. */
static bool begin_recheck(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected,
                          uint64_t now)
{
    bool is_same = w->word == word && w->expected == expected;
    uint64_t ns = next_interval(w, is_same);

    if (!is_same || ns != w->recheck_ns || w->recheck_at == 0)
        w->recheck_at = now + ns;
    w->word = word;
    w->expected = expected;
    w->recheck_ns = ns;
    return now < w->recheck_at;
}

static void end_recheck(struct fw_ipc_wait_ *w, bool has_elapsed)
{
    w->has_elapsed = has_elapsed;
    w->questions = 0;
    w->elapsed_ns = 0;
    if (!has_elapsed)
        return;
    w->recheck_at = 0;
    /* counted up to the last, of which the second half comes again and again */
    w->rechecks =
        w->rechecks < FW_IPC_RECHECKS_COUNTED_ ? w->rechecks + 1 : FW_IPC_RECHECKS_COUNTED_ / 2 + 1;
    w->asks = !is_blind(w) || is_time_to_ask(w->rechecks) || w->asked != 0;
    w->questions = FW_IPC_QUESTIONS_;
    w->elapsed_ns = w->recheck_ns;
    if (!is_blind(w))
        w->recheck_ns = fw_recheck_longer_(w->recheck_ns, w->most_ns);
}

static bool is_asking(const struct fw_ipc_wait_ *w)
{
    return w->has_elapsed && w->asks;
}

/* The re-check that comes before a sleep ends, and maybe a round of questions. */
static void end_look(struct fw_ipc_wait_ *w)
{
    if (is_asking(w) && w->asked >= w->met)
        w->asked = 0;
    w->met = 0;
    w->questions = 0;
}

/* For a policy that never sleeps: to spin for as long as an interval counts as one. */
static int watch(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    end_recheck(w, !begin_recheck(w, word, expected, fw_clock_ns_()));
    return fw_wait_sleep_(&w->spin, word, expected, FW_FUTEX_ANY_BIT, 0) == -ETIMEDOUT ? ETIMEDOUT
                                                                                       : 0;
}

static fw_deadline point(uint64_t ns)
{
    return (fw_deadline){
        .clock = CLOCK_MONOTONIC,
        .at = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)}};
}

static int sleep_on_word(const fw_futex_any *word, const fw_deadline *end,
                         const struct fw_ipc_cancel_ *cancel)
{
    return cancel == NULL ? fw_sleep_(word->word, word->expected, word->flags, end)
                          : fw_sleep_cancellable_(word->word, word->expected, word->flags, end,
                                                  cancel->call, cancel->arg);
}

/* As fw_futex_wait. */
static int sleep_on_all(struct fw_ipc_wait_ *w, const fw_deadline *end,
                        const struct fw_ipc_cancel_ *cancel)
{
    const uint32_t *alarm = alarm_of(w);
    uint32_t n, all;
    int answer;

    fw_ipc_wait_compare_stop_(w, WORDS);
    n = close_ranks(w);
    w->words[n] = (fw_futex_any){alarm, fw_load32_relaxed(alarm), FW_FUTEX_SHARED};
    /* IWAIT7  F:ipc-alarm-last  F:ipc-lives-once */
    all = fw_compare_again_(w->words, 0, n, n + 1, FW_IPC_WORDS_);
    answer = cancel == NULL /* F:ipc-deaf-to-alarm */
                 ? fw_sleep_any_(w->words, all, end)
                 : fw_sleep_any_cancellable_(w->words, all, end, cancel->call, cancel->arg);
    /* F:ipc-keeps-death */
    pass_deaths_on(w);
    if (answer == (int)n || (answer == 1 && w->lives > 1)) { /* the last is told, of several */
        /* F:ipc-keeps-alarm */
        fw_ipc_wake_(alarm, FW_FUTEX_ALL);
        w->recheck_ns = w->first_ns; /* IWAIT6 */
        w->recheck_at = 0;
    }
    return answer > 0 ? 0 : answer;
}

static int sleep_until(struct fw_ipc_wait_ *w, const fw_deadline *end,
                       const struct fw_ipc_cancel_ *cancel)
{
    int error =
        w->rechecks_only ? sleep_on_word(w->words, end, cancel) : sleep_on_all(w, end, cancel);

    if (!w->rechecks_only && fw_cannot_sleep_any_(error)) { /* IWAIT3: for once, or for good */
        fw_deadline recheck = fw_deadline_recheck_(end, FW_RECHECK_IPC_NS);
        w->rechecks_only = error != -ENOMEM;
        error = sleep_on_word(w->words, &recheck, cancel);
        error = error == -ETIMEDOUT ? 0 : error;
    }
    if (error == 0)
        fw_running_slept_();
    return error;
}

int fw_ipc_wait_sleep_cancellable_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected,
                                   const struct fw_ipc_cancel_ *cancel)
{
    bool is_late = w->is_late, goes_on;
    fw_deadline end;
    uint64_t now, left;
    int error;

    if (!w->is_told)
        tell(w);
    end_look(w);
    if (fw_ipc_wait_is_interrupted_(w)) {
        forget_lives(w);
        return ETIMEDOUT;
    }
    if (!fw_wait_blocks_(&w->spin)) {
        forget_lives(w);
        return watch(w, word, expected);
    }
    if (!w->owes)
        begin_debt(w);
    now = fw_clock_ns_();
    goes_on = begin_recheck(w, word, expected, now);
    left = fw_deadline_left_(w->spin.deadline, goes_on ? w->recheck_at - now : 1);
    if (left == 0) {
        forget_lives(w);
        return ETIMEDOUT;
    }
    w->words[0] = (fw_futex_any){word, expected, FW_FUTEX_SHARED};
    end = point(now + left);
    /* F:ipc-sleeps-for-good */
    error = !goes_on ? -ETIMEDOUT : is_late ? -EAGAIN : sleep_until(w, &end, cancel);
    w->was_queued = true;
    fw_ipc_wait_slept_(w, error);
    end_recheck(w, error == -ETIMEDOUT);
    forget_lives(w);
    return 0;
}

int fw_ipc_wait_sleep_(struct fw_ipc_wait_ *w, const uint32_t *word, uint32_t expected)
{
    return fw_ipc_wait_sleep_cancellable_(w, word, expected, NULL);
}

static enum fw_ipc_life ask(const struct fw_ipc_wait_ *w, uint64_t holder)
{
    return fw_ipc_was_asked_about_(w->me.mapping, holder, w->elapsed_ns / FW_IPC_RECHECK_PARTS_)
               ? FW_IPC_ALIVE
               : fw_ipc_life_slow_(w->me.mapping, holder); /* F:ipc-asks-nobody */
}

enum fw_ipc_life fw_ipc_wait_life_(const struct fw_ipc_wait_ *w, uint64_t holder)
{
    enum fw_ipc_life life = fw_ipc_life_(w->me.mapping, holder);

    return life == FW_IPC_ALIVE && is_asking(w) ? ask(w, holder) : life;
}

void fw_ipc_wait_look_(struct fw_ipc_wait_ *w)
{
    w->met = 0;
}

enum fw_ipc_life fw_ipc_wait_life_of_many_(struct fw_ipc_wait_ *w, uint64_t holder)
{
    enum fw_ipc_life life = fw_ipc_life_(w->me.mapping, holder);
    uint32_t nth;

    if (life != FW_IPC_ALIVE || !is_asking(w))
        return life;
    nth = w->met++;
    if (nth < w->asked || w->questions == 0)
        return life;
    w->asked = nth + 1;
    w->questions--;
    return ask(w, holder);
}

void fw_ipc_wait_cancelled_(struct fw_ipc_wait_ *w)
{
    pass_deaths_on(w);
    fw_ipc_wake_(alarm_of(w), FW_FUTEX_ALL);
}

void fw_ipc_wait_queued_(struct fw_ipc_wait_ *w, const uint32_t *word)
{
    w->word = word;
    w->was_queued = true;
}

void fw_ipc_wait_pass_on_(struct fw_ipc_wait_ *w)
{
    if (w->was_queued) /* F:ipc-new-holder-unwatched */
        fw_ipc_wake_(w->word, 1);
    w->was_queued = false;
}

void fw_ipc_wait_end_(struct fw_ipc_wait_ *w)
{
    if (w->is_told)
        fw_store64_relaxed(&w->me.participant->waits_for, 0);
    if (w->owes)
        fw_ipc_debt_end_(&w->debt);
    w->is_told = w->owes = false;
}

void fw_ipc_wake_(const uint32_t *word, unsigned n)
{
    int woken = fw_futex_wake(word, n, FW_FUTEX_SHARED);

    if (woken < 0)
        fw_panic_errno_("futex wake between processes", -woken);
}
