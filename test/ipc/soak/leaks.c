/* SPDX-License-Identifier: MIT */
/* At the end: whatever the dead have held can be had, by one who never waits. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ipc/region/participant.h"
#include "state.h"

static unsigned leaks;

static void expect(bool good, const char *what, int error)
{
    if (good)
        return;
    printf("leaked: %s: %s\n", what, strerror(error));
    leaks++;
}

static bool is_had(int error)
{
    return error == 0 || error == EOWNERDEAD;
}

static void locks(struct things *t)
{
    int error;

    for (unsigned i = 0; i < MUTEXES; i++) {
        error = fw_ipc_mutex_trylock(&t->mutex[i]);
        expect(is_had(error), "mutex", error);
    }
    for (unsigned i = 0; i < RWLOCKS; i++) {
        error = fw_ipc_rwlock_trywrlock(&t->rwlock[i]);
        expect(is_had(error), "rwlock", error);
    }
    error = fw_ipc_mutex_trylock(&t->queue.lock);
    expect(error == 0, "mutex of the queue", error);
    if (t->queue.in - t->queue.out > QUEUE_CAPACITY)
        expect(false, "queue", 0);
}

/* Nobody has a unit, and there is none, twice in a row: the dead have them.  Not exact. */
static int64_t levelled;

void correct_sem(struct soak_mapping *p)
{
    static unsigned droughts;
    uint32_t value = fw_ipc_sem_value(&p->things->sem);
    uint64_t holders = 0;

    for (unsigned i = 0; i < PROCESSES * THREADS; i++)
        holders += soak->slots[i / THREADS][i % THREADS].has_unit;
    droughts = value == 0 && holders == 0 ? droughts + 1 : 0;
    if (droughts >= 2 && fw_ipc_sem_post(&p->things->sem) == 0)
        levelled++;
    if (value > 2 * SEM_START && fw_ipc_sem_trywait(&p->things->sem) == 0)
        levelled--;
}

/* All units; and as many of the semaphore as have been posted, except those of the dead. */
static void counts(struct soak_mapping *p, unsigned deaths_at_sem)
{
    int64_t expected = SEM_START + levelled, there = fw_ipc_sem_value(&p->things->sem);

    for (uint32_t i = 0; i < UNITS; i++) {
        int error = fw_ipc_permits_trywait(p->units);
        expect(error == 0, "unit", error);
    }
    expect(fw_ipc_permits_trywait(p->units) == EBUSY, "one unit too many", 0);
    for (unsigned i = 0; i < PROCESSES * THREADS; i++) {
        const struct slot *s = &soak->slots[i / THREADS][i % THREADS];
        expected += (int64_t)s->posted - (int64_t)s->taken;
    }
    if (there > expected + (int64_t)deaths_at_sem || there < expected - (int64_t)deaths_at_sem) {
        printf("semaphore: %lld instead of %lld, %u died at it\n", (long long)there,
               (long long)expected, deaths_at_sem);
        leaks++;
    }
}

/* No slot is taken except that of the caller. */
static void slots(struct soak_mapping *p)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(p->things);
    unsigned alive = 0;

    for (uint32_t i = 0; i < mapping->participant_count; i++) {
        uint32_t life = (uint32_t)fw_load64_acquire(&mapping->participants[i].life);
        alive += (life & FW_ROBUST_OWNER) != 0;
    }
    expect(alive <= 1, "participant slots", 0);
}

unsigned leaked_holds(struct soak_mapping *p, unsigned deaths_at_sem)
{
    locks(p->things);
    counts(p, deaths_at_sem);
    slots(p);
    return leaks;
}
