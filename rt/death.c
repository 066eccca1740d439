/* SPDX-License-Identifier: MIT */
/*
 * Tasks that have died.
 *
 * Nobody is told of a death.  It is found out by those who wait for the dead: the kernel has marked
 * the record's words, or the futex that the dead one leaves behind (FUTEX_OWNER_DIED), or it knows
 * no such thread (ESRCH).
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
 * Where words are kept, they are all that is asked, beside the kernel: an id that was given out
 * anew means nothing to them, and to open files in /proc is nothing for a thread under SCHED_FIFO,
 * since the kernel may wait there for one that is less urgent, in a loop.
 *
 * DEATH1  A record's bits are cleared by others only if its thread is dead, under the record's
 *     lock.
 * DEATH2  A lock is marked (`died`) before the bit of its dead holder is cleared: a task that gets
 *     it afterwards sees the mark.
 * DEATH3  A word that bears a dead thread's id, also with WAITERS (which the kernel sets before it
 *     finds the thread gone), may be written over by a CAS of exactly that: the kernel keeps
 *     nothing for it.  Where the id was given out anew, the kernel does: those who sleep there wake
 *     from their bounded waits, and until then others are answered EINVAL, and back off.
 * DEATH4  Each step may be done twice, and the next one who looks goes on where somebody was
 *     killed.
 * DEATH5  No two records that are LIVE, or DEAD and not reaped to the end, bear the same id: before
 *     a record becomes LIVE, its thread gives back all that bears its id and is not its own.  So
 *     what a reaping frees is not a living task's.
 */
#include <errno.h>
#include <linux/futex.h>

#include "rt/boost_word.h"
#include "rt/internal.h"
#include "sys/futex_pi.h"
#include "sys/origin.h"

_Static_assert(sizeof(struct fw_rt_liveness) >= FW_ROBUST_ROOM_, "room for the entry of a word");

uint64_t fw_rt_started_(uint32_t tid)
{
    struct fw_thread_about_ about;

    return fw_thread_about_(tid, &about) ? about.started : 0;
}

/* --- Is it alive? --------------------------------------------------------------------------- */

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

/* --- What it leaves ------------------------------------------------------------------------- */

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

/* PIP: the word is the lock itself, and who takes it over sees that by itself. */
static void reap_lock(struct fw_rt_state *w, struct fw_rt_lock_record *l, uint32_t tid)
{
    fw_rt_set_died_(w, l); /* F:rt-reaps-quietly */
    if (l->kind == FW_RT_KIND_PCP)
        fw_rt_free_word_(&l->pi_word, tid);
}

static void reap_proxies(struct fw_rt_state *w, uint32_t tid)
{
    uint32_t g;

    for (g = 0; g < FW_RT_PROXIES; g++)
        fw_rt_free_word_(&w->proxy[g], tid);
}

/* A record that says of itself that it is the calling thread, and is not the thread's. */
static bool is_former(const struct fw_rt_task *t, const struct fw_rt_task_record *c)
{
    return c != t->record && fw_load32_relaxed(&c->tid) == t->tid;
}

/* Under the record's lock. */
static void reap(struct fw_rt_task *t, struct fw_rt_task_record *c, uint32_t slot)
{
    struct fw_rt_state *w = t->state;
    uint32_t d, tid = fw_load32_acquire(&c->reaped) == 0 ? c->tid : 0; /* DEATH5 */
    uint64_t left;

    fw_store32_relaxed(&c->state, FW_RT_DEAD); /* LIVE, DEAD -> DEAD */
    fw_rt_boost_reap_(t, slot);
    left = fw_rt_locks_of(c);
    for (d = 0; d < FW_RT_LOCKS; d++) {
        if (left & fw_rt_bit(d)) {
            reap_lock(w, &w->lock[d], tid); /* DEATH2 */
            fw_and64_seq_cst(&c->held, ~fw_rt_bit(d));
        }
    }
    reap_proxies(w, tid);
    fw_store32_relaxed(&c->unlock_call, 0);
    fw_store32_relaxed(&c->proxy, 0);
    fw_store32_relaxed(&c->ready, 0);
    fw_store32_release(&c->reaped, 1); /* DEATH5 */
}

void fw_rt_reap_(struct fw_rt_task *t, uint32_t slot)
{
    struct fw_rt_state *w = t->state;
    struct fw_rt_task_record *c = &w->task[slot % FW_RT_TASKS];
    uint32_t state;

    fw_rt_pi_lock_(w, &c->record_lock, t->tid, t->shared);
    state = fw_load32_relaxed(&c->state);
    if (state == FW_RT_DEAD || (state == FW_RT_LIVE && (is_former(t, c) || !fw_rt_is_alive_(c))))
        reap(t, c, slot);
    fw_rt_pi_unlock_(&c->record_lock, t->tid, t->shared);
}

/*
 * The word bears the calling thread's id, which another one had: on to a task that sleeps there.
 * If that fails, one is on its way that the kernel has made the owner.
 */
static void leave_former(struct fw_rt_task *t, uint32_t *word)
{
    uint32_t seen = t->tid;

    if ((fw_load32_relaxed(word) & FUTEX_TID_MASK) == t->tid &&
        !fw_cas32_release(word, &seen, 0)) /* former -> 0 */
        fw_futex_unlock_pi_(word, t->shared);
}

void fw_rt_reap_former_(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (is_former(t, &w->task[i]))
            fw_rt_reap_(t, i);
    for (i = 0; i < FW_RT_TASKS; i++)
        leave_former(t, &w->task[i].record_lock);
    for (i = 0; i < FW_RT_LOCKS; i++) {
        struct fw_rt_lock_record *l = &w->lock[i];
        leave_former(t, &l->queue_lock);
        if (l->kind == FW_RT_KIND_PIP &&
            (fw_load32_relaxed(&l->pi_word) & FUTEX_TID_MASK) == t->tid)
            fw_rt_set_died_(w, l);
        leave_former(t, &l->pi_word);
    }
    for (i = 0; i < FW_RT_PROXIES; i++)
        leave_former(t, &w->proxy[i]);
}
