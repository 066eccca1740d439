/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "module.h"

/*
 * FUTEX_LOCK: Hart, "futex: FUTEX_LOCK with optional adaptive spinning" (2010).  The word and its
 * transitions: acquire.c, FWK_OWNER.  Here: what the owner is doing.
 *
 * The owner's thread id is a number that user space wrote, and has a meaning in one pid namespace
 * only.  It decides how long the caller spins, and whether a word is taken over that only the
 * caller's side can be harmed by: it never wakes, boosts or kills.
 */

static uint max_spinners = 4;
module_param(max_spinners, uint, 0644);
MODULE_PARM_DESC(max_spinners, "threads that spin for one lock at a time, the others sleep");

/* Turns of the loop, some 20 ns each: no longer than a few context switches take. */
static uint spin_turns = 2000;
module_param(spin_turns, uint, 0644);
MODULE_PARM_DESC(spin_turns, "how often a thread looks before it sleeps after all");

/* Locks whose words have the same hash share the number of spinners. */
enum { COUNTERS = 256 };
static atomic_t spinners[COUNTERS];

static atomic_t *spinners_of(const struct fwk_key *key)
{
    return &spinners[hash_64(key->object ^ key->offset, 8)];
}

/* Of the thread with this id: is it there, and does it run? */
static bool is_alive(u32 id, bool *runs)
{
    struct task_struct *t;
    bool is;

    rcu_read_lock();
    t = pid_task(find_vpid((int)id), PIDTYPE_PID);
    is = t != NULL && READ_ONCE(t->exit_state) == 0;
    *runs = is && owner_on_cpu(t);
    rcu_read_unlock();
    return is;
}

static u32 dead_owner(fwk_word word)
{
    bool runs;
    u32 v, id;

    if (get_user(v, word) != 0)
        return 0;
    id = v & FW_KERNEL_OWNER;
    return id != 0 && !is_alive(id, &runs) ? id : 0;
}

/*
 * As long as the owner runs; it may change.  A free word is taken as user space would take it: who
 * is queued and was woken for it looks later (KA1); if that is the caller, it says that others
 * wait.
 */
static bool spin(struct fwk_waiter *w, fwk_word word)
{
    atomic_t *others = spinners_of(&w->key);
    bool has_it = false, runs = true;
    u32 mine = (u32)w->self | (w->ticket != 0 ? FW_KERNEL_WAITERS : 0);
    u32 v, seen;

    if ((u32)atomic_inc_return(others) <= READ_ONCE(max_spinners)) {
        for (u32 n = READ_ONCE(spin_turns); n > 0 && runs && !has_it; n--) {
            if (need_resched() || signal_pending(current) || get_user(v, word) != 0)
                break;
            if ((v & FW_KERNEL_OWNER) == (u32)w->self)
                break; /* EDEADLK: fwk_acquire() says so */
            if (v != 0)
                (void)is_alive(v & FW_KERNEL_OWNER, &runs);
            else if (fwk_word_swap(word, &seen, 0, mine) == 0)
                has_it = seen == 0;
            cpu_relax();
        }
    }
    atomic_dec(others);
    return has_it;
}

static const struct fwk_owner_rules normal = {
    .slice = HZ / 10, .spin = spin, .dead_owner = dead_owner, .is_adaptive = false};
static const struct fwk_owner_rules adaptive = {
    .slice = HZ / 10, .spin = spin, .dead_owner = dead_owner, .is_adaptive = true};

long fwk_do_lock(const struct fw_kernel_wait *call)
{
    if ((call->flags & ~(FWK_KEY_FLAGS | FW_KERNEL_REALTIME | FW_KERNEL_ADAPTIVE)) != 0)
        return -EINVAL;
    return fwk_do_acquire(call, FWK_OWNER,
                          (call->flags & FW_KERNEL_ADAPTIVE) != 0 ? &adaptive : &normal);
}

long fwk_do_unlock(const struct fw_kernel_wake *call)
{
    return fwk_do_release(call, FWK_OWNER);
}
