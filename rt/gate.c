/* SPDX-License-Identifier: MIT */
/*
 * Gates (tier A): how a task waits for a section of another one on its CPU, and lends it its
 * priority, although that one has told nobody of the section but its own cell.
 *
 * H waits for lock e, which L has.  It writes L's id into a gate that is free, on L's behalf, notes
 * in L's cell that it is the one for e (`at`), and asks the kernel for that futex: so the kernel
 * lends H's priority to L.  L gives the gate back when it leaves the section; L knows that it has
 * to from `unlock_call`.
 *
 * gate           meaning                             who may leave it, and how
 * -------------  ----------------------------------  ----------------------------------------------
 * 0              free                                a waiter, under the holder's watch: CAS to the
 *                                                    holder's id.  The kernel: to a waiter's id
 * L              L's, though L may not know          L: CAS to 0.  The kernel: sets WAITERS
 * L | WAITERS    L's, which inherits                 L, by FUTEX_UNLOCK_PI: to the id of the most
 *                                                    urgent waiter H
 * H [| WAITERS]  a waiter's, whose wait is over      H: CAS to 0, or FUTEX_UNLOCK_PI.  The kernel:
 *                                                    to a more urgent waiter's id, if H has not run
 * ... | DIED     the same; who had it before died    as without
 *
 * unlock_call    meaning                             who may change it
 * -------------  ----------------------------------  ----------------------------------------------
 * 0              L has nothing to give back          a waiter, under L's watch: to 1
 * 1              L has to look when it unlocks       L, under its watch: to 0, if it is going to
 *                                                    give back every gate noted in its cell
 *
 * G1  A holder L that has its id in a gate gives it back when it leaves the section of that lock,
 *     because of G2; a waiter does nothing else when it wakes.
 * G2  Under L's watch, H first sets unlock_call, then sees L's bit set, and only then writes
 *     `at` and the gate.  L clears the bit first and reads unlock_call afterwards.  So if H saw the
 *     bit, L is going to see unlock_call; and L enters its watch before it gives back the gate, so
 *     it sees what H has written.
 * G3  A gate that L has given back may bear for long the id of a waiter X that is less urgent than
 *     those who run: the kernel lets a more urgent one have it without waiting, and nobody would
 *     lend X anything.  So no holder's id is written but into a gate that is 0, and a new wait is
 *     made at another gate.  There is a free one for every waiter, since each of those that are
 *     not has a waiter of its own.
 * G4  After the watch is left, H may come late to the kernel: L has left, and the gate is 0 or
 *     another waiter's.  In neither case does H sleep.  It has announced the gate meanwhile, so
 *     that it is not put to another use.  (Two who look for a gate at once may overlook that; then
 *     H waits for another one's section, once.)
 * G5  A waiter decides nothing from having been woken: it looks again (ceiling.c, wake.c).
 *
 * G6  While unlock_call is 0, no gate that is noted in L's cell (`at`) bears L's id: L gives back
 *     all those of locks that it has not got, at whatever unlock it looks.  At its end it looks
 *     under its watch whatever unlock_call says: nobody else would give back its gates later.
 * G7  H notes a gate in L's cell before it writes L's id into it: so one who dies in between leaves
 *     no gate that bears L's id and that L does not know of.
 *
 * One CPU: whoever runs has preempted the others, and what it sees are their stores in order.  A
 * thread that others have moved to another CPU breaks that for `unlock_call`: L's load of it may
 * overtake the store that cleared its bit.  So a waiter looks at the bit once more before it
 * sleeps: the store has arrived then, as good as always; else the first nap ends it.  The gate is
 * L's until L looks the next time (G6).
 *
 * The baseline PCP takes its lock's own gate from the kernel, too, and is waited for at another one
 * like the rest: for G3, its own would be no better.
 *
 * Legal: unlock_call set with nobody waiting; a gate with a holder's id and nobody waiting there.
 * Illegal: a gate that bears the id of a thread which neither has the lock, nor is about to give
 * the gate back.
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "sys/clock.h"
#include "sys/futex_pi.h"

/*
 * After so long a waiter looks whether the holder still lives: it may have called exec, or its
 * thread id may have been given out anew, just before the kernel was asked for its gate.  The first
 * nap is longer than most sections, and the longest a tenth of the time after which the kernel
 * stops a SCHED_FIFO thread that never sleeps.
 */
#define FIRST_NAP_NS 1000000u
#define LONGEST_NAP_NS 100000000u
#define NAPS_RATIO 10u

static uint32_t owner_of(const uint32_t *gate)
{
    return fw_load32_relaxed(gate) & FUTEX_TID_MASK;
}

/* The gate is the caller's: gives it back.  Was it somebody's who has died? */
static bool give_back(struct fw_rt_task *t, uint32_t *gate)
{
    uint32_t seen = t->tid;

    if (fw_cas32_release(gate, &seen, 0)) /* H -> 0 */
        return false;
    if ((seen & FUTEX_TID_MASK) == t->tid)
        fw_futex_unlock_pi_(gate, t->shared); /* H | WAITERS -> the next, or 0 */
    return (seen & FUTEX_OWNER_DIED) != 0;
}

/* The gates that others have announced (G4), and its own: a bit each. */
static uint64_t announced(const struct fw_rt_world *w)
{
    uint64_t gates = 0;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        uint32_t gate = fw_load32_relaxed(&w->task[i].gate);
        if (gate != 0)
            gates |= fw_rt_bit(gate - 1);
    }
    return gates;
}

/*
 * G3.  FW_RT_GATES: there is none.  The gate is noted first (G7): one that is noted in vain is not
 * L's (gate_of), or that of another section of L, whose waiters may look again a little early.
 */
static uint32_t find_gate(struct fw_rt_world *w, struct fw_rt_task_cell *holder, uint32_t d)
{
    uint64_t but = announced(w);
    uint32_t tid = fw_load32_relaxed(&holder->tid), g;

    for (g = 0; g < FW_RT_GATES; g++) {
        uint32_t seen = 0;
        if ((but & fw_rt_bit(g)) || fw_load32_relaxed(&w->gate[g]) != 0)
            continue;
        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));
        if (fw_cas32_release(&w->gate[g], &seen, tid)) /* 0 -> L.  G7 */
            break;
    }
    return g;
}

/* The gate at which the section of d is waited for, if there is one; else NULL. */
static uint32_t *gate_of(struct fw_rt_world *w, const struct fw_rt_task_cell *holder, uint32_t d)
{
    uint32_t at = fw_load8_relaxed(&holder->at[d]), tid = fw_load32_relaxed(&holder->tid);

    if (at == 0 || at > FW_RT_GATES || owner_of(&w->gate[at - 1]) != tid)
        return NULL;
    return &w->gate[at - 1];
}

/* The holder is in its section, and its watch is the caller's. */
static uint32_t *prepare_gate(struct fw_rt_task *t, struct fw_rt_task_cell *holder, uint32_t d)
{
    struct fw_rt_world *w = t->world;
    uint32_t *gate = gate_of(w, holder, d), g;

    if (gate == NULL) {
        g = find_gate(w, holder, d);
        if (g == FW_RT_GATES)
            return NULL;
        gate = &w->gate[g];
    }
    fw_store32_relaxed(&t->cell->gate, (uint32_t)(gate - w->gate) + 1);
    return gate;
}

/* Is there a task of that id, alive or not? */
static bool is_tasks(const struct fw_rt_world *w, uint32_t tid)
{
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (fw_load32_relaxed(&w->task[i].tid) == tid &&
            fw_load32_relaxed(&w->task[i].state) == FW_RT_LIVE)
            return true;
    return false;
}

/* No gate is free: tasks have died over giving one back, or somebody has written over gates. */
static void clear_gates(struct fw_rt_task *t)
{
    struct fw_rt_world *w = t->world;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_cell *c = &w->task[i];
        if (fw_load32_relaxed(&c->state) == FW_RT_LIVE && fw_rt_is_gone_(c))
            fw_rt_bury_(t, i);
    }
    for (i = 0; i < FW_RT_GATES; i++) {
        uint32_t seen = fw_load32_relaxed(&w->gate[i]);
        if (seen != 0 && !is_tasks(w, seen & FUTEX_TID_MASK))
            fw_cas32_relaxed(&w->gate[i], &seen, 0); /* nobody's -> 0 */
    }
    fw_rt_take_breath_();
}

/* G2.  NULL: there is nothing to wait for any more. */
static uint32_t *prepare(struct fw_rt_task *t, struct fw_rt_task_cell *holder, uint32_t d)
{
    uint32_t *gate = NULL;
    bool has_it;

    fw_rt_guard_lock_(t->world, &holder->watch, t->tid, t->shared);
    fw_store32_relaxed(&holder->unlock_call, 1);
    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;
    if (has_it)
        gate = prepare_gate(t, holder, d);
    fw_rt_guard_unlock_(&holder->watch, t->tid, t->shared);
    if (has_it && gate == NULL)
        clear_gates(t);
    return gate;
}

/* Waits at the gate.  True: look whether the holder lives. */
static bool sleep_there(struct fw_rt_task *t, uint32_t *gate)
{
    fw_deadline nap = fw_deadline_in_(CLOCK_MONOTONIC, t->nap_ns);
    int error = fw_futex_lock_pi_(gate, t->shared, &nap);
    uint32_t owner = owner_of(gate);

    if (t->nap_ns < LONGEST_NAP_NS)
        t->nap_ns *= NAPS_RATIO;
    if (error == 0 || (error == -EDEADLK && owner == t->tid))
        return give_back(t, gate);
    if (error == -ESRCH && fw_rt_no_thread_(owner))
        fw_rt_free_gate_(gate, owner);
    else if (error != -ETIMEDOUT)
        fw_rt_take_breath_();
    return true;
}

/* Is the holder known to be dead?  A look at what the kernel has marked. */
static bool is_dead(const struct fw_rt_task *t, const struct fw_rt_task_cell *holder)
{
    return fw_rt_life_(holder) == FW_RT_IS_DEAD || fw_load32_relaxed(&holder->tid) == t->tid;
}

/* Looks whether the holder lives. */
static int look_after(struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    const struct fw_rt_task_cell *holder = &t->world->task[slot];

    if (is_dead(t, holder) || !fw_rt_is_alive_(holder))
        fw_rt_bury_(t, slot);
    return fw_rt_check_holder_(t, slot, d);
}

static void tell(struct fw_rt_task *t, uint32_t kind, struct fw_rt_obstacle o)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, o.lock, o.task, 0);
}

bool fw_rt_wait_begins_(struct fw_rt_task *t)
{
    if (t->cell->since != 0)
        return false;
    t->nap_ns = FIRST_NAP_NS;
    fw_store64_relaxed(&t->cell->since, fw_clock_ns_());
    return true;
}

void fw_rt_wait_ends_(struct fw_rt_task *t, bool is_new)
{
    struct fw_rt_task_cell *own = t->cell;
    uint64_t waited;

    if (!is_new)
        return;
    waited = fw_clock_ns_() - own->since;
    fw_store64_relaxed(&own->since, 0);
    if (waited > own->worst)
        fw_store64_relaxed(&own->worst, waited);
}

/* Is the section over? */
static bool is_left(const struct fw_rt_task_cell *holder, uint32_t d)
{
    return (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) == 0;
}

int fw_rt_gate_wait_(struct fw_rt_task *t, struct fw_rt_obstacle o)
{
    uint32_t d = o.lock % FW_RT_LOCKS, slot = o.task % FW_RT_TASKS, *gate;
    struct fw_rt_task_cell *holder = &t->world->task[slot];
    bool is_new;
    int error;

    if (is_dead(t, holder))
        return look_after(t, slot, d);
    gate = prepare(t, holder, d);
    if (gate == NULL)
        return fw_rt_check_holder_(t, slot, d);
    is_new = fw_rt_wait_begins_(t);
    fw_store32_relaxed(&t->cell->behind, d + 1);
    tell(t, t->cell->request != 0 ? FW_RT_EVENT_BLOCK : FW_RT_EVENT_BOOST, o);
    tell(t, FW_RT_EVENT_INHERIT, o);
    if (!is_left(holder, d) && sleep_there(t, gate))
        error = look_after(t, slot, d);
    else
        error = fw_rt_check_holder_(t, slot, d);
    fw_store32_relaxed(&t->cell->gate, 0);
    fw_store32_relaxed(&t->cell->behind, 0);
    tell(t, FW_RT_EVENT_RESUME, o);
    fw_rt_wait_ends_(t, is_new);
    return error;
}

bool fw_rt_is_awaited_(const struct fw_rt_task *t, uint32_t d)
{
    return gate_of(t->world, t->cell, d) != NULL;
}

/*
 * Under its watch.  Returns the gates of the locks that it has left, a bit each.  unlock_call: does
 * one that it has wait to be left?
 */
static uint64_t settle(struct fw_rt_task *t)
{
    struct fw_rt_world *w = t->world;
    uint64_t held = fw_rt_locks_of(t->cell), gates = 0;
    uint32_t d, locks = fw_load32_relaxed(&w->locks), is_awaited = 0;

    for (d = 0; d < FW_RT_LOCKS && d < locks; d++) {
        const uint32_t *gate = gate_of(w, t->cell, d);
        if (held & fw_rt_bit(d)) {
            is_awaited |= gate != NULL;
        } else if (gate != NULL) {
            gates |= fw_rt_bit((uint32_t)(gate - w->gate));
            fw_store8_relaxed(&t->cell->at[d], 0);
        }
    }
    fw_store32_relaxed(&t->cell->unlock_call, is_awaited);
    return gates;
}

void fw_rt_gate_leave_slow_(struct fw_rt_task *t)
{
    uint64_t gates;

    fw_rt_guard_lock_(t->world, &t->cell->watch, t->tid, t->shared);
    gates = settle(t); /* G6 */
    fw_rt_guard_unlock_(&t->cell->watch, t->tid, t->shared);
    for (; gates != 0; gates &= gates - 1)
        give_back(t, &t->world->gate[__builtin_ctzll(gates)]);
}
