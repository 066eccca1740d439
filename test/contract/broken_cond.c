/* SPDX-License-Identifier: MIT */
/* Condition variables that are wrong, each in one way. */
#include "bench/adapters/cond_adapter_define.h"
#include "broken.h"

/* One that works: a waiter takes a ticket, and is let go when its ticket is called. */
struct cond {
    struct base mutex;
    uint32_t tickets; /* given out; under the mutex, or by those who signal under `guard` */
    uint32_t called;
    uint32_t aside;
};

static void call(struct cond *c, uint32_t n)
{
    uint32_t called = look(&c->called), tickets;

    do {
        tickets = look(&c->tickets);
        if (tickets - called < n)
            n = tickets - called;
    } while (n != 0 && !__atomic_compare_exchange_n(&c->called, &called, called + n, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static uint32_t draw(struct cond *c)
{
    return __atomic_fetch_add(&c->tickets, 1, __ATOMIC_ACQ_REL);
}

static bool is_called(struct cond *c, uint32_t ticket)
{
    return (int32_t)(look(&c->called) - ticket) > 0;
}

static void await_call(struct cond *c, uint32_t ticket)
{
    release(&c->mutex);
    while (!is_called(c, ticket))
        doze();
    acquire(&c->mutex);
}

static void wait_in_turn(struct cond *c)
{
    await_call(c, draw(c));
}

/* A ticket cannot be given back here: a waiter that gives up calls all, as if spuriously. */
static int wait_in_time(struct cond *c, const struct timespec *at)
{
    uint32_t ticket = draw(c);

    release(&c->mutex);
    while (!is_called(c, ticket) && !is_over(at))
        doze();
    acquire(&c->mutex);
    if (is_called(c, ticket))
        return 0;
    call(c, UINT32_MAX);
    return ETIMEDOUT;
}

ADAPTER_ZERO_IS_FREE(cond)
COND_CALLS(cond, struct cond, acquire(&l->mutex), release(&l->mutex), wait_in_turn(l), call(l, 1),
           call(l, UINT32_MAX))
COND_TIMED(cond, struct cond, wait_in_time(l, at))

/* The line is drawn late: after the mutex was let go. */
static void wait_late(void *object)
{
    struct cond *c = object;

    release(&c->mutex);
    sched_yield();
    uint32_t ticket = draw(c);
    while (!is_called(c, ticket))
        doze();
    acquire(&c->mutex);
}

/* Calls are for anybody here: a thread that comes after the signal takes it. */
static void wait_or_steal(void *object)
{
    struct cond *c = object;

    for (;;) {
        uint32_t calls = look(&c->called);
        if (calls != 0 && change(&c->called, calls, calls - 1))
            return;
        release(&c->mutex);
        doze();
        acquire(&c->mutex);
    }
}

static void signal_anybody(void *object)
{
    __atomic_fetch_add(&((struct cond *)object)->called, 1, __ATOMIC_ACQ_REL);
}

/* The ticket stays taken: the next call is for nobody. */
static int give_up_and_stay(void *object, const struct timespec *at)
{
    struct cond *c = object;
    uint32_t ticket = draw(c);

    release(&c->mutex);
    while (!is_called(c, ticket) && !is_over(at))
        doze();
    acquire(&c->mutex);
    return is_called(c, ticket) ? 0 : ETIMEDOUT;
}

static int never_give_up(void *object, const struct timespec *at)
{
    (void)at;
    wait_in_turn(object);
    return 0;
}

static void wait_and_touch(void *object)
{
    wait_in_turn(object);
    touch(&((struct cond *)object)->aside);
}

static void unlock_and_spill(void *object)
{
    struct cond *c = object;

    c[3].mutex.taken = 1; /* beyond what the tests put behind it */
    release(&c->mutex);
}

/* Looks at the predicate now and then, with the mutex. */
static int await_by_looking(void *object, bool (*holds)(void *arg), void *arg,
                            const struct timespec *at)
{
    struct cond *c = object;

    while (!holds(arg)) {
        if (at != NULL && is_over(at))
            return ETIMEDOUT;
        release(&c->mutex);
        doze();
        acquire(&c->mutex);
    }
    return 0;
}

/* It was true once; another may have been there in between. */
static int await_and_return_late(void *object, bool (*holds)(void *arg), void *arg,
                                 const struct timespec *at)
{
    struct cond *c = object;
    int error = await_by_looking(object, holds, arg, at);

    release(&c->mutex);
    sched_yield();
    acquire(&c->mutex);
    return error;
}

static int await_as_if_done(void *object, bool (*holds)(void *arg), void *arg,
                            const struct timespec *at)
{
    (void)object;
    (void)at;
    return holds(arg) ? 0 : ETIMEDOUT;
}

#define WRONG_AWAIT(name_, await_)                                                          \
    {                                                                                       \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL, .flags = ADAPTER_BLOCKS, \
        ADAPTER_OBJECT(struct cond, cond_init_), COND_MEMBERS(cond), .await = (await_)      \
    }

#define WRONG_COND(name_, flags_, unlock_, wait_, timed_, signal_, broadcast_)           \
    {                                                                                    \
        .name = (name_), .about = "wrong", .family = FAMILY_RIVAL,                       \
        .flags = ADAPTER_BLOCKS | (flags_), ADAPTER_OBJECT(struct cond, cond_init_),     \
        .cond_at = offsetof(struct cond, tickets), .cond_size = 3 * sizeof(uint32_t),    \
        .lock = cond_lock_, .unlock = (unlock_), .wait = (wait_), .timedwait = (timed_), \
        .signal = (signal_), .broadcast = (broadcast_)                                   \
    }

static const struct cond_adapter wrong[] = {
    WRONG_COND("loses-signals", 0, cond_unlock_, wait_late, cond_timedwait_, cond_signal_,
               cond_broadcast_),
    WRONG_COND("broadcasts-to-one", 0, cond_unlock_, cond_wait_, cond_timedwait_, cond_signal_,
               cond_signal_),
    WRONG_COND("lets-steal", 0, cond_unlock_, wait_or_steal, NULL, signal_anybody, cond_broadcast_),
    WRONG_COND("swallows-signals", ADAPTER_EXACT, cond_unlock_, cond_wait_, give_up_and_stay,
               cond_signal_, cond_broadcast_),
    WRONG_COND("never-gives-up", 0, cond_unlock_, cond_wait_, never_give_up, cond_signal_,
               cond_broadcast_),
    WRONG_COND("touches-freed-memory", ADAPTER_FREEABLE, cond_unlock_, wait_and_touch,
               cond_timedwait_, cond_signal_, cond_broadcast_),
    WRONG_COND("cannot-be-cancelled", ADAPTER_CANCEL, cond_unlock_, cond_wait_, cond_timedwait_,
               cond_signal_, cond_broadcast_),
    WRONG_COND("knows-no-owner", ADAPTER_OWNER, cond_unlock_, cond_wait_, cond_timedwait_,
               cond_signal_, cond_broadcast_),
    WRONG_COND("spills", 0, unlock_and_spill, cond_wait_, cond_timedwait_, cond_signal_,
               cond_broadcast_),
    WRONG_COND("polls", 0, cond_unlock_, cond_wait_, cond_timedwait_, cond_signal_,
               cond_broadcast_),
    WRONG_AWAIT("looks-now-and-then", await_by_looking),
    WRONG_AWAIT("returns-late", await_and_return_late),
    WRONG_AWAIT("awaits-nothing", await_as_if_done),
};

const struct cond_adapter *cond_adapter_list[] = {
    &wrong[0], &wrong[1], &wrong[2], &wrong[3],  &wrong[4],  &wrong[5],  &wrong[6],
    &wrong[7], &wrong[8], &wrong[9], &wrong[10], &wrong[11], &wrong[12], NULL,
};

struct missing_adapter cond_adapter_missing[] = {{NULL, NULL}};
