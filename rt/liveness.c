/* SPDX-License-Identifier: MIT */
/*
 * Does the thread of a record live, and is the record a task's at all?
 *
 * A record has two words of which the kernel knows from the thread's robust list (sys/robust.h).
 * It goes through the list when the thread ends or calls exec, and marks those that bear the
 * thread's id.  A task that calls exec and is not the first thread of its process has by then
 * become the first one, and bears the process's id.
 *
 * liveness[0], [1]     meaning                              left by
 * -------------------  -----------------------------------  ---------------------------------------
 * 0, 0                 not kept: the kernel has no such     who begins: its ids
 *                      lists (an emulator), or nobody's
 * thread, process      the thread lives, and has not        that one: 0, 0.  The kernel: DIED, 0
 *                      called exec                          or both
 * DIED, process;       it has ended                         who begins, in that record
 *   DIED, DIED
 * thread, DIED         it has called exec, as not the       the same
 *                      first thread
 * anything else        it was written over
 *
 * LIVE1  The kernel goes through the list, and only then hands on the futexes with priority
 *     inheritance for which others wait; both between the marks of its own "is ending" and "has
 *     ended".  Whoever asks for a futex of a thread that is ending waits for the second (since
 *     Linux 5.5, "exiting" in kernel/futex), and so for both.
 *
 * Where words are kept, they are all that is asked, beside the kernel: an id that was given out
 * anew means nothing to them, and to open files in /proc is nothing for a thread under SCHED_FIFO,
 * since the kernel may wait there for one that is less urgent, in a loop.
 */
#include <errno.h>
#include <linux/futex.h>

#include "rt/boost_word.h"
#include "rt/internal.h"
#include "sys/futex_pi.h"
#include "sys/origin.h"

_Static_assert(sizeof(struct fw_rt_liveness) >= FW_ROBUST_ROOM_, "the entry of a word fits");

uint64_t fw_rt_started_(uint32_t tid)
{
    struct fw_thread_about_ about;

    return fw_thread_about_(tid, &about) ? about.started : 0;
}

static bool is_marked(uint32_t word)
{
    return (word & ~FW_ROBUST_WAITERS) == FW_ROBUST_DIED;
}

enum fw_rt_liveness_state fw_rt_liveness_(const struct fw_rt_task_record *c)
{
    uint32_t thread = fw_load32_acquire(&c->liveness[0].word), process = c->liveness[1].word;

    if (is_marked(thread) || is_marked(process))
        return FW_RT_IS_DEAD;
    if (thread == 0)
        return FW_RT_IS_UNKNOWN;
    return thread == fw_load32_relaxed(&c->tid) ? FW_RT_IS_ALIVE : FW_RT_IS_CORRUPT;
}

void fw_rt_liveness_begin_(struct fw_rt_task *t)
{
    struct fw_rt_liveness *liveness = t->record->liveness;

    liveness[0].word = liveness[1].word =
        0; /* the kernel looks at words that bear an id of the thread's */
    if (!fw_robust_link_(&liveness[0].word))
        return;
    if (!fw_robust_link_(&liveness[1].word)) {
        fw_robust_unlink_(&liveness[0].word);
        return;
    }
    fw_store32_release(&liveness[1].word, fw_process_id_()); /* 0, DIED -> process */
    fw_store32_release(&liveness[0].word, t->tid);           /* 0, DIED -> thread */
}

void fw_rt_liveness_end_(struct fw_rt_task *t)
{
    struct fw_rt_liveness *liveness = t->record->liveness;

    if (liveness[0].word == 0)
        return;
    fw_store32_release(&liveness[0].word, 0); /* thread -> 0 */
    fw_store32_release(&liveness[1].word, 0); /* process -> 0 */
    fw_robust_unlink_(&liveness[1].word);
    fw_robust_unlink_(&liveness[0].word);
}

/* Asks for a futex that is said to be that thread's: zombies are none, unlike for kill(2). */
bool fw_rt_no_thread_(uint32_t tid)
{
    uint32_t word = tid;

    return tid == 0 || fw_futex_trylock_pi_(&word, FW_FUTEX_PRIVATE) == -ESRCH;
}

/* The kernel answers for a thread that is just ending once it has done with the thread's words. */
void fw_rt_await_end_(uint32_t tid)
{
    (void)fw_rt_no_thread_(tid); /* LIVE1 */
}

bool fw_rt_is_gone_(const struct fw_rt_task_record *c)
{
    enum fw_rt_liveness_state liveness = fw_rt_liveness_(c);

    return liveness == FW_RT_IS_DEAD ||
           (liveness != FW_RT_IS_CORRUPT && fw_rt_no_thread_(fw_load32_relaxed(&c->tid)));
}

bool fw_rt_is_alive_(const struct fw_rt_task_record *c)
{
    uint32_t tid = fw_load32_relaxed(&c->tid);
    enum fw_rt_liveness_state liveness = fw_rt_liveness_(c);

    if (liveness == FW_RT_IS_DEAD)
        return false;
    if (liveness == FW_RT_IS_CORRUPT) /* not known to be dead; and it is not what it says it is */
        return true;
    if (fw_rt_no_thread_(tid))
        return false;
    return liveness == FW_RT_IS_ALIVE || c->started == 0 ||
           !fw_is_another_start_(c->started, fw_rt_started_(tid));
}

/* --- Is it a task's? -------------------------------------------------------------------------- */

/* Does the record say what no task, alive or dead, has written?  Or it is just being taken. */
static bool is_nonsense(const struct fw_rt_task_record *c)
{
    uint32_t state = fw_load32_acquire(&c->state);

    return state == FW_RT_LIVE ? fw_rt_liveness_(c) == FW_RT_IS_CORRUPT : state != FW_RT_DEAD;
}

/* How often a record was taken: the same before and after means that none was in between. */
static uint32_t times_begun(const struct fw_rt_state *w)
{
    return fw_load32_acquire(&w->begun) & (FW_RT_ORPHANED - 1);
}

static bool is_said_to_be_with(const struct fw_rt_state *w, uint32_t slot, uint32_t d)
{
    const struct fw_rt_lock_record *l = &w->lock[d];

    return (fw_load64_seq_cst(&w->task[slot].held) & fw_rt_bit(d)) != 0 ||
           (fw_rt_is_boosting(l->kind) && fw_rt_word_owner(fw_load32_acquire(&l->counter)) == slot);
}

bool fw_rt_is_nobodys_(const struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    const struct fw_rt_state *w = t->state;
    const struct fw_rt_task_record *c = &w->task[slot % FW_RT_TASKS];
    uint32_t begun = times_begun(w);

    return is_nonsense(c) && is_said_to_be_with(w, slot % FW_RT_TASKS, d) && is_nonsense(c) &&
           times_begun(w) == begun;
}

int fw_rt_check_holder_(struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    if (!fw_rt_is_nobodys_(t, slot, d))
        return 0;
    return fw_rt_fail_(EUCLEAN,
                       "the group was written over: record %u has \"%.31s\", and is no task's",
                       (unsigned)slot, t->state->lock[d].name);
}

/* --- What the dead leave ---------------------------------------------------------------------- */

void fw_rt_free_word_(uint32_t *word, uint32_t tid)
{
    uint32_t seen = fw_load32_relaxed(word);

    while ((seen & FUTEX_TID_MASK) == tid && tid != 0)
        if (fw_cas32_relaxed(word, &seen, 0)) /* the dead thread's -> 0 */
            return;
}

/* Counted first: a count too many costs time, one that is missing the news. */
void fw_rt_set_died_(struct fw_rt_state *w, struct fw_rt_lock_record *l)
{
    fw_add32_acq_rel(&w->begun, FW_RT_ORPHANED);
    if (fw_xchg32_acquire(&l->died, 1) != 0)
        fw_add32_acq_rel(&w->begun, -FW_RT_ORPHANED);
}

bool fw_rt_is_told_(struct fw_rt_state *w, struct fw_rt_lock_record *l)
{
    if (fw_load32_relaxed(&l->died) == 0 || fw_xchg32_acquire(&l->died, 0) == 0)
        return false;
    fw_add32_acq_rel(&w->begun, -FW_RT_ORPHANED);
    return true;
}
