/* SPDX-License-Identifier: MIT */
/*
 * A worked example: a table of jobs in shared memory, and kill -9.
 *
 *     test_ipc_jobs [KILLS]
 *
 * Clients put jobs into the table and fetch the results, workers do the jobs, and processes of both
 * kinds are killed at random moments, again and again.  At any time, whoever has the lock finds:
 *
 *   - the numbers of jobs in each state are what the table says;
 *   - every job that was ever put in is in the table, or was fetched: none is lost, none is there
 *     twice;
 *   - a job that is running has a worker who lives, or somebody will soon put it back.
 *
 * How: all that changes goes through a journal, so a change happens as a whole or not at all, and
 * the next holder of the lock undoes what a dead one has begun.  A worker owns a slot, which is
 * a mutex that it never releases: a process that can take the slot of a running job knows that its
 * worker is dead.  Such a job is done again; its result is fetched once.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc.h>

enum { WORKERS = 4, CLIENTS = 2, PROCESSES = WORKERS + CLIENTS, SLOTS = WORKERS, JOBS = 12 };

enum state { EMPTY, READY, RUNNING, DONE, STATES };

struct job {
    uint64_t state, id, slot, result;
};

/* What must fit together. */
struct books {
    uint64_t jobs[STATES];        /* how many are in each state */
    uint64_t put_in, fetched;     /* how many ever */
    uint64_t sum_in, sum_fetched; /* of their ids */
};

struct table {
    fw_ipc_mutex lock; /* of all that follows, except the slots */
    fw_ipc_cond ready, done;
    struct books books;
    struct job jobs[JOBS];
    uint64_t is_closed, deaths, put_back; /* single words: never half changed */
    fw_ipc_mutex slots[SLOTS];
};

enum {
    JOURNAL =
        FW_IPC_JOURNAL_RECORD(sizeof(struct job)) + FW_IPC_JOURNAL_RECORD(sizeof(struct books))
};

static struct table *t;
static fw_ipc_journal *journal;

/* --- What every process does ------------------------------------------------------------------ */

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static void lock(void)
{
    must(fw_ipc_mutex_lock(&t->lock), "lock");
}

/* What was recorded stays changed. */
static void unlock(void)
{
    must(fw_ipc_mutex_unlock(&t->lock), "unlock");
}

/* The end of the process whatever it is, unless all fits together. */
static void audit(void)
{
    struct books found = t->books;
    uint64_t there = 0, ids = 0;

    memset(found.jobs, 0, sizeof found.jobs);
    for (unsigned i = 0; i < JOBS; i++) {
        found.jobs[t->jobs[i].state]++;
        there += t->jobs[i].state != EMPTY;
        ids += t->jobs[i].state != EMPTY ? t->jobs[i].id : 0;
    }
    found.fetched = found.put_in - there;
    found.sum_fetched = found.sum_in - ids;
    must(memcmp(&found, &t->books, sizeof found) == 0 ? 0 : EBADMSG, "the books do not fit");
}

/* Called by lock, in the process that gets it from a dead one, after the journal was undone. */
static int somebody_died(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    t->deaths++;
    audit();
    return 0;
}

/* From here on this job and the books change as a whole, until the next change or unlock. */
static void begin_change(const struct job *j)
{
    must(fw_ipc_journal_commit(journal), "commit");
    must(fw_ipc_journal_record(journal, j, sizeof *j), "record");
    must(fw_ipc_journal_record(journal, &t->books, sizeof t->books), "record");
}

static void move(struct job *j, enum state to)
{
    t->books.jobs[j->state]--;
    j->state = to;
    t->books.jobs[to]++;
}

static struct job *find(enum state state)
{
    for (unsigned i = 0; i < JOBS; i++)
        if (t->jobs[i].state == state)
            return &t->jobs[i];
    return NULL;
}

static void wait_for(fw_ipc_cond *c)
{
    struct timespec now;
    fw_deadline soon = {.clock = CLOCK_MONOTONIC};
    int error;

    clock_gettime(CLOCK_MONOTONIC, &now);
    soon.at = now;
    soon.at.tv_nsec += 20000000; /* 20 ms, then look who has died */
    if (soon.at.tv_nsec >= 1000000000) {
        soon.at.tv_sec++;
        soon.at.tv_nsec -= 1000000000;
    }
    error = fw_ipc_cond_timedwait(c, &t->lock, &soon);
    must(error == ETIMEDOUT ? 0 : error, "wait");
}

/* --- A worker --------------------------------------------------------------------------------- */

/* True: nobody sat there, and now the caller does. */
static bool take_slot(unsigned slot)
{
    int error = fw_ipc_mutex_trylock(&t->slots[slot]);

    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(&t->slots[slot]);
    if (error != EBUSY)
        must(error, "slot");
    return error == 0;
}

static void put_back(struct job *j)
{
    begin_change(j);
    move(j, READY);
    t->put_back++;
}

/* With the lock.  Jobs of the slot's last worker, who is dead. */
static void put_back_all_of(unsigned slot)
{
    for (unsigned i = 0; i < JOBS; i++)
        if (t->jobs[i].state == RUNNING && t->jobs[i].slot == slot)
            put_back(&t->jobs[i]);
}

static void put_back_orphans(unsigned own_slot)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        if (slot != own_slot && take_slot(slot)) {
            put_back_all_of(slot);
            fw_ipc_mutex_unlock(&t->slots[slot]);
        }
}

static uint64_t compute(uint64_t id)
{
    for (volatile unsigned i = 0; i < 2000; i++)
        ;
    return id * id;
}

static void do_job(struct job *j, unsigned slot)
{
    uint64_t result;

    begin_change(j);
    j->slot = slot;
    move(j, RUNNING);
    unlock();
    result = compute(j->id);
    lock();
    begin_change(j);
    j->result = result;
    move(j, DONE);
    fw_ipc_cond_signal(&t->done);
}

static void work(void)
{
    unsigned slot = 0;

    lock();
    while (!take_slot(slot))
        slot = (slot + 1) % SLOTS;
    put_back_all_of(slot);
    while (!t->is_closed || t->books.jobs[READY] + t->books.jobs[RUNNING] != 0) {
        struct job *j = find(READY);
        if (j != NULL) {
            do_job(j, slot);
        } else {
            put_back_orphans(slot);
            if (find(READY) == NULL)
                wait_for(&t->ready);
        }
    }
    unlock();
}

/* --- A client --------------------------------------------------------------------------------- */

static void put_in(struct job *j)
{
    begin_change(j);
    j->id = ++t->books.put_in;
    t->books.sum_in += j->id;
    move(j, READY);
    fw_ipc_cond_signal(&t->ready);
}

static void fetch(struct job *j)
{
    must(j->result == j->id * j->id ? 0 : EBADMSG, "a wrong result");
    begin_change(j);
    t->books.fetched++;
    t->books.sum_fetched += j->id;
    move(j, EMPTY);
}

static void be_client(void)
{
    lock();
    while (!t->is_closed || t->books.jobs[EMPTY] != JOBS) {
        struct job *done = find(DONE), *empty = find(EMPTY);
        if (done != NULL)
            fetch(done);
        else if (empty != NULL && !t->is_closed)
            put_in(empty);
        else
            wait_for(&t->done);
        unlock();
        lock();
    }
    unlock();
}

/* --- The one who kills ------------------------------------------------------------------------ */

static void open_table(void)
{
    char name[64];
    fw_region *region;
    void *object;

    snprintf(name, sizeof name, "/furwock-jobs-%d", (int)getpid());
    must(fw_region_open(name, FW_REGION_MIN_SIZE, FW_REGION_CREATE | FW_REGION_EXCLUSIVE, &region),
         "region");
    fw_region_remove(name); /* the children inherit it; others would open it by its name */
    must(fw_region_object(region, "table", FW_REGION_DATA, sizeof *t, FW_REGION_CREATE, &object),
         "table");
    t = object;
    must(fw_region_journal(region, "journal", JOURNAL, FW_REGION_CREATE, &journal), "journal");
    must(fw_ipc_mutex_on_death(&t->lock, somebody_died, NULL), "repair function");
    lock();
    must(fw_ipc_mutex_journal(&t->lock, journal), "journal");
    t->books.jobs[EMPTY] = JOBS;
    unlock();
}

static pid_t start(unsigned n)
{
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (n < WORKERS)
            work();
        else
            be_client();
        _exit(EXIT_SUCCESS);
    }
    return child;
}

static void expect(pid_t child, bool is_killed)
{
    int status;

    waitpid(child, &status, 0);
    if (is_killed ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL : status != 0)
        must(ECHILD, "a process has ended by itself");
}

/* How long until the lock is to be had, in ms. */
static double lock_and_audit(void)
{
    struct timespec began, got;

    clock_gettime(CLOCK_MONOTONIC, &began);
    lock();
    clock_gettime(CLOCK_MONOTONIC, &got);
    audit();
    unlock();
    return (double)(got.tv_sec - began.tv_sec) * 1e3 + (double)(got.tv_nsec - began.tv_nsec) / 1e6;
}

static void report(unsigned kills, double longest)
{
    printf("%u processes were killed, %lu of them with the lock; %lu jobs were put back.\n", kills,
           (unsigned long)t->deaths, (unsigned long)t->put_back);
    printf("%lu jobs were put in, %lu fetched, each of them once, at every look.\n",
           (unsigned long)t->books.put_in, (unsigned long)t->books.fetched);
    printf("Longest wait for the lock after a kill: %.1f ms.\n", longest);
}

int main(int argc, char **argv)
{
    unsigned kills = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300;
    pid_t children[PROCESSES];
    double longest = 0;

    open_table();
    for (unsigned n = 0; n < PROCESSES; n++)
        children[n] = start(n);
    for (unsigned i = 0; i < kills; i++) {
        unsigned victim = (unsigned)rand() % PROCESSES;
        double waited;
        usleep((unsigned)rand() % 3000);
        kill(children[victim], SIGKILL);
        expect(children[victim], true);
        waited = lock_and_audit();
        longest = waited > longest ? waited : longest;
        children[victim] = start(victim);
    }
    lock();
    t->is_closed = 1;
    fw_ipc_cond_broadcast(&t->ready);
    fw_ipc_cond_broadcast(&t->done);
    unlock();
    for (unsigned n = 0; n < PROCESSES; n++)
        expect(children[n], false);
    lock_and_audit();
    report(kills, longest);
    return t->books.put_in == t->books.fetched ? EXIT_SUCCESS : EXIT_FAILURE;
}
