/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "await.h"

/*
 * Operations of many tasks and blocked threads that wait for the same locks, with deadlines,
 * cancels and drops that race with grants.  In the end nobody is queued, and no unit is missing.
 */

enum { TASKS = AWAIT_TASKS, UNITS = 3, LOCKS = 2 };

static struct guarded guarded[LOCKS], under_rwlock;
static fw_rwlock rwlock;
static fw_sem units;
static fw_cond cond;
static fw_event event;
static int out;
static uint64_t granted, cancelled, timed_out, given_back;

/* One submission; the task goes on to the next when it is over. */
struct submission {
    fw_await op; /* first */
    struct task *task;
    enum await_kind what;
    struct guarded *lock;
};

static void count(uint64_t *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static void take_unit(int delta)
{
    int n = __atomic_add_fetch(&out, delta, __ATOMIC_ACQ_REL);

    if (n < 0 || n > UNITS)
        stress_fail("more units are out than there are", NULL);
}

/* The task has what it asked for: uses it, and gives it back. */
static void use_and_release(const struct submission *s)
{
    fw_task id = s->task->id;

    if (s->task->agent->keeps) {
        s->task->held = s->lock;
        use(s->lock);
        did_a_turn(s->task->agent->me);
        return;
    }
    switch (s->what) {
    case MUTEX:
    case SIGNAL:
        use(s->lock);
        fw_task_mutex_unlock(&s->lock->lock, id);
        break;
    case READ:
        if (under_rwlock.first != under_rwlock.second)
            stress_fail("a reader beside a writer", NULL);
        fw_task_rwlock_rdunlock(&rwlock, id);
        break;
    case WRITE:
        use(&under_rwlock);
        fw_task_rwlock_wrunlock(&rwlock, id);
        break;
    case UNIT:
        take_unit(1);
        take_unit(-1);
        fw_sem_post(&units);
        break;
    default:
        fw_event_set(&event);
    }
}

/* After it is over, however: memory and task are free again. */
static void forget(struct submission *s)
{
    s->task->now = NULL;
    if (!s->task->agent->keeps)
        did_a_turn(s->task->agent->me);
    memset(s, 0x5a, sizeof *s);
    free(s);
}

static void done(fw_await *op, int error)
{
    struct submission *s = (struct submission *)op;

    if (s->task->now != s)
        stress_fail("another operation was told", s->lock);
    if (error != 0 && error != ETIMEDOUT && (error != EBUSY || s->what != SIGNAL))
        stress_fail("an unknown error", NULL);
    count(error == 0 ? &granted : &timed_out);
    if (error == 0 || s->what == SIGNAL)
        use_and_release(s);
    forget(s);
}

static void wake(void *n)
{
    __atomic_fetch_add((uint64_t *)n, 1, __ATOMIC_RELAXED);
}

/* It must not block for the mutex, which another task of this thread may have. */
static int submit_signal(struct submission *s, const fw_deadline *d)
{
    fw_task before = fw_task_switch(s->task->id);
    int error = fw_mutex_trylock(&s->lock->lock);

    if (error == 0) {
        error = fw_await_cond(&s->op, &cond, &s->lock->lock, d);
        if (error != EINPROGRESS) {
            fw_mutex_unlock(&s->lock->lock);
            error = EBUSY;
        }
    }
    fw_task_switch(before);
    return error;
}

static int submit(struct submission *s, const fw_deadline *d)
{
    switch (s->what) {
    case MUTEX:
        return fw_await_mutex(&s->op, &s->lock->lock, d);
    case READ:
        return fw_await_rdlock(&s->op, &rwlock, d);
    case WRITE:
        return fw_await_wrlock(&s->op, &rwlock, d);
    case UNIT:
        return fw_await_sem(&s->op, &units, d);
    case SIGNAL:
        return submit_signal(s, d);
    default:
        return fw_await_event(&s->op, &event, d);
    }
}

void await_begin(struct agent *a, struct worker *me, unsigned n)
{
    a->me = me;
    for (unsigned i = 0; i < n; i++) {
        a->tasks[i].agent = a;
        if (fw_task_begin(&a->tasks[i].id) != 0)
            stress_fail("no task", NULL);
    }
}

void await_submit(struct task *t, enum await_kind what, struct guarded *lock, const fw_deadline *d)
{
    static uint64_t woken;
    struct submission *s = malloc(sizeof *s);
    int error;

    if (s == NULL)
        stress_fail("no memory", NULL);
    s->task = t;
    s->what = what;
    s->lock = lock;
    if (t->agent->loop != NULL)
        fw_await_init(&s->op, t->agent->loop, t->id, done);
    else
        fw_await_init_waker(&s->op, t->id, wake, &woken);
    t->now = s;
    error = submit(s, d);
    if (error == EBUSY && what == SIGNAL)
        forget(s);
    else if (error != EINPROGRESS)
        done(&s->op, error);
}

static void begin_one(struct agent *a, struct task *t)
{
    fw_deadline d = in_ns((int64_t)draw(a->me, 400000) - 5000);
    enum await_kind what = (enum await_kind)draw(a->me, KINDS);
    struct guarded *lock = &guarded[what == SIGNAL ? 0 : draw(a->me, LOCKS)];

    await_submit(t, what, lock, a->loop != NULL && draw(a->me, 2) == 0 ? &d : NULL);
}

void await_stop(struct task *t, bool drops)
{
    struct submission *s = t->now;
    bool is_free;

    if (s == NULL)
        return;
    is_free = drops ? fw_await_drop(&s->op) : fw_await_cancel(&s->op);
    count(is_free ? &cancelled : &given_back);
    if (!is_free && !drops)
        use_and_release(s);
    forget(s);
}

static void poll_all(struct agent *a)
{
    for (int i = 0; i < TASKS; i++) {
        struct submission *s = a->tasks[i].now;
        int error = s != NULL ? fw_await_poll(&s->op) : EINPROGRESS;

        if (error != EINPROGRESS)
            done(&s->op, error);
    }
}

static void run(struct agent *a)
{
    fw_deadline soon = in_ns(50000);
    struct pollfd fd;

    if (a->loop == NULL) {
        poll_all(a);
        return;
    }
    if (a->me->index % 3 == 0) {
        fd = (struct pollfd){.fd = fw_loop_fd(a->loop), .events = POLLIN};
        poll(&fd, 1, 1);
    } else {
        fw_loop_wait(a->loop, &soon);
    }
    fw_loop_run(a->loop, draw(a->me, 3));
}

/* A loop is destroyed under way: not while operations wait in it. */
static void end_loop(struct agent *a)
{
    bool waits = false;

    for (int i = 0; i < TASKS; i++)
        waits |= a->tasks[i].now != NULL;
    if (waits && fw_loop_destroy(a->loop) != EBUSY)
        stress_fail("a loop is destroyed under its operations", NULL);
    for (int i = 0; i < TASKS; i++)
        await_stop(&a->tasks[i], true);
    if (fw_loop_destroy(a->loop) != 0)
        stress_fail("a loop in which nothing waits is busy", NULL);
}

static void be_an_agent(struct worker *me)
{
    struct agent *a = calloc(1, sizeof *a);

    await_begin(a, me, TASKS);
    do {
        if (a->loop == NULL && me->index % 4 != 3 && fw_loop_create(&a->loop, NULL) != 0)
            stress_fail("no loop", NULL);
        for (int round = 0; round < 200 && !stress_is_over(); round++) {
            for (int i = 0; i < TASKS; i++)
                if (a->tasks[i].now == NULL && draw(me, 2) == 0)
                    begin_one(a, &a->tasks[i]);
            await_stop(&a->tasks[draw(me, TASKS)], draw(me, 2) == 0);
            run(a);
            fw_cond_signal(&cond);
        }
        if (a->loop != NULL)
            end_loop(a);
        a->loop = NULL;
        if (me->index % 4 == 3)
            for (int i = 0; i < TASKS; i++)
                await_stop(&a->tasks[i], draw(me, 2) == 0);
    } while (!stress_is_over());
    for (int i = 0; i < TASKS; i++)
        fw_task_end(a->tasks[i].id);
    free(a);
}

static void be_a_thread(struct worker *me)
{
    do {
        struct guarded *g = &guarded[draw(me, LOCKS)];
        fw_deadline d = in_ns((int64_t)draw(me, 200000) - 2000);

        did_a_turn(me);
        if (fw_mutex_timedlock(&g->lock, &d) == 0) {
            use(g);
            if (g == guarded && draw(me, 8) == 0)
                fw_cond_timedwait(&cond, &g->lock, &d);
            else if (draw(me, 8) == 0)
                fw_cond_broadcast(&cond);
            fw_mutex_unlock(&g->lock);
        }
        if (fw_sem_timedwait(&units, &d) == 0) {
            take_unit(1);
            take_unit(-1);
            fw_sem_post(&units);
        }
        if (fw_rwlock_timedwrlock(&rwlock, &d) == 0) {
            use(&under_rwlock);
            fw_rwlock_wrunlock(&rwlock);
        }
        if (fw_event_timedwait(&event, &d) == 0)
            fw_event_set(&event);
    } while (!stress_is_over());
}

static void body(struct worker *me)
{
    if (me->index % 2 == 0 || me->index == 3)
        be_an_agent(me);
    else
        be_a_thread(me);
}

static int begin(void)
{
    fw_rwlock_init(&rwlock, FW_RWLOCK_FAIR);
    return fw_sem_init(&units, UNITS, UNITS) | fw_event_init(&event, FW_EVENT_AUTO, true);
}

void await_say(void)
{
    printf("%llu granted, %llu timed out, %llu cancelled, %llu given back, %llu late\n",
           (unsigned long long)granted, (unsigned long long)timed_out,
           (unsigned long long)cancelled, (unsigned long long)given_back,
           (unsigned long long)fw_await_late());
}

static void end(void)
{
    if (units.state_ != UNITS || !fw_event_is_set(&event) || rwlock.state_ != 0)
        stress_fail("in the end something is missing, or somebody is still queued", NULL);
    for (int i = 0; i < LOCKS; i++)
        if ((uint32_t)guarded[i].lock.state_ != 0 || fw_cond_broadcast(&cond) != 0)
            stress_fail("in the end a mutex is held, or somebody waits", &guarded[i]);
    await_say();
}

const struct stress_test await_tests[] = {
    {"await", "Tasks and threads, and cancels that race with grants", body, 60000, .threads = 6,
     .least_threads = 4, .most_threads = 32, .locks = guarded, .n_locks = LOCKS, .begin = begin,
     .end = end},
    {0}};
