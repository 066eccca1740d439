/* SPDX-License-Identifier: MIT */
/*
 * While a thread waits with a deadline, one word is written over: each word of the object in turn,
 * and each of the waiting thread's slot, with several values.  The call comes back, and it has not
 * polled all the while.  What it answers may be anything.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc.h>

#include "ipc/region/head.h"
#include "measure/clock.h"
#include "processes.h"

/* A minute is for what hangs; to sleep for the whole wait takes some hundred microseconds of CPU */
enum { WAIT_MS = 40, CPU_MS_MOST = 25, HANGS_S = 60, AT_ONCE = 32, TRIES = 5 };
enum { LINE_WORDS = FW_IPC_PARTICIPANT_SIZE / 8 };

enum how { MUTEX, READ, WRITE, UPGRADABLE, SEM, UNITS, BARRIER, COND, HOWS };

static const char *const names[HOWS] = {"mutex", "read",  "write",   "upgradable",
                                        "sem",   "units", "barrier", "cond"};

static const size_t sizes[HOWS] = {
    sizeof(fw_ipc_mutex), sizeof(fw_ipc_rwlock),  sizeof(fw_ipc_rwlock),      sizeof(fw_ipc_rwlock),
    sizeof(fw_ipc_sem),   sizeof(fw_ipc_permits), sizeof(fw_ipc_barrier) + 8, sizeof(fw_ipc_cond)};

/* What is written over, and how. */
struct trial {
    enum how how;
    bool is_slot;
    unsigned word;
    unsigned value;
};

static struct trial trial;
static void *object;
static fw_ipc_mutex *beside; /* of the condition */
static bool has_polled;      /* its last try */

static void prepare(fw_region *r)
{
    uint32_t unit;

    CHECK(fw_region_mutex(r, "beside", FW_REGION_CREATE, &beside) == 0);
    switch (trial.how) {
    case MUTEX:
        CHECK(fw_region_mutex(r, "o", FW_REGION_CREATE, (fw_ipc_mutex **)&object) == 0);
        CHECK(fw_ipc_mutex_lock(object) == 0);
        break;
    case READ:
    case WRITE:
    case UPGRADABLE:
        CHECK(fw_region_rwlock(r, "o", FW_REGION_CREATE, (fw_ipc_rwlock **)&object) == 0);
        CHECK((trial.how == WRITE ? fw_ipc_rwlock_rdlock : fw_ipc_rwlock_wrlock)(object) == 0);
        break;
    case SEM:
        CHECK(fw_region_sem(r, "o", 0, 5, FW_REGION_CREATE, (fw_ipc_sem **)&object) == 0);
        break;
    case UNITS:
        CHECK(fw_region_permits(r, "o", 1, FW_REGION_CREATE, (fw_ipc_permits **)&object) == 0);
        CHECK(fw_ipc_permits_take(object, &unit, NULL, NULL) == 0);
        break;
    case BARRIER:
        CHECK(fw_region_barrier(r, "o", 2, FW_IPC_BARRIER_FAIL, FW_REGION_CREATE,
                                (fw_ipc_barrier **)&object) == 0);
        break;
    default:
        CHECK(fw_region_cond(r, "o", FW_REGION_CREATE, (fw_ipc_cond **)&object) == 0);
    }
}

static void *wait_for_it(void *arg)
{
    uint64_t began = clock_thread_cpu_ns();
    fw_deadline d = in_ms(WAIT_MS);

    (void)arg;
    switch (trial.how) {
    case MUTEX:
        (void)!fw_ipc_mutex_timedlock(object, &d);
        break;
    case READ:
        (void)!fw_ipc_rwlock_timedrdlock(object, &d);
        break;
    case WRITE:
        (void)!fw_ipc_rwlock_timedwrlock(object, &d);
        break;
    case UPGRADABLE:
        (void)!fw_ipc_rwlock_upgradable_timedlock(object, &d);
        break;
    case SEM:
        (void)!fw_ipc_sem_timedwait(object, &d);
        break;
    case UNITS:
        (void)!fw_ipc_permits_timedwait(object, &d);
        break;
    case BARRIER:
        fw_ipc_barrier_timedwait(object, &d);
        break;
    default:
        CHECK(fw_ipc_mutex_lock(beside) == 0);
        (void)!fw_ipc_cond_timedwait(object, beside, &d);
    }
    has_polled = !is_constrained && clock_thread_cpu_ns() - began > CPU_MS_MOST * UINT64_C(1000000);
    return NULL;
}

/* The slot of the thread that sleeps; NULL: it timed out before. */
static uint64_t *slot_of_waiter(const fw_region *r)
{
    struct fw_ipc_plan_ plan;
    uint64_t end = now_ns() + WAIT_MS * UINT64_C(1000000);

    CHECK(fw_ipc_plan_(fw_region_size(r), 0, &plan) == 0);
    for (; now_ns() < end; usleep(1000))
        for (unsigned i = 0; i < 4; i++) {
            struct fw_ipc_participant_ *m =
                (struct fw_ipc_participant_ *)((char *)fw_region_base(r) + plan.participants_at) +
                i;
            if (fw_load64_acquire(&m->waits_for) != 0)
                return &m->life;
        }
    return NULL;
}

static uint64_t value_for(uint64_t before)
{
    const uint64_t values[] = {0, UINT64_MAX, before ^ 1, before ^ 2, before + 8};

    return values[trial.value];
}

enum { VALUES = 5 };

static void spoil_a_wait(void)
{
    pthread_t thread;
    fw_region *r;
    uint64_t *slot, *word;

    CHECK(fw_region_adopt(share(FW_REGION_MIN_SIZE), FW_REGION_MIN_SIZE, FW_REGION_CREATE, &r) ==
          0);
    prepare(r);
    CHECK(pthread_create(&thread, NULL, wait_for_it, NULL) == 0);
    slot = slot_of_waiter(r);
    if (slot != NULL) {
        word = (trial.is_slot ? slot : (uint64_t *)object) + trial.word;
        fw_store64_release(word, value_for(fw_load64_relaxed(word)));
    }
    CHECK(pthread_join(thread, NULL) == 0);
}

/* One that polls does so each time; a machine that is busy charges a thread now and then for more
   than it did. */
static void one(void *arg)
{
    static char what[80];

    trial = *(const struct trial *)arg;
    snprintf(what, sizeof what, "%s: %s word %u, value %u", names[trial.how],
             trial.is_slot ? "the slot's" : "the object's", trial.word, trial.value);
    limit(HANGS_S, what);
    has_polled = true;
    for (unsigned i = 0; i < TRIES && has_polled; i++)
        spoil_a_wait();
    if (has_polled)
        fail("%s: polls, in each of %d tries", what, TRIES);
}

static bool next(struct trial *t)
{
    if (++t->value != VALUES)
        return true;
    t->value = 0;
    if (++t->word != (t->is_slot ? LINE_WORDS : sizes[t->how] / 8))
        return true;
    t->word = 0;
    t->is_slot = !t->is_slot;
    if (t->is_slot)
        return true;
    return ++t->how != HOWS;
}

int main(void)
{
    struct trial t = {.how = MUTEX};
    pid_t children[AT_ONCE] = {0};
    unsigned n = 0;

    do {
        if (children[n % AT_ONCE] != 0)
            finish(children[n % AT_ONCE]);
        children[n % AT_ONCE] = start(one, &t);
        n++;
    } while (next(&t));
    for (unsigned i = 0; i < AT_ONCE; i++)
        finish(children[i]);
    printf("%u words written over: each call came back\n", n);
    return EXIT_SUCCESS;
}
