/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "await.h"

/*
 * The mutex with operations in line: loops of tasks and threads that block, on the same few locks.
 * Even workers run loops, the others block.
 */

enum { N_LOCKS = 3, TASKS = AWAIT_TASKS, MANY_LOOPS = 1000 };

static struct guarded locks[N_LOCKS];

static void let_go(struct task *t)
{
    struct guarded *g = t->held;
    fw_task former;

    t->held = NULL;
    if (draw(t->agent->me, 4) != 0) {
        fw_task_mutex_unlock(&g->lock, t->id);
        return;
    }
    former = fw_task_switch(t->id);
    if (!fw_mutex_is_held_by_me(&g->lock))
        stress_fail("a task does not hold what it was granted", g);
    release(t->agent->me, g, 2);
    fw_task_switch(former);
}

static void submit(struct task *t)
{
    struct worker *me = t->agent->me;
    fw_deadline d = in_ns((int64_t)draw(me, 400000) - 2000);
    struct guarded *lock = &locks[draw(me, 8) == 0 ? 1 : draw(me, 16) == 0 ? 2 : 0];

    await_submit(t, MUTEX, lock, draw(me, 4) == 0 ? &d : NULL);
}

/* One step of one task; a waiting one is stopped once in `stops` times. */
static void step(struct task *t, uint32_t stops)
{
    if (t->held != NULL)
        let_go(t);
    else if (t->now == NULL)
        submit(t);
    else if (draw(t->agent->me, stops) == 0)
        await_stop(t, draw(t->agent->me, 2) == 0);
}

static void end_agent(struct agent *a, unsigned n)
{
    for (struct task *t = a->tasks; t < a->tasks + n; t++) {
        await_stop(t, draw(a->me, 2) == 0);
        if (t->held != NULL)
            let_go(t);
        fw_task_end(t->id);
    }
    if (fw_loop_destroy(a->loop) != 0)
        stress_fail("a loop has operations still", NULL);
}

/* Turns of a loop until it is over; sleeps where there is nothing to do. */
static void run_loop(struct agent *a, uint32_t stops)
{
    struct worker *me = a->me;
    fw_deadline d;

    do {
        for (unsigned i = draw(me, TASKS); i > 0; i--)
            step(&a->tasks[draw(me, TASKS)], stops);
        fw_loop_run(a->loop, draw(me, 4));
        if (draw(me, 64) == 0) {
            d = in_ns(draw(me, 300000));
            fw_loop_wait(a->loop, &d);
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
    struct agent a = {.keeps = true};

    if (me->index % 2 != 0) {
        block(me);
        return;
    }
    if (fw_loop_create(&a.loop, NULL) != 0)
        stress_fail("a loop cannot be made", NULL);
    await_begin(&a, me, TASKS);
    run_loop(&a, stress_test->variant ? 2 : 64);
    end_agent(&a, TASKS);
}

/* --- A thousand loops, each with a task, on one mutex. ---------------------------------------- */

static struct agent *agents;

static int make_loops(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    agents = calloc(MANY_LOOPS, sizeof *agents);
    return agents == NULL;
}

static void loops(struct worker *me)
{
    const unsigned each = MANY_LOOPS / stress.threads;
    struct agent *mine = agents + me->index * each;
    unsigned made = 0;

    /* As many as there may be descriptors. */
    while (made < each && fw_loop_create(&mine[made].loop, NULL) == 0) {
        mine[made].keeps = true;
        await_begin(&mine[made++], me, 1);
    }
    did_a_turn(me);
    while (made > 0 && !stress_is_over())
        for (unsigned i = 0; i < made; i++) {
            step(&mine[i].tasks[0], 64);
            fw_loop_run(mine[i].loop, 0);
        }
    for (unsigned i = 0; i < made; i++)
        end_agent(&mine[i], 1);
}

static void unmake_loops(void)
{
    free(agents);
    await_say();
}

#define ROW(called, says, ...)                                                           \
    {                                                                                    \
        .name = called, .about = says, .locks = locks, .n_locks = N_LOCKS, .threads = 4, \
        .least_threads = 2, __VA_ARGS__                                                  \
    }

const struct stress_test await_mutex_tests[] = {
    ROW("await_mutex", "tasks of loops and threads on the same mutexes", .body = storm,
        .turns = 60000, .end = await_say),
    ROW("await_mutex_cancel", "most operations are cancelled", .body = storm, .turns = 30000,
        .variant = 1, .end = await_say),
    ROW("await_mutex_loops", "a thousand loops on one mutex", .body = loops, .turns = 20000,
        .begin = make_loops, .end = unmake_loops),
    {.name = NULL}};
