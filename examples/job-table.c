/* SPDX-License-Identifier: MIT */
/*
 * A job table in shared memory that survives kill -9.  Any number of processes add jobs and do
 * them, each may be killed at any instruction: no job is lost, none is counted twice, nobody hangs.
 *
 *     $ cc -o job-table job-table.c $(pkg-config --cflags --libs furwock)
 *     $ ./job-table /jobs-demo add 100
 *     $ ./job-table /jobs-demo work & ./job-table /jobs-demo work; wait
 *     $ ./job-table /jobs-demo check
 *     100 jobs: 0 ready, 0 running, 100 done
 *     $ ./job-table /jobs-demo remove
 *
 * Two mechanisms do it.  The table is changed under a mutex with an undo journal: what a dead owner
 * had half changed, the next owner's lock call puts back.  And a running job is held by a permit of
 * its worker, which the kernel gives back when the worker dies: who gets that permit next is told
 * (EOWNERDEAD), and makes the job ready again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc.h>

enum { JOBS = 1000, WORKERS = 16, NONE = -1 };

enum state { READY, RUNNING, DONE, STATES };
static const char *const state_names[STATES] = {"ready", "running", "done"};

struct job {
    enum state state;
    long input, result;
};

struct table {
    long jobs_of[STATES]; /* must agree with the jobs: what check looks at */
    int count;
    struct job jobs[JOBS];
    int job_of[WORKERS]; /* of the worker that holds that permit; NONE */
};

static fw_ipc_mutex *lock;
static fw_ipc_journal *journal;
static fw_ipc_permits *workers;
static struct table *t;

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "job-table: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static int init(void *object, void *arg)
{
    (void)arg;
    for (int i = 0; i < WORKERS; i++)
        ((struct table *)object)->job_of[i] = NONE;
    return 0;
}

/* The first process makes everything; each object is there as a whole, or not at all. */
static void open_table(const char *name)
{
    const unsigned create = FW_REGION_CREATE;
    fw_region *region;
    void *object;

    must(fw_region_open(name, 1 << 20, create | 0600, &region), name);
    must(fw_region_mutex_with_journal(region, "lock", 1024, create, &lock, &journal), "lock");
    must(fw_region_permits(region, "workers", WORKERS, create, &workers), "workers");
    must(fw_region_object_init(region, "table", FW_REGION_DATA, sizeof *t, create, init, NULL,
                               &object),
         "table");
    t = object;
}

/* To be called before the n bytes at p are changed. */
static void record(const void *p, size_t n)
{
    must(fw_ipc_journal_record(journal, p, n), "journal");
}

/* Changes the state of a job, and the counts; under the lock. */
static void move(int j, enum state to)
{
    record(&t->jobs[j], sizeof t->jobs[j]);
    record(t->jobs_of, sizeof t->jobs_of);
    t->jobs_of[t->jobs[j].state]--;
    t->jobs[j].state = to;
    t->jobs_of[to]++;
}

static void assign(uint32_t worker, int job)
{
    record(&t->job_of[worker], sizeof t->job_of[worker]);
    t->job_of[worker] = job;
}

static void add(int n)
{
    while (n-- > 0) {
        must(fw_ipc_mutex_lock(lock), "lock");
        must(t->count == JOBS ? ENOSPC : 0, "the table");
        record(&t->count, sizeof t->count);
        record(t->jobs_of, sizeof t->jobs_of);
        t->jobs[t->count] = (struct job){READY, t->count, 0};
        t->count++;
        t->jobs_of[READY]++;
        must(fw_ipc_mutex_unlock(lock), "unlock"); /* commits the journal */
    }
}

/* A ready job, which is now the worker's; NONE. */
static int begin(uint32_t worker)
{
    int job = NONE;

    must(fw_ipc_mutex_lock(lock), "lock");
    for (int j = 0; j < t->count && job == NONE; j++)
        if (t->jobs[j].state == READY)
            job = j;
    if (job != NONE) {
        move(job, RUNNING);
        assign(worker, job);
    }
    must(fw_ipc_mutex_unlock(lock), "unlock");
    return job;
}

static void end(uint32_t worker, enum state state, long result)
{
    must(fw_ipc_mutex_lock(lock), "lock");
    if (t->job_of[worker] != NONE) {
        move(t->job_of[worker], state);
        t->jobs[t->job_of[worker]].result = result;
        assign(worker, NONE);
    }
    must(fw_ipc_mutex_unlock(lock), "unlock");
}

/* Takes a permit: the worker's number.  If its last holder has died, its job is ready again. */
static int enlist(uint32_t *worker, const fw_deadline *deadline)
{
    int error = fw_ipc_permits_take(workers, worker, NULL, deadline);

    if (error == EOWNERDEAD)
        end(*worker, READY, 0);
    return error == EOWNERDEAD ? 0 : error;
}

static void work(void)
{
    uint32_t worker;

    must(enlist(&worker, NULL), "workers");
    for (int job; (job = begin(worker)) != NONE;)
        end(worker, DONE, t->jobs[job].input * t->jobs[job].input);
    must(fw_ipc_permits_give(workers, worker), "workers");
}

/* Takes all permits, and so finds every worker that has died; then counts. */
static int check(void)
{
    static const fw_deadline at_once = {.clock = CLOCK_MONOTONIC};
    long found[STATES] = {0}, wrong = 0;
    uint32_t worker[WORKERS];
    int n = 0;

    while (n < WORKERS && enlist(&worker[n], &at_once) == 0)
        n++;
    while (n > 0)
        must(fw_ipc_permits_give(workers, worker[--n]), "workers");
    must(fw_ipc_mutex_lock(lock), "lock");
    for (int j = 0; j < t->count; j++) {
        const struct job *job = &t->jobs[j];

        found[job->state]++;
        wrong += job->state == DONE && job->result != job->input * job->input;
    }
    printf("%d jobs:", t->count);
    for (int s = 0; s < STATES; s++) {
        printf(" %ld %s%s", t->jobs_of[s], state_names[s], s == DONE ? "\n" : ",");
        wrong += found[s] != t->jobs_of[s];
    }
    must(fw_ipc_mutex_unlock(lock), "unlock");
    if (wrong != 0)
        printf("%ld numbers do not fit together\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";

    if (argc == 3 && strcmp(what, "remove") == 0)
        must(fw_region_remove(argv[1]), argv[1]);
    else if (argc == 4 && strcmp(what, "add") == 0)
        open_table(argv[1]), add(atoi(argv[3]));
    else if (argc == 3 && strcmp(what, "work") == 0)
        open_table(argv[1]), work();
    else if (argc == 3 && strcmp(what, "check") == 0)
        return open_table(argv[1]), check();
    else
        return fputs("usage: job-table /NAME add N | work | check | remove\n", stderr), 2;
    return EXIT_SUCCESS;
}
