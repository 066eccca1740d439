/* SPDX-License-Identifier: MIT */
/*
 * Proxies (tier A): how a task waits for a section of another one on its CPU, and lends it its
 * priority, although that one has told nobody of the section but its own record.
 *
 * H waits for lock e, which L has.  It writes L's id into a proxy that is free, on L's behalf,
 * notes in L's record that it is the one for e (`at`), and asks the kernel for that futex: so the
 * kernel lends H's priority to L.  L gives the proxy back when it leaves the section; L knows that
 * it has to from `unlock_call`.
 *
 * proxy          meaning                             left by
 * -------------  ----------------------------------  ----------------------------------------------
 * 0              free                                a waiter, under the holder's record lock: CAS
 *                                                    to the holder's id.  The kernel: to a waiter's
 *                                                    id
 * L              L's, though L may not know          L: CAS to 0.  The kernel: sets WAITERS
 * L | WAITERS    L's, which inherits                 L, by FUTEX_UNLOCK_PI: to the id of the most
 *                                                    urgent waiter H
 * H [| WAITERS]  a waiter's, whose wait is over      H: CAS to 0, or FUTEX_UNLOCK_PI.  The kernel:
 *                                                    to a more urgent waiter's id, if H has not run
 * ... | DIED     the same; its owner before died     as without
 *
 * unlock_call    meaning                             who may change it
 * -------------  ----------------------------------  ----------------------------------------------
 * 0              L has nothing to give back          a waiter, under L's record lock: to 1
 * 1              L has to look when it unlocks       L, under its record lock: to 0, if it is going
 *                                                    to give back every proxy noted in its record
 *
 * PROXY1  A holder L that has its id in a proxy gives it back when it leaves the section of that
 *     lock, because of PROXY2; a waiter does nothing else when it wakes.
 * PROXY2  Under L's record lock, H first sets unlock_call, then sees L's bit set, and only then
 *     writes `at` and the proxy.  L clears the bit first and reads unlock_call afterwards.  So if H
 *     saw the bit, L is going to see unlock_call; and L takes its record lock before it gives back
 *     the proxy, so it sees what H has written.
 * PROXY3  A proxy that L has given back may bear for long the id of a waiter X that is less urgent
 *     than those who run: the kernel lets a more urgent one have it without waiting, and nobody
 *     would lend X anything.  So no holder's id is written but into a proxy that is 0, and a new
 *     wait is made at another proxy.  There is a free one for every waiter, since each of those
 *     that are not has a waiter of its own.
 * PROXY4  After the record lock is released, H may come late to the kernel: L has left, and the
 *     proxy is 0 or another waiter's.  In neither case does H sleep.  It has announced the proxy
 *     meanwhile, so that it is not put to another use.  (Two who look for a proxy at once may
 *     overlook that; then H waits for another one's section, once.)
 * PROXY5  A waiter decides nothing from having been woken: it looks again (ceiling.c, wake.c).
 *
 * PROXY6  While unlock_call is 0, no proxy that is noted in L's record (`at`) bears L's id: L gives
 *     back all those of locks that it has not got, at whatever unlock it looks.  At its end it
 *     looks under its record lock whatever unlock_call says: nobody else would give back its
 *     proxies later.
 * PROXY7  H notes a proxy in L's record before it writes L's id into it: so one who dies in between
 *     leaves no proxy that bears L's id and that L does not know of.
 *
 * One CPU: a task that runs has preempted the others, and what it sees are their stores in order.
 * A thread that others have moved to another CPU breaks that for `unlock_call`: L's load of it may
 * overtake the store that cleared its bit.  So a waiter looks at the bit once more before it
 * sleeps: the store has arrived then, as good as always; else the first bounded wait ends it.  The
 * proxy is L's until L looks the next time (PROXY6).
 *
 * Legal: unlock_call set with nobody waiting; a proxy with a holder's id and nobody waiting there.
 * Illegal: a proxy that bears the id of a thread which neither has the lock, nor is about to give
 * the proxy back.
 */
#include "rt/internal.h"

#include <errno.h>
#include <linux/futex.h>

#include "core/pi_wait.h"
#include "core/recheck.h"
#include "sys/back_off.h"
#include "sys/clock.h"
#include "sys/futex_pi.h"

static uint32_t owner_of(const uint32_t *proxy)
{
    return fw_load32_relaxed(proxy) & FUTEX_TID_MASK;
}

/* The proxy is the caller's: gives it back.  Was it somebody's who has died? */
static bool give_back(struct fw_rt_task *t, uint32_t *proxy)
{
    uint32_t seen = t->tid;

    if (fw_cas32_release(proxy, &seen, 0)) /* H -> 0 */
        return false;
    if ((seen & FUTEX_TID_MASK) == t->tid)
        fw_futex_unlock_pi_(proxy, t->shared); /* H | WAITERS -> the next, or 0 */
    return (seen & FUTEX_OWNER_DIED) != 0;
}

/* The proxies that others have announced (PROXY4), and its own: a bit each. */
static uint64_t announced(const struct fw_rt_state *w)
{
    uint64_t proxies = 0;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        uint32_t proxy = fw_load32_relaxed(&w->task[i].proxy);
        if (proxy != 0)
            proxies |= fw_rt_bit(proxy - 1);
    }
    return proxies;
}

/*
 * PROXY3.  FW_RT_PROXIES: there is none.  The proxy is noted first (PROXY7): one that is noted
 * without success is not L's (proxy_of), or that of another section of L, whose waiters may look
 * again a little early.
 */
static uint32_t find_proxy(struct fw_rt_state *w, struct fw_rt_task_record *holder, uint32_t d)
{
    uint64_t but = announced(w);
    uint32_t tid = fw_load32_relaxed(&holder->tid), g;

    for (g = 0; g < FW_RT_PROXIES; g++) {
        uint32_t seen = 0;
        if ((but & fw_rt_bit(g)) || fw_load32_relaxed(&w->proxy[g]) != 0)
            continue;
        /* F:rt-proxy-unnoted */
        fw_store8_relaxed(&holder->at[d], (uint8_t)(g + 1));
        if (fw_cas32_release(&w->proxy[g], &seen, tid)) /* 0 -> L.  PROXY7 */
            /* F:rt-proxy-late-note */
            break;
    }
    return g;
}

/* The proxy at which the section of d is waited for, if there is one; else NULL. */
static uint32_t *proxy_of(struct fw_rt_state *w, const struct fw_rt_task_record *holder, uint32_t d)
{
    uint32_t at = fw_load8_relaxed(&holder->at[d]), tid = fw_load32_relaxed(&holder->tid);

    if (at == 0 || at > FW_RT_PROXIES || owner_of(&w->proxy[at - 1]) != tid)
        return NULL;
    return &w->proxy[at - 1];
}

/* The holder is in its section, and its record lock is the caller's. */
static uint32_t *prepare_proxy(struct fw_rt_task *t, struct fw_rt_task_record *holder, uint32_t d)
{
    struct fw_rt_state *w = t->state;
    uint32_t *proxy = proxy_of(w, holder, d), g;

    if (proxy == NULL) {
        g = find_proxy(w, holder, d);
        if (g == FW_RT_PROXIES)
            return NULL;
        proxy = &w->proxy[g];
    }
    fw_store32_relaxed(&t->record->proxy, (uint32_t)(proxy - w->proxy) + 1);
    return proxy;
}

/* Is there a task of that id, alive or not? */
static bool is_tasks(const struct fw_rt_state *w, uint32_t tid)
{
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++)
        if (fw_load32_relaxed(&w->task[i].tid) == tid &&
            fw_load32_relaxed(&w->task[i].state) == FW_RT_LIVE)
            return true;
    return false;
}

/* No proxy is free: tasks have died over giving one back, or somebody has written over proxies. */
static void clear_proxies(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    uint32_t i;

    for (i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &w->task[i];
        if (fw_load32_relaxed(&c->state) == FW_RT_LIVE && fw_rt_is_gone_(c))
            fw_rt_reap_(t, i);
    }
    for (i = 0; i < FW_RT_PROXIES; i++) {
        uint32_t seen = fw_load32_relaxed(&w->proxy[i]);
        if (seen != 0 && !is_tasks(w, seen & FUTEX_TID_MASK))
            fw_cas32_relaxed(&w->proxy[i], &seen, 0); /* nobody's -> 0 */
    }
    fw_back_off_();
}

/* PROXY2.  NULL: there is nothing to wait for any more. */
static uint32_t *prepare(struct fw_rt_task *t, struct fw_rt_task_record *holder, uint32_t d)
{
    uint32_t *proxy = NULL;
    bool has_it;

    fw_rt_pi_lock_(t->state, &holder->record_lock, t->tid, t->shared); /* F:rt-proxy-unwatched */
    fw_store32_relaxed(&holder->unlock_call, 1);                       /* F:rt-waits-unannounced */
    has_it = (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) != 0;
    if (has_it)
        proxy = prepare_proxy(t, holder, d);
    fw_rt_pi_unlock_(&holder->record_lock, t->tid, t->shared);
    if (has_it && proxy == NULL)
        clear_proxies(t);
    return proxy;
}

/* Waits at the proxy.  True: look whether the holder lives. */
static bool sleep_there(struct fw_rt_task *t, uint32_t *proxy)
{
    int error = fw_pi_wait_(proxy, t->shared, t->recheck_ns);
    uint32_t owner = owner_of(proxy);

    if (t->recheck_ns < FW_RECHECK_RT_PROXY_MAX_NS)
        t->recheck_ns *= FW_RECHECK_RT_PROXY_GROWTH;
    if (error == 0 || (error == -EDEADLK && owner == t->tid))
        return give_back(t, proxy); /* F:rt-proxy-kept */
    if (error == -ESRCH && fw_rt_no_thread_(owner))
        fw_rt_free_word_(proxy, owner);
    else if (error != -ETIMEDOUT)
        fw_back_off_();
    return true;
}

/* Is the holder known to be dead?  A look at what the kernel has marked. */
static bool is_dead(const struct fw_rt_task *t, const struct fw_rt_task_record *holder)
{
    return fw_rt_liveness_(holder) == FW_RT_IS_DEAD || fw_load32_relaxed(&holder->tid) == t->tid;
}

/* Looks whether the holder lives. */
static int look_after(struct fw_rt_task *t, uint32_t slot, uint32_t d)
{
    const struct fw_rt_task_record *holder = &t->state->task[slot];

    if (is_dead(t, holder) || !fw_rt_is_alive_(holder))
        fw_rt_reap_(t, slot); /* F:rt-proxy-no-reaping */
    return fw_rt_check_holder_(t, slot, d);
}

static void tell(struct fw_rt_task *t, uint32_t kind, struct fw_rt_obstacle o)
{
    if (t->trace != NULL)
        fw_rt_trace_add_(t->trace, kind, o.lock, o.task, 0);
}

bool fw_rt_wait_begins_(struct fw_rt_task *t)
{
    if (t->record->since != 0)
        return false;
    t->recheck_ns = FW_RECHECK_RT_PROXY_NS;
    fw_store64_relaxed(&t->record->since, fw_clock_ns_());
    return true;
}

void fw_rt_wait_ends_(struct fw_rt_task *t, bool is_new)
{
    struct fw_rt_task_record *own = t->record;
    uint64_t waited;

    if (!is_new)
        return;
    waited = fw_clock_ns_() - own->since;
    fw_store64_relaxed(&own->since, 0);
    if (waited > own->worst)
        fw_store64_relaxed(&own->worst, waited);
}

/* Is the section over? */
static bool is_left(const struct fw_rt_task_record *holder, uint32_t d)
{
    return (fw_load64_seq_cst(&holder->held) & fw_rt_bit(d)) == 0;
}

int fw_rt_proxy_wait_(struct fw_rt_task *t, struct fw_rt_obstacle o)
{
    uint32_t d = o.lock % FW_RT_LOCKS, slot = o.task % FW_RT_TASKS, *proxy;
    struct fw_rt_task_record *holder = &t->state->task[slot];
    bool is_new;
    int error;

    if (is_dead(t, holder))
        return look_after(t, slot, d);
    proxy = prepare(t, holder, d);
    if (proxy == NULL)
        return fw_rt_check_holder_(t, slot, d);
    is_new = fw_rt_wait_begins_(t);
    fw_store32_relaxed(&t->record->behind, d + 1);
    tell(t, t->record->request != 0 ? FW_RT_EVENT_BLOCK : FW_RT_EVENT_BOOST, o);
    tell(t, FW_RT_EVENT_INHERIT, o);
    if (!is_left(holder, d) && sleep_there(t, proxy))
        error = look_after(t, slot, d);
    else
        error = fw_rt_check_holder_(t, slot, d);
    fw_store32_relaxed(&t->record->proxy, 0);
    fw_store32_relaxed(&t->record->behind, 0);
    tell(t, FW_RT_EVENT_RESUME, o);
    fw_rt_wait_ends_(t, is_new);
    return error;
}

bool fw_rt_is_awaited_(const struct fw_rt_task *t, uint32_t d)
{
    return proxy_of(t->state, t->record, d) != NULL;
}

/*
 * Under its record lock.  Returns the proxies of the locks that it has left, a bit each.
 * unlock_call: does one that it has wait to be left?
 */
static uint64_t collect_left(struct fw_rt_task *t)
{
    struct fw_rt_state *w = t->state;
    uint64_t held = fw_rt_locks_of(t->record), proxies = 0;
    uint32_t d, locks = fw_load32_relaxed(&w->locks), is_awaited = 0;

    for (d = 0; d < FW_RT_LOCKS && d < locks; d++) {
        const uint32_t *proxy = proxy_of(w, t->record, d);
        if (held & fw_rt_bit(d)) {
            is_awaited |= proxy != NULL; /* F:rt-proxy-forgets-outer */
        } else if (proxy != NULL) {      /* F:rt-keeps-idle-proxy */
            proxies |= fw_rt_bit((uint32_t)(proxy - w->proxy));
            fw_store8_relaxed(&t->record->at[d], 0);
        }
    }
    fw_store32_relaxed(&t->record->unlock_call, is_awaited);
    return proxies;
}

void fw_rt_proxy_leave_slow_(struct fw_rt_task *t)
{
    uint64_t proxies;

    fw_rt_pi_lock_(t->state, &t->record->record_lock, t->tid, t->shared);
    proxies = collect_left(t); /* PROXY6 */
    fw_rt_pi_unlock_(&t->record->record_lock, t->tid, t->shared);
    for (; proxies != 0; proxies &= proxies - 1) /* F:rt-keeps-proxy */
        give_back(t, &t->state->proxy[__builtin_ctzll(proxies)]);
}
