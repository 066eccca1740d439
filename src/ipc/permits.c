/* SPDX-License-Identifier: MIT */
/*
 * fw_ipc_permits.  Contract: furwock/ipc/permits.h.  Reasons: doc/design/ipc-sync.md.
 *
 * A permit is a word:
 *
 * word             meaning                     left by
 * ---------------  --------------------------  -----------------------------------------------
 * 0                free                        any thread: -> its own id
 * a living id      lent to that thread         that thread: -> 0, and then tells the queue
 * an agent's id    lent to a task of its       that task: likewise
 * and a task       process (task.h)
 * a dead id        lent to a thread that died  any thread: -> its own id
 * a corrupt id     written over                nobody
 *
 * queue_ (announce.h; bits 0-30 are the number of permits given back while a thread may have slept)
 *
 * word             meaning                     left by
 * ---------------  --------------------------  -----------------------------------------------
 * n                nobody sleeps               a thread about to sleep: -> n, WAITERS
 * n, WAITERS       threads may sleep           a post: -> n + 1, WAITERS, and wakes one
 *
 * made_: 0, or the number of permits.  It is written once, and checked against the region by each
 * call before it is used.
 * spin_: does spinning pay (adaptive_spin.h)?  Whatever is in it does no harm.
 *
 * IPERM1  The holder of a permit is what its word says, and nothing else.  Taking and giving back
 *         are one compare-and-swap each, so a thread that dies holds the permit or does not.
 * IPERM2  A word that names a dead thread changes only by being taken (SLOT1: that thread does
 *         nothing any more, and nobody is given its id).
 * IPERM3  A sleeper has read all permits after the queue became what it sleeps on; a thread that
 *         gives back reads the queue after the permit became free; all four are sequentially
 *         consistent.  So one of the two sees the other.
 * IPERM4  A thread that goes to sleep watches the lives of all holders (wait.h).  So sleepers learn
 *         of a holder's death, also if it dies between giving back and the wake.  A thread that
 *         gets a permit after a sleep, or gives up, wakes one more, which watches the new holders
 *         (IWAIT1); if a thread got a permit without a sleep, the one that was woken for it is
 *         about.
 */
#include <errno.h>
#include <stdbool.h>

#include <furwock/ipc/permits.h>

#include "core/adaptive_spin.h"
#include "ipc/announce.h"
#include "ipc/region/participant.h"
#include "ipc/task.h"
#include "ipc/wait.h"

#define PERMITS_SERIAL UINT64_C(0x7fffffff)
#define PERMIT_NONE UINT32_MAX

_Static_assert(sizeof(fw_ipc_permits) == 64, "the permits begin on a cache line");

/* The object, and the calling thread, or the agent and a task of it (task.h). */
struct call {
    fw_ipc_permits *u;
    uint64_t *permits;
    uint32_t count;
    uint64_t task; /* its bits; 0: the thread's own */
    struct fw_ipc_me_ me;
};

/* What a permit says that the caller holds. */
static uint64_t mine(const struct call *v)
{
    return v->me.id | v->task;
}

size_t fw_ipc_permits_size(uint32_t n)
{
    return n == 0 || n > FW_IPC_PERMITS_MAX ? 0 : sizeof(fw_ipc_permits) + n * sizeof(uint64_t);
}

static bool is_aligned(const fw_ipc_permits *u)
{
    return (uintptr_t)u % sizeof u->queue_ == 0;
}

static bool fits(const struct fw_ipc_mapping_ *mapping, const fw_ipc_permits *u, size_t size)
{
    return size != 0 && fw_ipc_address_(mapping, fw_ipc_offset_(mapping, u), size) != NULL;
}

int fw_ipc_permits_init(fw_ipc_permits *u, uint32_t n)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(u);
    uint64_t made = 0;

    if (mapping == NULL || !is_aligned(u) || fw_ipc_permits_size(n) == 0)
        return EINVAL;
    if (!fits(mapping, u, fw_ipc_permits_size(n)))
        return ENOSPC;
    return fw_cas64_relaxed(&u->made_, &made, n) || made == n ? 0 : EEXIST; /* not made -> made */
}

/* Fills all but `me`.  0, EINVAL, EUCLEAN. */
static int look_at(struct call *v, const struct fw_ipc_mapping_ *mapping, const fw_ipc_permits *u)
{
    uint64_t made = fw_load64_relaxed(&u->made_);

    if (!is_aligned(u) || made == 0)
        return EINVAL;
    if (made > FW_IPC_PERMITS_MAX || !fits(mapping, u, fw_ipc_permits_size((uint32_t)made)))
        return EUCLEAN;
    v->task = 0;
    v->u = (fw_ipc_permits *)u;
    v->permits = (uint64_t *)(v->u + 1);
    v->count = (uint32_t)made;
    return 0;
}

static int begin(struct call *v, const fw_ipc_permits *u)
{
    int error = fw_ipc_enter_(u, &v->me);

    return error == 0 ? look_at(v, v->me.mapping, u) : error;
}

/* The n-th permit that the caller looks at: threads begin at different ones. */
static uint32_t nth(const struct call *v, uint32_t n)
{
    uint64_t first = (v->me.id & FW_IPC_SLOT) % v->count;

    return (uint32_t)((first + n) % v->count);
}

/* One of the permits that are free: 0 -> id (IPERM1).  PERMIT_NONE: there is none. */
static uint32_t take_free(const struct call *v)
{
    for (uint32_t n = 0; n < v->count; n++) {
        uint32_t i = nth(v, n);
        uint64_t w = fw_load64_seq_cst(&v->permits[i]);
        if (w == 0 && fw_cas64_acquire(&v->permits[i], &w, mine(v))) /* F:ipc-permits-torn */
            return i;
    }
    return PERMIT_NONE;
}

/*
 * One that a dead thread holds: dead id -> id (IPERM2).  EBUSY: there is none; EUCLEAN: none, and
 * one is corrupt.  `wait` may be NULL; *dead is the former holder.
 */
static int take_over(const struct call *v, struct fw_ipc_wait_ *wait, uint32_t *permit,
                     uint64_t *dead)
{
    int error = EBUSY;

    if (wait != NULL)
        fw_ipc_wait_look_(wait);
    for (uint32_t n = 0; n < v->count; n++) {
        uint32_t i = nth(v, n);
        uint64_t w = fw_load64_acquire(&v->permits[i]);
        enum fw_ipc_life life;
        if (w == 0)
            continue;
        life = wait != NULL ? fw_ipc_wait_life_of_many_(wait, w) : fw_ipc_life_(v->me.mapping, w);
        life = fw_ipc_task_life_(v->me.mapping, w, life);
        if (life == FW_IPC_CORRUPT || (w & ~(FW_IPC_HOLDER | FW_IPC_TASK)) != 0)
            error = EUCLEAN; /* F:ipc-permits-lost */
        /* F:ipc-permits-robs */
        else if (life == FW_IPC_DEAD && fw_cas64_acquire(&v->permits[i], &w, mine(v))) {
            *permit = i; /* F:ipc-permits-torn-over */
            *dead = w & FW_IPC_HOLDER;
            return EOWNERDEAD;
        }
    }
    return error;
}

/* 0, EOWNERDEAD: taken; EBUSY, EUCLEAN: not. */
static int try_take(const struct call *v, struct fw_ipc_wait_ *wait, uint32_t *permit)
{
    uint64_t dead;

    *permit = take_free(v);
    return *permit != PERMIT_NONE ? 0 : take_over(v, wait, permit, &dead);
}

/* n or n, WAITERS -> n, WAITERS (ANN1), and all permits are read after that (IPERM3). */
static uint64_t announce(const struct call *v)
{
    uint64_t w = fw_load64_relaxed(&v->u->queue_);

    while (!fw_cas64_seq_cst(&v->u->queue_, &w, fw_ipc_changed_(w | FW_IPC_WAITERS)))
        ;
    return w | FW_IPC_WAITERS;
}

/* The next sleep ends when a holder dies; there is none if a permit is free by now. */
static void watch_holders(const struct call *v, struct fw_ipc_wait_ *wait)
{
    uint32_t first = fw_ipc_wait_first_(wait, v->count);

    for (uint32_t n = 0; n < v->count; n++) {
        uint64_t w = fw_load64_acquire(&v->permits[nth(v, first + n)]);
        if (w != v->me.id)
            fw_ipc_wait_watch_(wait, w);
    }
}

/* Like try_take, and ETIMEDOUT. */
static int wait_slow_(const struct call *v, struct fw_ipc_wait_ *wait, const fw_wait_policy *policy,
                      uint32_t *permit)
{
    bool learns = fw_adaptive_spin_begin_(&v->u->spin_, &wait->spin, policy);
    int error;

    *permit = PERMIT_NONE;
    while (*permit == PERMIT_NONE && fw_ipc_wait_spin_(wait))
        *permit = take_free(v);
    if (learns)
        fw_adaptive_spin_end_(&v->u->spin_, *permit != PERMIT_NONE);
    if (*permit != PERMIT_NONE)
        return 0;
    for (;;) {
        uint64_t w = fw_wait_blocks_(&wait->spin) ? announce(v) : 0; /* F:ipc-permits-unannounced */
        error = try_take(v, wait, permit);
        if (error != EBUSY)
            return error;
        watch_holders(v, wait); /* F:ipc-permits-unwatched */
        if (fw_ipc_wait_sleep_(wait, fw_ipc_half_(&v->u->queue_), (uint32_t)w) == ETIMEDOUT) {
            error = try_take(v, wait, permit);
            return error == EBUSY ? ETIMEDOUT : error;
        }
    }
}

int fw_ipc_permits_take(fw_ipc_permits *u, uint32_t *permit, const fw_wait_policy *policy,
                        const fw_deadline *deadline)
{
    struct fw_ipc_wait_ wait;
    struct call v;
    int error = begin(&v, u);

    if (error == 0)
        error = try_take(&v, NULL, permit);
    if (error != EBUSY)
        return error;
    error = fw_ipc_wait_begin_(&wait, &v.me, u, FW_IPC_WAITS_ELSE, policy, deadline);
    if (error != 0)
        return error;
    error = wait_slow_(&v, &wait, policy, permit);
    fw_ipc_wait_pass_on_(&wait); /* IPERM4 */
    return fw_ipc_wait_finish_(&wait, error);
}

int fw_ipc_permits_wait_policy(fw_ipc_permits *u, const fw_wait_policy *policy,
                               const fw_deadline *deadline)
{
    uint32_t permit;
    int error = fw_ipc_permits_take(u, &permit, policy, deadline);

    return error == EOWNERDEAD ? 0 : error;
}

int fw_ipc_permits_trywait(fw_ipc_permits *u)
{
    struct call v;
    uint32_t permit;
    int error = begin(&v, u);

    if (error == 0)
        error = try_take(&v, NULL, &permit);
    return error == EOWNERDEAD ? 0 : error;
}

int fw_ipc_permits_wait(fw_ipc_permits *u)
{
    return fw_ipc_permits_wait_policy(u, NULL, NULL);
}

int fw_ipc_permits_timedwait(fw_ipc_permits *u, const fw_deadline *deadline)
{
    return fw_ipc_permits_wait_policy(u, NULL, deadline);
}

/* n, WAITERS -> n + 1, WAITERS; and a wake. */
static void tell_queue_slow_(const struct call *v, uint64_t w)
{
    uint64_t next;

    do {
        if (!fw_ipc_has_waiters_(w))
            return; /* the post before has found nobody (ANN2) */
        next = fw_ipc_changed_((w & ~PERMITS_SERIAL) | ((w + 1) & PERMITS_SERIAL));
    } while (!fw_cas64_release(&v->u->queue_, &w, next));
    fw_ipc_wake_announced_(&v->u->queue_, next, 1);
}

/* id -> 0, or the dead one's again.  False: the permit is not the caller's. */
static bool give(const struct call *v, uint32_t permit, uint64_t dead)
{
    uint64_t w = mine(v);

    if (fw_load64_relaxed(&v->permits[permit]) != w ||
        !fw_cas64_seq_cst(&v->permits[permit], &w, dead)) /* F:ipc-permits-unfenced */
        return false;
    /* F:ipc-permits-unfenced-2 */
    w = fw_load64_seq_cst(&v->u->queue_); /* the permit, then the queue (IPERM3) */
    /* F:ipc-permits-no-wake */
    if (fw_ipc_has_waiters_(w))
        tell_queue_slow_(v, w);
    return true;
}

int fw_ipc_permits_post(fw_ipc_permits *u)
{
    struct call v;
    int error = begin(&v, u);

    if (error != 0)
        return error;
    for (uint32_t n = 0; n < v.count; n++)
        if (give(&v, nth(&v, n), 0))
            return 0;
    return EPERM;
}

int fw_ipc_permits_give(fw_ipc_permits *u, uint32_t permit)
{
    struct call v;
    int error = begin(&v, u);

    if (error != 0)
        return error;
    return permit < v.count && give(&v, permit, 0) ? 0 : EPERM;
}

uint32_t fw_ipc_permits_count(const fw_ipc_permits *u)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(u);
    struct call v;

    return mapping != NULL && look_at(&v, mapping, u) == 0 ? v.count : 0;
}

uint32_t fw_ipc_permits_value(const fw_ipc_permits *u)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(u);
    uint32_t value = 0;
    struct call v;

    if (mapping == NULL || look_at(&v, mapping, u) != 0)
        return 0;
    for (uint32_t i = 0; i < v.count; i++) {
        uint64_t w = fw_load64_relaxed(&v.permits[i]);
        value += w == 0 || fw_ipc_life_(mapping, w) == FW_IPC_DEAD;
    }
    return value;
}

uint32_t fw_ipc_permits_held_by_me(const fw_ipc_permits *u)
{
    uint32_t mine = 0;
    struct call v;

    if (begin(&v, u) != 0)
        return 0;
    for (uint32_t i = 0; i < v.count; i++)
        mine += fw_load64_relaxed(&v.permits[i]) == v.me.id;
    return mine;
}

/* --- For tasks: task.h ------------------------------------------------------------------------ */

/* 0, EINVAL, EUCLEAN. */
static int begin_as(struct call *v, const fw_ipc_permits *u, const struct fw_ipc_me_ *agent,
                    uint32_t task)
{
    int error = look_at(v, agent->mapping, u);

    v->me = *agent;
    v->task = fw_ipc_task_bits_(task);
    return error;
}

int fw_ipc_permits_attempt_(fw_ipc_permits *u, const struct fw_ipc_me_ *agent, uint32_t task,
                            uint32_t *permit, uint64_t *dead)
{
    struct call v;
    int error = begin_as(&v, u, agent, task);

    *dead = 0;
    if (error != 0)
        return error;
    *permit = take_free(&v);
    return *permit != PERMIT_NONE ? 0 : take_over(&v, NULL, permit, dead);
}

/* About others each time. */
static void ask_about_some(const struct call *v, uint32_t first)
{
    uint32_t most = v->count < FW_IPC_QUESTIONS_ ? v->count : FW_IPC_QUESTIONS_;

    for (uint32_t n = 0; n < most; n++) {
        uint64_t w = fw_load64_relaxed(&v->permits[nth(v, first + n)]);
        if (w != 0 && (w & FW_IPC_HOLDER) != v->me.id &&
            fw_ipc_participant_of_(v->me.mapping, w) != NULL)
            fw_ipc_life_slow_(v->me.mapping, w);
    }
}

static bool is_among(const struct fw_ipc_permit_holders_ *holders, uint64_t holder)
{
    for (uint32_t i = 0; i < holders->n; i++)
        if (holders->of[i] == holder)
            return true;
    return false;
}

int fw_ipc_permits_announce_(fw_ipc_permits *u, const struct fw_ipc_me_ *agent, bool asks,
                             uint32_t round, uint32_t *queue,
                             struct fw_ipc_permit_holders_ *holders)
{
    struct call v;
    int error = begin_as(&v, u, agent, 0);
    uint32_t first;

    if (error != 0)
        return error;
    first = (uint32_t)((uint64_t)round * holders->most % v.count);
    *queue = (uint32_t)announce(&v);
    if (asks)
        ask_about_some(&v, first);
    holders->n = 0;
    holders->is_partial = false;
    for (uint32_t n = 0; n < v.count; n++) {
        uint64_t holder = fw_load64_seq_cst(&v.permits[nth(&v, first + n)]) & FW_IPC_HOLDER;
        if (holder == 0 || fw_ipc_life_(agent->mapping, holder) == FW_IPC_DEAD)
            return 0; /* IPERM3: one is to be had */
        if (holder == agent->id || is_among(holders, holder))
            continue;
        if (holders->n == holders->most)
            holders->is_partial = true;
        else
            holders->of[holders->n++] = holder;
    }
    return EBUSY;
}

uint64_t fw_ipc_permits_holder_(const fw_ipc_permits *u, uint32_t permit)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(u);
    struct call v;
    uint64_t w;

    if (mapping == NULL || look_at(&v, mapping, u) != 0 || permit >= v.count)
        return 0;
    w = fw_load64_relaxed(&v.permits[permit]) & FW_IPC_HOLDER;
    return fw_ipc_life_(mapping, w) == FW_IPC_ALIVE ? w : 0;
}

static int begin_for(struct call *v, const fw_ipc_permits *u, uint32_t task)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(u);
    struct fw_ipc_me_ agent;

    if (mapping == NULL || !is_aligned(u))
        return EINVAL;
    return fw_ipc_agent_find_(mapping, &agent) ? begin_as(v, u, &agent, task) : EPERM;
}

int fw_ipc_permits_give_as_(fw_ipc_permits *u, uint32_t permit, uint32_t task, uint64_t dead)
{
    struct call v;
    int error = begin_for(&v, u, task);

    if (error != 0)
        return error;
    if (permit >= v.count || !give(&v, permit, dead))
        return EPERM;
    fw_ipc_agent_unuse_(v.me.mapping);
    return 0;
}

int fw_ipc_permits_post_as_(fw_ipc_permits *u, uint32_t task)
{
    struct call v;
    int error = begin_for(&v, u, task);

    if (error != 0)
        return error;
    for (uint32_t n = 0; n < v.count; n++)
        if (give(&v, nth(&v, n), 0)) {
            fw_ipc_agent_unuse_(v.me.mapping);
            return 0;
        }
    return EPERM;
}
