/* SPDX-License-Identifier: MIT */
/*
 * Tasks that have died.
 *
 * Nobody is told of a death.  It is found out by those who wait for the dead: the kernel has marked
 * the cell's words, or the futex that the dead one leaves behind (FUTEX_OWNER_DIED), or it knows no
 * such thread (ESRCH).
 *
 * A cell has two words of which the kernel knows from the thread's robust list (sys/robust.h).  It
 * goes through the list when the thread ends or calls exec, and marks those that bear the thread's
 * id.  Who calls exec and is not the first thread of its process has by then become the first one,
 * and bears the process's id.
 *
 * life[0], life[1]     meaning                              left by
 * -------------------  -----------------------------------  ---------------------------------------
 * 0, 0                 not kept: the kernel has no such     who begins: its ids
 *                      lists (an emulator), or nobody's
 * thread, process      the thread lives, and has not        that one: 0, 0.  The kernel: DIED, 0
 *                      called exec                          or both
 * DIED, process;       it has ended                         who begins, in that cell
 *   DIED, DIED
 * thread, DIED         it has called exec, as not the       the same
 *                      first thread
 * anything else        it was written over
 *
 * Where words are kept, they are all that is asked, beside the kernel: an id that was given out
 * anew means nothing to them, and to open files in /proc is nothing for a thread under SCHED_FIFO,
 * since the kernel may wait there for one that is less urgent, in a loop.
 *
 * L1  A cell's bits are cleared by others only if its thread is dead, under the cell's watch.
 * L2  A lock is marked (`died`) before the bit of its dead holder is cleared: who gets it
 *     afterwards sees the mark.
 * L3  A word that bears a dead thread's id, also with WAITERS (which the kernel sets before it
 *     finds the thread gone), may be written over by a CAS of exactly that: the kernel keeps
 *     nothing for it.  Where the id was given out anew, the kernel does: those who sleep there wake
 *     from their naps, and until then others are answered EINVAL, and take a breath.
 * L4  Each step may be done twice, and the next one who looks goes on where somebody was killed.
 * L5  No two cells that are LIVE, or DEAD and not buried to the end, bear the same id: before a
 *     cell becomes LIVE, its thread gives back all that bears its id and is not its own.  So what a
 *     burial frees is not a living task's.
 */
#include <errno.h>
#include <linux/futex.h>

#include "rt/boost_word.h"
#include "rt/internal.h"
#include "sys/futex_pi.h"
#include "sys/origin.h"

_Static_assert(sizeof(struct fw_rt_life) >= FW_ROBUST_ROOM_, "room for the entry of a word");

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

enum fw_rt_life_state fw_rt_life_(const struct fw_rt_task_cell *c)
{
    uint32_t thread = fw_load32_acquire(&c->life[0].word), process = c->life[1].word;

    if (is_marked(thread) || is_marked(process))
        return FW_RT_IS_DEAD;
    if (thread == 0)
        return FW_RT_IS_UNKNOWN;
    return thread == fw_load32_relaxed(&c->tid) ? FW_RT_IS_ALIVE : FW_RT_IS_UNREAL;
}

void fw_rt_life_begins_(struct fw_rt_task *t)
{
    struct fw_rt_life *life = t->cell->life;

    life[0].word = life[1].word = 0; /* the kernel looks at words that bear an id of the thread's */
    if (!fw_robust_link_(&life[0].word))
        return;
    if (!fw_robust_link_(&life[1].word)) {
        fw_robust_unlink_(&life[0].word);
        return;
    }
    fw_store32_release(&life[1].word, fw_process_id_()); /* 0, DIED -> process */
    fw_store32_release(&life[0].word, t->tid);           /* 0, DIED -> thread */
}

void fw_rt_life_ends_(struct fw_rt_task *t)
{
    struct fw_rt_life *life = t->cell->life;

    if (life[0].word == 0)
        return;
    fw_store32_release(&life[0].word, 0); /* thread -> 0 */
    fw_store32_release(&life[1].word, 0); /* process -> 0 */
    fw_robust_unlink_(&life[1].word);
    fw_robust_unlink_(&life[0].word);
}

/* Asks for a futex that is said to be that thread's: zombies are none, unlike for kill(2). */
bool fw_rt_no_thread_(uint32_t tid)
{
    uint32_t word = tid;

    return tid == 0 || fw_futex_trylock_pi_(&word, FW_FUTEX_PRIVATE) == -ESRCH;
}

bool fw_rt_is_gone_(const struct fw_rt_task_cell *c)
{
    enum fw_rt_life_state life = fw_rt_life_(c);

    return life == FW_RT_IS_DEAD ||
           (life != FW_RT_IS_UNREAL && fw_rt_no_thread_(fw_load32_relaxed(&c->tid)));
}

bool fw_rt_is_alive_(const struct fw_rt_task_cell *c)
{
    uint32_t tid = fw_load32_relaxed(&c->tid);
    enum fw_rt_life_state life = fw_rt_life_(c);

    if (life == FW_RT_IS_DEAD)
        return false;
    if (life == FW_RT_IS_UNREAL) /* not known to be dead; and it is not what it says it is */
        return true;
    if (fw_rt_no_thread_(tid))
        return false;
    return life == FW_RT_IS_ALIVE || c->started == 0 ||
           !fw_is_another_start_(c->started, fw_rt_started_(tid));
}

/* Does the cell say what no task, alive or dead, has written?  Or it is just being taken. */
static bool is_nonsense(const struct fw_rt_task_cell *c)
{
    uint32_t state = fw_load32_acquire(&c->state);

    return state == FW_RT_LIVE ? fw_rt_life_(c) == FW_RT_IS_UNREAL : state != FW_RT_DEAD;
}

/* How often a cell was taken: the same before and after means that none was in between. */
static uint32_t times_begun(const struct fw_rt_world *w)
{
    return fw_load32_acquire(&w->begun) & (FW_RT_BEREFT - 1);
}

static bool is_said_to_be_with(const struct fw_rt_world *w, uint32_t slot, uint32_t d)
{
    const struct fw_rt_lock_cell *l = &w->lock[d];

    return (fw_load64_seq_cst(&w->task[slot].held) & fw_rt_bit(d)) != 0 ||
           (fw_rt_is_boosting(l->kind) && fw_rt_word_owner(fw_load32_acquire(&l->counter)) == slot);
}

bool fw_rt_is_nobodys_(const struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    const struct fw_rt_world *w = t->world;
    const struct fw_rt_task_cell *c = &w->task[slot % FW_RT_TASKS];
    uint32_t begun = times_begun(w);

    return is_nonsense(c) && is_said_to_be_with(w, slot % FW_RT_TASKS, d) && is_nonsense(c) &&
           times_begun(w) == begun;
}

int fw_rt_check_holder_(struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    if (!fw_rt_is_nobodys_(t, slot, d))
        return 0;
    return fw_rt_fail_(EUCLEAN,
                       "the group was written over: cell %u has \"%.31s\", and is no task's",
                       (unsigned)slot, t->world->lock[d].name);
}

/* --- What it leaves ------------------------------------------------------------------------- */

void fw_rt_free_gate_(uint32_t *gate, uint32_t tid)
{
    uint32_t seen = fw_load32_relaxed(gate);

    while ((seen & FUTEX_TID_MASK) == tid && tid != 0)
        if (fw_cas32_relaxed(gate, &seen, 0)) /* the dead thread's -> 0 */
            return;
}

/* Counted first: a count too many costs time, one that is missing the news. */
void fw_rt_set_died_(struct fw_rt_world *w, struct fw_rt_lock_cell *l)
{
    fw_add32_acq_rel(&w->begun, FW_RT_BEREFT);
    if (fw_xchg32_acquire(&l->died, 1) != 0)
        fw_add32_acq_rel(&w->begun, -FW_RT_BEREFT);
}

bool fw_rt_is_told_(struct fw_rt_world *w, struct fw_rt_lock_cell *l)
{
    if (fw_load32_relaxed(&l->died) == 0 || fw_xchg32_acquire(&l->died, 0) == 0)
        return false;
    fw_add32_acq_rel(&w->begun, -FW_RT_BEREFT);
    return true;
}

/* PIP: the word is the lock itself, and who takes it over sees that by itself. */
static void bury_lock(struct fw_rt_world *w, struct fw_rt_lock_cell *l, uint32_t tid)
{
    fw_rt_set_died_(w, l);
    if (l->kind == FW_RT_KIND_PCP)
        fw_rt_free_gate_(&l->gate, tid);
}

static void bury_gates(struct fw_rt_world *w, uint32_t tid)
{
    uint32_t g;

    for (g = 0; g < FW_RT_GATES; g++)
        fw_rt_free_gate_(&w->gate[g], tid);
}

/* A cell that says of itself that it is the calling thread, and is not the thread's. */
static bool is_former(const struct fw_rt_task *t, const struct fw_rt_task_cell *c)
{
    return c != t->cell && fw_load32_relaxed(&c->tid) == t->tid;
}

/* Under the cell's watch. */
static void bury(struct fw_rt_task *t, struct fw_rt_task_cell *c, uint32_t slot)
{
    struct fw_rt_world *w = t->world;
    uint32_t d, tid = fw_load32_acquire(&c->buried) == 0 ? c->tid : 0; /* L5 */
    uint64_t left;

    fw_store32_relaxed(&c->state, FW_RT_DEAD); /* LIVE, DEAD -> DEAD */
    fw_rt_boost_bury_(t, slot);
    left = fw_rt_locks_of(c);
    for (d = 0; d < FW_RT_LOCKS; d++) {
        if (left & fw_rt_bit(d)) {
            bury_lock(w, &w->lock[d], tid); /* L2 */
            fw_and64_seq_cst(&c->held, ~fw_rt_bit(d));
        }
    }
    bury_gates(w, tid);
    fw_store32_relaxed(&c->unlock_call, 0);
    fw_store32_relaxed(&c->gate, 0);
    fw_store32_relaxed(&c->ready, 0);
    fw_store32_release(&c->buried, 1); /* L5 */
}

void fw_rt_bury_(struct fw_rt_task *t, uint32_t slot)
{
    struct fw_rt_world *w = t->world;
    struct fw_rt_task_cell *c = &w->task[slot % FW_RT_TASKS];
    uint32_t state;

    fw_rt_guard_lock_(w, &c->watch, t->tid, t->shared);
    state = fw_load32_relaxed(&c->state);
    if (state == FW_RT_DEAD || (state == FW_RT_LIVE && (is_former(t, c) || !fw_rt_is_alive_(c))))
        bury(t, c, slot);
    fw_rt_guard_unlock_(&c->watch, t->tid, t->shared);
}

/*
 * The word bears the calling thread's id, which another one had: on to whoever sleeps there.  If
 * that fails, one is on its way that the kernel has made the heir.
 */
static void leave_former(struct fw_rt_task *t, uint32_t *word)
{
    uint32_t seen = t->tid;

    if ((fw_load32_relaxed(word) & FUTEX_TID_MASK) == t->tid &&
        !fw_cas32_release(word, &seen, 0)) /* former -> 0 */
        fw_futex_unlock_pi_(word, t->shared);
}

void fw_rt_bury_former_(struct fw_rt_task *t)
{
    struct fw_rt_world *w = t->world;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (is_former(t, &w->task[i]))
            fw_rt_bury_(t, i);
    for (i = 0; i < FW_RT_TASKS; i++)
        leave_former(t, &w->task[i].watch);
    for (i = 0; i < FW_RT_LOCKS; i++) {
        struct fw_rt_lock_cell *l = &w->lock[i];
        leave_former(t, &l->guard);
        if (l->kind == FW_RT_KIND_PIP && (fw_load32_relaxed(&l->gate) & FUTEX_TID_MASK) == t->tid)
            fw_rt_set_died_(w, l);
        leave_former(t, &l->gate);
    }
    for (i = 0; i < FW_RT_GATES; i++)
        leave_former(t, &w->gate[i]);
}
