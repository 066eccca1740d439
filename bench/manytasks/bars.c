/* SPDX-License-Identifier: MIT */
/*
 * manytasks-bars SUBJECT SIDE: one figure, as JSON; what a task costs beside what a thread does.
 *
 *   submit   thread: fw_mutex_lock and unlock of a free mutex;  task: fw_await_mutex instead
 *   wake     thread: to a blocked thread and back, by two semaphores;  task: to a sleeping loop
 *   cancel   few, many: one of 1,000 or 100,000 operations that wait for a mutex is cancelled
 *   longest  thread: it competes with 1,000 tasks for a mutex;  task: it does with 16 threads
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include <furwock/await.h>

#include "bench/common/pin.h"

enum { SUBMITS = 2000000, TURNS = 20000, FEW = 1000, MANY = 100000, TASKS = 1000, THREADS = 16 };

#define LONGEST_NS 400000000u /* the length of that run */

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *checked(void *made)
{
    if (made == NULL)
        abort();
    return made;
}

static void check(int error)
{
    if (error != 0) {
        fprintf(stderr, "%s\n", strerror(error));
        exit(EXIT_FAILURE);
    }
}

static void start(thrd_t *thread, thrd_start_t run, void *arg)
{
    if (thrd_create(thread, run, arg) != thrd_success)
        abort();
}

static int print(double ns, double cpu_ns, double by)
{
    printf("{\"ns\": %.2f, \"cpu_ns\": %.2f, \"by\": %.0f}\n", ns, cpu_ns, by);
    return EXIT_SUCCESS;
}

/* --- submit ----------------------------------------------------------------------------------- */

static int submit(bool by_task)
{
    fw_mutex m = FW_MUTEX_INIT;
    fw_loop *loop;
    fw_await op;
    fw_task task;
    uint64_t begun, cpu;

    check(fw_loop_create(&loop, NULL));
    check(fw_task_begin(&task));
    fw_await_init(&op, loop, task, NULL);
    cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    begun = now(CLOCK_MONOTONIC);
    for (int i = 0; i < SUBMITS; i++) {
        if (by_task) {
            check(fw_await_mutex(&op, &m, NULL));
            fw_task_mutex_unlock(&m, task);
        } else {
            fw_mutex_lock(&m);
            fw_mutex_unlock(&m);
        }
    }
    begun = now(CLOCK_MONOTONIC) - begun;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    fw_task_end(task);
    check(fw_loop_destroy(loop));
    return print((double)begun / SUBMITS, (double)cpu / SUBMITS, 0);
}

/* --- wake ------------------------------------------------------------------------------------- */

static fw_sem there = FW_SEM_INIT(0), back = FW_SEM_INIT(0);

static int answer_blocked(void *unused)
{
    (void)unused;
    pin_if_wanted(1);
    for (int i = 0; i < TURNS; i++) {
        fw_sem_wait(&there);
        fw_sem_post(&back);
    }
    return 0;
}

static int answer_by_loop(void *unused)
{
    fw_loop *loop;
    fw_await op;

    (void)unused;
    pin_if_wanted(1);
    check(fw_loop_create(&loop, NULL));
    fw_await_init(&op, loop, 0, NULL);
    for (int i = 0; i < TURNS; i++) {
        int error = fw_await_sem(&op, &there, NULL);

        while (error == EINPROGRESS) {
            fw_loop_wait(loop, NULL);
            if (fw_loop_run(loop, 0) != 0)
                error = fw_await_poll(&op);
        }
        check(error);
        fw_sem_post(&back);
    }
    check(fw_loop_destroy(loop));
    return 0;
}

static int wake(bool of_task)
{
    const fw_wait_policy sleep = {FW_WAIT_BLOCK, 0};
    uint64_t begun, cpu;
    thrd_t other;

    check(fw_wait_set_default(&sleep)); /* what is compared is waking, not spinning */
    pin_if_wanted(0);
    start(&other, of_task ? answer_by_loop : answer_blocked, NULL);
    cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    begun = now(CLOCK_MONOTONIC);
    for (int i = 0; i < TURNS; i++) {
        fw_sem_post(&there);
        fw_sem_wait(&back);
    }
    begun = now(CLOCK_MONOTONIC) - begun;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    thrd_join(other, NULL);
    return print((double)begun / TURNS, (double)cpu / TURNS, 0);
}

/* --- cancel ----------------------------------------------------------------------------------- */

static int cancel(unsigned n)
{
    fw_await *ops = checked(calloc(n, sizeof *ops));
    unsigned *order = checked(calloc(n, sizeof *order));
    fw_mutex m = FW_MUTEX_INIT;
    fw_loop *loop;
    fw_task task;
    uint64_t begun, cpu;

    check(fw_loop_create(&loop, NULL));
    check(fw_task_begin(&task));
    fw_mutex_lock(&m);
    for (unsigned i = 0; i < n; i++) {
        fw_await_init(&ops[i], loop, task, NULL);
        if (fw_await_mutex(&ops[i], &m, NULL) != EINPROGRESS)
            abort();
        order[i] = i;
    }
    srand(1);
    for (unsigned i = n - 1; i > 0; i--) {
        unsigned j = (unsigned)rand() % (i + 1), kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
    cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    begun = now(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < n; i++)
        if (!fw_await_cancel(&ops[order[i]]))
            abort();
    begun = now(CLOCK_MONOTONIC) - begun;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    fw_mutex_unlock(&m);
    fw_task_end(task);
    check(fw_loop_destroy(loop));
    free(order);
    free(ops);
    return print((double)begun / n, (double)cpu / n, 0);
}

/* --- longest ---------------------------------------------------------------------------------- */

struct shared {
    fw_mutex lock;
    uint64_t passes; /* by the lock */
    atomic_bool is_over;
};

/* The longest wait of one, and how many others went by meanwhile. */
struct longest {
    uint64_t ns, by;
};

static void note(struct longest *l, const struct shared *c, uint64_t asked, uint64_t before)
{
    uint64_t ns = now(CLOCK_MONOTONIC) - asked;

    if (ns > l->ns)
        *l = (struct longest){ns, c->passes - before};
}

struct passer {
    fw_await op; /* first, so that passed finds the rest */
    fw_task task;
    struct shared *shared;
    struct passer *next; /* it holds the lock, and has it until all that are ready had a turn */
    uint64_t asked, before;
    struct longest *longest; /* null: nobody asks */
};

static struct passer *holder;

static void passed(fw_await *op, int error)
{
    struct passer *p = (struct passer *)op;

    check(error);
    if (p->longest != NULL)
        note(p->longest, p->shared, p->asked, p->before);
    p->shared->passes++;
    holder = p;
}

static void ask(struct passer *p)
{
    int error;

    if (p->longest != NULL) {
        p->before = __atomic_load_n(&p->shared->passes, __ATOMIC_RELAXED);
        p->asked = now(CLOCK_MONOTONIC);
    }
    error = fw_await_mutex(&p->op, &p->shared->lock, NULL);
    if (error != EINPROGRESS)
        passed(&p->op, error);
}

/* Tasks on a loop of this thread, until it is over. */
static void run_tasks(struct shared *c, unsigned n, struct longest *longest)
{
    struct passer *all = checked(calloc(n, sizeof *all));
    unsigned asked = 0, left = n;
    fw_loop *loop;

    check(fw_loop_create(&loop, NULL));
    for (unsigned i = 0; i < n; i++) {
        all[i].shared = c;
        all[i].longest = longest;
        check(fw_task_begin(&all[i].task));
        fw_await_init(&all[i].op, loop, all[i].task, passed);
    }
    while (left > 0) {
        if (asked < n && holder == NULL)
            ask(&all[asked++]);
        if (holder != NULL) {
            struct passer *p = holder;

            holder = NULL;
            fw_task_mutex_unlock(&c->lock, p->task);
            if (atomic_load(&c->is_over))
                left--;
            else
                ask(p);
        } else if (asked == n && fw_loop_run(loop, 1) == 0) {
            fw_loop_wait(loop, NULL);
        }
    }
    for (unsigned i = 0; i < n; i++)
        fw_task_end(all[i].task);
    check(fw_loop_destroy(loop));
    free(all);
}

static int pass_by_thread(void *arg)
{
    struct shared *c = arg;

    while (!atomic_load(&c->is_over)) {
        fw_mutex_lock(&c->lock);
        c->passes++;
        fw_mutex_unlock(&c->lock);
    }
    return 0;
}

static int pass_by_tasks(void *arg)
{
    run_tasks(arg, TASKS, NULL);
    return 0;
}

static int end_in_time(void *arg)
{
    struct shared *c = arg;
    const struct timespec length = {.tv_nsec = LONGEST_NS};

    thrd_sleep(&length, NULL);
    atomic_store(&c->is_over, true);
    return 0;
}

static void one_thread(struct shared *c, struct longest *l)
{
    while (!atomic_load(&c->is_over)) {
        uint64_t before = __atomic_load_n(&c->passes, __ATOMIC_RELAXED);
        uint64_t asked = now(CLOCK_MONOTONIC);

        fw_mutex_lock(&c->lock);
        note(l, c, asked, before);
        c->passes++;
        fw_mutex_unlock(&c->lock);
    }
}

static int longest(bool of_task)
{
    static struct shared c = {.lock = FW_MUTEX_INIT};
    struct longest l = {0, 0};
    thrd_t others[THREADS], clock;
    unsigned n = of_task ? THREADS : 1;

    for (unsigned i = 0; i < n; i++)
        start(&others[i], of_task ? pass_by_thread : pass_by_tasks, &c);
    start(&clock, end_in_time, &c);
    if (of_task)
        run_tasks(&c, 1, &l);
    else
        one_thread(&c, &l);
    for (unsigned i = 0; i < n; i++)
        thrd_join(others[i], NULL);
    thrd_join(clock, NULL);
    return print((double)l.ns, 0, (double)l.by);
}

int main(int argc, char **argv)
{
    const char *subject = argc > 1 ? argv[1] : "", *side = argc > 2 ? argv[2] : "";
    bool is_task = strcmp(side, "task") == 0;

    if (strcmp(subject, "submit") == 0)
        return submit(is_task);
    if (strcmp(subject, "wake") == 0)
        return wake(is_task);
    if (strcmp(subject, "cancel") == 0)
        return cancel(strcmp(side, "many") == 0 ? MANY : FEW);
    if (strcmp(subject, "longest") == 0)
        return longest(is_task);
    fprintf(stderr, "usage: %s submit|wake|cancel|longest SIDE\n", argv[0]);
    return 2;
}
