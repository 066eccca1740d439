/* SPDX-License-Identifier: MIT */
/* Semaphores, events and barriers that are wrong, each in one way. */
#include "bench/adapters/sync_adapter_define.h"
#include "broken.h"

/* --- A semaphore that works, and event that resets itself: a number of units, and a maximum --- */

struct sync {
    uint32_t units;
    uint32_t most; /* 0: any number */
    uint32_t aside;
    bool manual;
};

static bool pass(struct sync *g)
{
    uint32_t n = look(&g->units);

    return n != 0 && (g->manual || change(&g->units, n, n - 1));
}

static int try_pass(struct sync *g)
{
    while (look(&g->units) != 0)
        if (pass(g))
            return 0;
    return EAGAIN;
}

static void wait_for(struct sync *g)
{
    while (!pass(g))
        doze();
}

static int wait_until(struct sync *g, const struct timespec *at)
{
    while (!pass(g)) {
        if (is_over(at))
            return ETIMEDOUT;
        doze();
    }
    return 0;
}

static int add(struct sync *g)
{
    if (g->most != 0 && look(&g->units) >= g->most)
        return EOVERFLOW;
    __atomic_fetch_add(&g->units, 1, __ATOMIC_RELEASE);
    return 0;
}

static void assign(struct sync *g, uint32_t units)
{
    __atomic_store_n(&g->units, units, __ATOMIC_RELEASE);
}

ADAPTER_ZERO_IS_FREE(sync)
ADAPTER_INIT(sync_full, struct sync, (l->units = l->most = 3, 0))
ADAPTER_INIT(sync_manual, struct sync, (l->manual = true, 0))
SEM_CALLS(sync, struct sync, wait_for(l), try_pass(l), add(l), look(&l->units))
EVENT_CALLS(event, struct sync, assign(l, 1), assign(l, 0), look(&l->units) != 0, wait_for(l),
            try_pass(l), wait_until(l, at))

static int add_and_overflow(void *sem)
{
    __atomic_fetch_add(&((struct sync *)sem)->units, 1, __ATOMIC_RELEASE);
    return 0;
}

static int drop_some(void *sem)
{
    struct sync *g = sem;

    return __atomic_fetch_add(&g->aside, 1, __ATOMIC_RELAXED) % 32 == 31 ? 0 : add(g);
}

static int add_and_touch(void *sem)
{
    struct sync *g = sem;

    add(g);
    touch(&g->aside);
    return 0;
}

static int add_and_spill(void *sem)
{
    struct sync *g = sem;

    g[1].units = 1;
    return add(g);
}

/* Looks, and takes afterwards. */
static void look_then_take(void *sync)
{
    struct sync *g = sync;

    while (look(&g->units) == 0)
        doze();
    sched_yield();
    assign(g, 0);
}

static int give_up_at_once(void *sync, const struct timespec *at)
{
    (void)at;
    return try_pass(sync) == 0 ? 0 : ETIMEDOUT;
}

static int never_give_up(void *sync, const struct timespec *at)
{
    (void)at;
    wait_for(sync);
    return 0;
}

#define WRONG_SEM(name_, flags_, wait_, post_, timed_)                                            \
    {                                                                                             \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL,                                \
        .flags = ADAPTER_BLOCKS | (flags_), ADAPTER_OBJECT(struct sync, sync_init_),              \
        .init_full = sync_full_init_, .wait = (wait_), .trywait = sync_trywait_, .post = (post_), \
        .value = sync_value_, .loop = sync_loop_, .timedwait = (timed_)                           \
    }

static const struct sem_adapter wrong_sems[] = {
    WRONG_SEM("is-never-full", 0, sync_wait_, add_and_overflow, event_timedwait_),
    WRONG_SEM("drops-units", 0, sync_wait_, drop_some, event_timedwait_),
    WRONG_SEM("lets-two-through", 0, look_then_take, sync_post_, event_timedwait_),
    WRONG_SEM("gives-up-early", 0, sync_wait_, sync_post_, give_up_at_once),
    WRONG_SEM("touches-freed-memory", ADAPTER_FREEABLE, sync_wait_, add_and_touch,
              event_timedwait_),
    WRONG_SEM("spills", 0, sync_wait_, add_and_spill, event_timedwait_),
    WRONG_SEM("polls", 0, sync_wait_, sync_post_, event_timedwait_),
};

const struct sem_adapter *sem_adapter_list[] = {
    &wrong_sems[0], &wrong_sems[1], &wrong_sems[2], &wrong_sems[3],
    &wrong_sems[4], &wrong_sems[5], &wrong_sems[6], NULL,
};

struct missing_adapter sem_adapter_missing[] = {{NULL, NULL}};

/* --- Events ----------------------------------------------------------------------------------- */

static void do_nothing(void *event)
{
    (void)event;
}

static void wait_or_oversleep(void *event)
{
    struct sync *g = event;

    if (!pass(g)) {
        oversleep(&g->aside);
        wait_for(g);
    }
}

static void set_and_touch(void *event)
{
    add_and_touch(event);
}

static void set_and_spill(void *event)
{
    ((struct sync *)event)[1].units = 1;
    assign(event, 1);
}

#define WRONG_EVENT(name_, flags_, automatic_, init_, set_, reset_, wait_, timed_)             \
    {                                                                                          \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL,                             \
        .flags = ADAPTER_BLOCKS | (flags_), ADAPTER_OBJECT(struct sync, init_),                \
        .automatic = (automatic_), .set = (set_), .reset = (reset_), .is_set = event_is_set_,  \
        .wait = (wait_), .trywait = event_trywait_, .timedwait = (timed_), .loop = event_loop_ \
    }

static const struct event_adapter wrong_events[] = {
    WRONG_EVENT("stays-set", 0, false, sync_manual_init_, event_set_, do_nothing, event_wait_,
                event_timedwait_),
    WRONG_EVENT("forgets-waiters", 0, false, sync_manual_init_, event_set_, event_reset_,
                wait_or_oversleep, event_timedwait_),
    WRONG_EVENT("lets-two-through", 0, true, sync_init_, event_set_, event_reset_, look_then_take,
                event_timedwait_),
    WRONG_EVENT("never-gives-up", 0, true, sync_init_, event_set_, event_reset_, event_wait_,
                never_give_up),
    WRONG_EVENT("touches-freed-memory", ADAPTER_FREEABLE, true, sync_init_, set_and_touch,
                event_reset_, event_wait_, event_timedwait_),
    WRONG_EVENT("spills", 0, true, sync_init_, set_and_spill, event_reset_, event_wait_,
                event_timedwait_),
    WRONG_EVENT("polls", 0, false, sync_manual_init_, event_set_, event_reset_, event_wait_,
                event_timedwait_),
};

const struct event_adapter *event_adapter_list[] = {
    &wrong_events[0], &wrong_events[1], &wrong_events[2], &wrong_events[3],
    &wrong_events[4], &wrong_events[5], &wrong_events[6], NULL,
};

struct missing_adapter event_adapter_missing[] = {{NULL, NULL}};

/* --- Barriers --------------------------------------------------------------------------------- */

struct barrier {
    uint32_t parties;
    uint32_t came;  /* in all rounds */
    uint32_t early; /* how many may be missing */
    uint32_t aside;
};

static int barrier_make(struct barrier *b, uint32_t parties, uint32_t early)
{
    b->parties = parties;
    b->early = early < parties ? early : 0;
    return parties > 0 ? 0 : EINVAL;
}

/* True for the last of a round. */
static bool meet(struct barrier *b)
{
    uint32_t parties = b->parties, early = b->early;
    uint32_t arrival = __atomic_fetch_add(&b->came, 1, __ATOMIC_ACQ_REL);
    uint32_t all = (arrival / parties + 1) * parties - early;

    while ((int32_t)(look(&b->came) - all) < 0)
        doze();
    return arrival % parties == parties - 1;
}

BARRIER_INIT(barrier, struct barrier, barrier_make(l, parties, 0))
BARRIER_INIT(early, struct barrier, barrier_make(l, parties, 1))
BARRIER_CALLS(barrier, struct barrier, meet(l))

static bool meet_and_tell_all_apart(void *b)
{
    meet(b);
    return true;
}

static bool meet_and_touch(void *b)
{
    bool last = meet(b);

    touch(&((struct barrier *)b)->aside);
    return last;
}

#define WRONG_BARRIER(name_, flags_, init_, init_for_, wait_)                      \
    {                                                                              \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL,                 \
        .flags = ADAPTER_BLOCKS | (flags_), ADAPTER_OBJECT(struct barrier, init_), \
        .init_for = (init_for_), .wait = (wait_), .loop = barrier_loop_            \
    }

static const struct barrier_adapter wrong_barriers[] = {
    WRONG_BARRIER("lets-go-early", 0, early_init_, early_init_for_, barrier_wait_),
    WRONG_BARRIER("tells-all-apart", 0, barrier_init_, barrier_init_for_, meet_and_tell_all_apart),
    WRONG_BARRIER("touches-freed-memory", ADAPTER_FREEABLE, barrier_init_, barrier_init_for_,
                  meet_and_touch),
    WRONG_BARRIER("polls", 0, barrier_init_, barrier_init_for_, barrier_wait_),
};

const struct barrier_adapter *barrier_adapter_list[] = {
    &wrong_barriers[0], &wrong_barriers[1], &wrong_barriers[2], &wrong_barriers[3], NULL,
};

struct missing_adapter barrier_adapter_missing[] = {{NULL, NULL}};
