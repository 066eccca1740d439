/* SPDX-License-Identifier: MIT */
/*
 * Tasks that wait by a loop for a read-write lock, permits, and a condition.  The outcome of a run:
 * how many were told of a death.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/await.h>

#include "region.h"

#define TASK(n) ((UINT32_C(1) << 22 | (n)) << 8 | 1)
enum { TASKS = 3, PERMITS = 2 };

static fw_ipc_rwlock *l;
static fw_ipc_permits *u;
static fw_ipc_mutex *m;
static fw_ipc_cond *c;
static fw_loop_engine engine;
static fw_loop *loop;

struct asked {
    fw_await op;
    fw_task task;
    bool writes;
};

static void prepare(void)
{
    l = object_new(sizeof *l);
    u = object_new(fw_ipc_permits_size(PERMITS));
    m = object_new(sizeof *m);
    c = object_new(sizeof *c);
}

static void reset(void)
{
    engine = FW_LOOP_AUTO;
    CHECK(fw_ipc_rwlock_init(l) == 0 && fw_ipc_mutex_init(m) == 0 && fw_ipc_cond_init(c) == 0);
    memset(u, 0, fw_ipc_permits_size(PERMITS));
    CHECK(fw_ipc_permits_init(u, PERMITS) == 0);
}

static void reset_helper(void)
{
    reset();
    engine = FW_LOOP_THREAD;
}

static unsigned ended;

/* Submits for each task, and runs the loop until all have ended. */
static void await_all(int (*ask)(struct asked *a, unsigned i),
                      void (*done)(fw_await *op, int error))
{
    fw_loop_options options = {.engine = engine};
    struct asked asked[TASKS];

    ended = 0;
    CHECK(fw_loop_create(&loop, &options) == 0);
    for (unsigned i = 0; i < TASKS; i++) {
        int error;
        asked[i].task = TASK(i + 1);
        fw_await_init(&asked[i].op, loop, asked[i].task, done);
        error = ask(&asked[i], i);
        if (error != EINPROGRESS)
            done(&asked[i].op, error);
    }
    while (ended < TASKS) {
        CHECK(fw_loop_wait(loop, NULL) == 0);
        fw_loop_run(loop, 0);
    }
    CHECK(fw_loop_destroy(loop) == 0);
}

/* --- The read-write lock ---------------------------------------------------------------------- */

static void look(void)
{
    uint64_t a = __atomic_load_n(&shared->a, __ATOMIC_RELAXED);
    uint64_t b = __atomic_load_n(&shared->b, __ATOMIC_RELAXED);

    if (a != b)
        fail("half changed: %llu %llu", (unsigned long long)a, (unsigned long long)b);
}

static void change(void)
{
    fw_step_();
    shared->a++;
    fw_step_();
    shared->b++;
    fw_step_();
}

static int ask_for_lock(struct asked *a, unsigned i)
{
    a->writes = i % 2 != 0;
    return a->writes ? fw_await_ipc_wrlock(&a->op, l, NULL) : fw_await_ipc_rdlock(&a->op, l, NULL);
}

static void done_with_lock(fw_await *op, int error)
{
    struct asked *a = (struct asked *)op;

    if (error == EOWNERDEAD) { /* a reader holds nothing, and asks for more */
        add_outcome(1);
        if (!a->writes) {
            a->writes = true;
            error = fw_await_ipc_wrlock(op, l, NULL);
            if (error == EINPROGRESS)
                return;
        }
        if (error == EOWNERDEAD) {
            shared->a = shared->b;
            error = fw_task_ipc_rwlock_consistent(l, a->task);
        }
    }
    if (error != 0)
        fail("await: %s", strerror(error));
    look();
    if (a->writes)
        change();
    fw_step_();
    CHECK((a->writes ? fw_task_ipc_rwlock_wrunlock(l, a->task)
                     : fw_task_ipc_rwlock_rdunlock(l, a->task)) == 0);
    ended++;
}

static void lock_all(void)
{
    await_all(ask_for_lock, done_with_lock);
}

static void write_once(void)
{
    int error = fw_ipc_rwlock_wrlock(l);

    if (error == EOWNERDEAD) {
        add_outcome(1);
        shared->a = shared->b;
        error = fw_ipc_rwlock_consistent(l);
    }
    CHECK(error == 0);
    look();
    CHECK(fw_ipc_rwlock_wrunlock(l) == 0);
    CHECK(fw_ipc_rwlock_rdlock(l) == 0);
    CHECK(fw_ipc_rwlock_rdunlock(l) == 0);
}

static void read_first(void)
{
    CHECK(fw_ipc_rwlock_rdlock(l) == 0);
}

static void write_first(void)
{
    CHECK(fw_ipc_rwlock_wrlock(l) == 0);
}

static void unlock(void)
{
    CHECK(fw_ipc_rwlock_unlock(l) == 0);
}

ROLE_3(read_until_victim_idle, read_first, stay_until_victim_idle, unlock)
ROLE_3(write_until_victim_idle, write_first, stay_until_victim_idle, unlock)

/* --- Permits ---------------------------------------------------------------------------------- */

static int ask_for_permit(struct asked *a, unsigned i)
{
    (void)i;
    return fw_await_ipc_permits(&a->op, u, NULL);
}

static void done_with_permit(fw_await *op, int error)
{
    uint32_t i = fw_await_ipc_permit(op);
    uint64_t before;

    if (error != 0 && error != EOWNERDEAD)
        fail("await: %s", strerror(error));
    CHECK(i < PERMITS);
    before = shared->words[i];
    fw_step_();
    shared->words[i] = before + 1;
    fw_step_();
    CHECK(shared->words[i] == before + 1); /* nobody else has it */
    CHECK(fw_task_ipc_permits_give(u, i, ((struct asked *)op)->task) == 0);
    ended++;
}

static void borrow_all(void)
{
    await_all(ask_for_permit, done_with_permit);
}

static void take_each(void)
{
    for (uint32_t n = 0; n < PERMITS; n++)
        CHECK(fw_ipc_permits_wait(u) == 0);
    while (fw_ipc_permits_post(u) == 0)
        ;
    CHECK(fw_ipc_permits_value(u) == PERMITS);
}

static void borrow_first(void)
{
    for (uint32_t n = 0; n < PERMITS; n++)
        CHECK(fw_ipc_permits_trywait(u) == 0);
}

static void give_all(void)
{
    while (fw_ipc_permits_post(u) == 0)
        ;
}

ROLE_3(borrow_until_victim_idle, borrow_first, stay_until_victim_idle, give_all)

/* --- The condition: words[0] is not 0 --------------------------------------------------------- */

static void locked(fw_await *op, int error);

static void signalled(fw_await *op, int error)
{
    locked(op, error);
}

/* It has the mutex. */
static void locked(fw_await *op, int error)
{
    struct asked *a = (struct asked *)op;

    if (error == EOWNERDEAD) {
        add_outcome(1);
        error = fw_task_ipc_mutex_consistent(m, a->task);
    }
    if (error != 0)
        fail("await: %s", strerror(error));
    if (__atomic_load_n(&shared->words[0], __ATOMIC_RELAXED) == 0) {
        op->call_.done = signalled;
        CHECK(fw_await_ipc_cond(op, c, m, NULL) == EINPROGRESS);
        return;
    }
    fw_step_();
    CHECK(fw_task_ipc_mutex_unlock(m, a->task) == 0);
    ended++;
}

static int ask_for_mutex(struct asked *a, unsigned i)
{
    (void)i;
    return fw_await_ipc_mutex(&a->op, m, NULL);
}

static void wait_all(void)
{
    await_all(ask_for_mutex, locked);
}

static void say_so(void)
{
    int error = fw_ipc_mutex_lock(m);

    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(m);
    CHECK(error == 0);
    shared->words[0] = 1;
    CHECK(fw_ipc_cond_broadcast(c) == 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void clear_word(void)
{
    shared->words[0] = 0;
}

ROLE_3(say_so_when_victim_idle, clear_word, stay_until_victim_idle, say_so)

/* A thread that waits as well is not forgotten. */
static void wait_once(void)
{
    int error = fw_ipc_mutex_lock(m);

    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(m);
    CHECK(error == 0);
    shared->words[0] = 1;
    CHECK(fw_ipc_cond_signal(c) == 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static const struct kill_case cases[] = {
    {"lock", reset, NULL, become_participant, lock_all, NULL, write_once, ANY_CHANGES},
    {"lock, another reads", reset, read_until_victim_idle, become_participant, lock_all, NULL,
     write_once, ANY_CHANGES},
    {"lock, another writes", reset, write_until_victim_idle, become_participant, lock_all, NULL,
     write_once, ANY_CHANGES},
    {"lock, another reads, by a helper", reset_helper, read_until_victim_idle, become_participant,
     lock_all, NULL, write_once, ANY_CHANGES},
    {"permits", reset, NULL, become_participant, borrow_all, NULL, take_each, ANY_CHANGES},
    {"permits, lent", reset, borrow_until_victim_idle, become_participant, borrow_all, NULL,
     take_each, ANY_CHANGES},
    {"wait", reset, say_so_when_victim_idle, become_participant, wait_all, NULL, wait_once,
     ANY_CHANGES},
    {"wait, by a helper", reset_helper, say_so_when_victim_idle, become_participant, wait_all, NULL,
     wait_once, ANY_CHANGES},
    {.name = NULL}};

const struct kill_table await_rest_table = {
    .name = "await_rest", .cases = cases, .prepare = prepare, .endings = KILL_ENDING(KILLED)};
