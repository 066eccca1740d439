/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <furwock/await.h>

/*
 * The mutex with operations in line: loops of tasks and threads that block, on the same few locks.
 * Even workers run loops, the others block.  Operations live in memory that is freed as soon as
 * they have ended.
 */

enum { N_LOCKS = 3, TASKS = 24, MANY_LOOPS = 1000 };

static struct guarded locks[N_LOCKS];
static uint64_t granted, cancelled, met, timed_out;

struct team;

struct task {
    fw_await *op; /* NULL: it does not wait */
    struct team *team;
    struct guarded *lock; /* that it waits for, or holds */
    fw_task id;
    bool has_it;
};

struct team {
    struct worker *worker;
    fw_loop *loop;
    struct task tasks[TASKS];
};

static void count(uint64_t *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* The memory of an operation that has ended is nobody's. */
static void drop_op(struct task *t)
{
    memset(t->op, 0x5a, sizeof *t->op);
    free(t->op);
    t->op = NULL;
}

static void hold(struct task *t)
{
    t->has_it = true;
    use(t->lock);
    count(&granted);
    did_a_turn(t->team->worker);
}

static void let_go(struct task *t)
{
    fw_task former;

    t->has_it = false;
    if (draw(t->team->worker, 4) != 0) {
        fw_task_mutex_unlock(&t->lock->lock, t->id);
        return;
    }
    former = fw_task_switch(t->id);
    if (!fw_mutex_is_held_by_me(&t->lock->lock))
        stress_fail("a task does not hold what it was granted", t->lock);
    release(t->team->worker, t->lock, 2);
    fw_task_switch(former);
}

/* The operation comes first in this. */
struct wait {
    fw_await op;
    struct task *task;
};

static void done(fw_await *op, int error)
{
    struct task *t = ((struct wait *)op)->task;

    if (t->op != op)
        stress_fail("another operation was told", t->lock);
    drop_op(t);
    if (error == 0)
        hold(t);
    else if (error == ETIMEDOUT)
        count(&timed_out);
    else
        stress_fail("an unknown error", t->lock);
}

static void submit(struct task *t)
{
    struct worker *me = t->team->worker;
    struct wait *w = malloc(sizeof *w);
    fw_deadline d = in_ns((int64_t)draw(me, 400000) - 2000);
    int error;

    if (w == NULL)
        stress_fail("no memory", NULL);
    t->lock = &locks[draw(me, 8) == 0 ? 1 : draw(me, 16) == 0 ? 2 : 0];
    t->op = &w->op;
    w->task = t;
    fw_await_init(t->op, t->team->loop, t->id, done);
    error = fw_await_mutex(t->op, &t->lock->lock, draw(me, 4) == 0 ? &d : NULL);
    if (error == EINPROGRESS)
        return;
    drop_op(t);
    if (error == 0)
        hold(t);
    else if (error != ETIMEDOUT)
        stress_fail("an operation was refused", t->lock);
}

static void stop(struct task *t)
{
    if (draw(t->team->worker, 2) == 0) {
        count(fw_await_drop(t->op) ? &cancelled : &met);
        drop_op(t);
    } else if (fw_await_cancel(t->op)) {
        count(&cancelled);
        drop_op(t);
    } else {
        count(&met);
        drop_op(t);
        hold(t);
    }
}

/* One step of one task; `stops` in so many of those that wait are stopped. */
static void step(struct task *t, uint32_t stops)
{
    if (t->has_it)
        let_go(t);
    else if (t->op == NULL)
        submit(t);
    else if (draw(t->team->worker, stops) == 0)
        stop(t);
}

static void begin_team(struct team *team, struct worker *me, unsigned n)
{
    memset(team, 0, sizeof *team);
    team->worker = me;
    if (fw_loop_create(&team->loop, NULL) != 0)
        stress_fail("a loop cannot be made", NULL);
    for (unsigned i = 0; i < n; i++) {
        team->tasks[i].team = team;
        if (fw_task_begin(&team->tasks[i].id) != 0)
            stress_fail("a task cannot be made", NULL);
    }
}

static void end_team(struct team *team, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct task *t = &team->tasks[i];

        if (t->op != NULL)
            stop(t);
        if (t->has_it)
            let_go(t);
        fw_task_end(t->id);
    }
    if (fw_loop_destroy(team->loop) != 0)
        stress_fail("a loop has operations still", NULL);
}

/* Turns of a loop until it is over; sleeps where there is nothing to do. */
static void run_team(struct team *team, uint32_t stops)
{
    struct worker *me = team->worker;
    fw_deadline d;

    do {
        for (unsigned i = draw(me, TASKS); i > 0; i--)
            step(&team->tasks[draw(me, TASKS)], stops);
        fw_loop_run(team->loop, draw(me, 4));
        if (draw(me, 64) == 0) {
            d = in_ns(draw(me, 300000));
            fw_loop_wait(team->loop, &d);
        }
    } while (!stress_is_over());
}

static void block(struct worker *me)
{
    do {
        struct guarded *g = &locks[draw(me, 8) == 0];
        fw_deadline d = in_ns((int64_t)draw(me, 120000) - 2000);

        if (fw_mutex_lock_policy(&g->lock, some_policy(me), draw(me, 2) ? &d : NULL) == 0) {
            use(g);
            if (draw(me, 32) == 0)
                burn(draw(me, 30000));
            release(me, g, 8);
        }
        did_a_turn(me);
        if (draw(me, 8) == 0)
            sleep_us(draw(me, 200));
    } while (!stress_is_over());
}

static void storm(struct worker *me)
{
    struct team team;

    if (me->index % 2 != 0) {
        block(me);
        return;
    }
    begin_team(&team, me, TASKS);
    run_team(&team, stress_test->variant ? 2 : 64);
    end_team(&team, TASKS);
}

static void say(void)
{
    printf("%llu granted, %llu cancelled, %llu met a grant, %llu timed out\n",
           (unsigned long long)granted, (unsigned long long)cancelled, (unsigned long long)met,
           (unsigned long long)timed_out);
}

/* --- A thousand loops, each with a task, on one mutex. ---------------------------------------- */

static struct team *teams;

static int make_loops(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    teams = calloc(MANY_LOOPS, sizeof *teams);
    return teams == NULL;
}

static void loops(struct worker *me)
{
    const unsigned each = MANY_LOOPS / stress.threads;
    struct team *mine = teams + me->index * each;
    unsigned made = 0;

    while (made < each) { /* as many as there may be descriptors */
        memset(&mine[made], 0, sizeof mine[made]);
        if (fw_loop_create(&mine[made].loop, NULL) != 0)
            break;
        mine[made].worker = me;
        mine[made].tasks[0].team = &mine[made];
        if (fw_task_begin(&mine[made].tasks[0].id) != 0)
            stress_fail("a task cannot be made", NULL);
        made++;
    }
    did_a_turn(me);
    while (made > 0 && !stress_is_over())
        for (unsigned i = 0; i < made; i++) {
            step(&mine[i].tasks[0], 64);
            fw_loop_run(mine[i].loop, 0);
        }
    for (unsigned i = 0; i < made; i++)
        end_team(&mine[i], 1);
}

static void unmake_loops(void)
{
    free(teams);
    say();
}

#define ROW(called, says, ...)                                                           \
    {                                                                                    \
        .name = called, .about = says, .locks = locks, .n_locks = N_LOCKS, .threads = 4, \
        .least_threads = 2, __VA_ARGS__                                                  \
    }

const struct stress_test await_mutex_tests[] = {
    ROW("await_mutex", "tasks of loops and threads on the same mutexes", .body = storm,
        .turns = 60000, .end = say),
    ROW("await_mutex_cancel", "most operations are cancelled", .body = storm, .turns = 30000,
        .variant = 1, .end = say),
    ROW("await_mutex_loops", "a thousand loops on one mutex", .body = loops, .turns = 20000,
        .begin = make_loops, .end = unmake_loops),
    {.name = NULL}};
