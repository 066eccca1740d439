/* SPDX-License-Identifier: MIT */
/* Semaphores, plain and with holders; barriers; once; names. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "state.h"

enum { PATIENCE_US = 2000, RARELY = 50 };

static void add(uint64_t *word, uint64_t n)
{
    __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* A thread that dies here may have taken or posted an uncounted one: the killer counts it. */
void do_sem(struct worker *w)
{
    fw_ipc_sem *s = &w->things->sem;
    fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
    int error;

    begins(w, W_SEM);
    __atomic_store_n(&w->slot->is_at_sem, 1, __ATOMIC_RELEASE);
    error = one_of(w, 2) == 0 ? fw_ipc_sem_wait(s) : fw_ipc_sem_timedwait(s, &deadline);
    add(&w->slot->taken, error == 0);
    __atomic_store_n(&w->slot->has_unit, error == 0, __ATOMIC_RELEASE);
    __atomic_store_n(&w->slot->is_at_sem, 0, __ATOMIC_RELEASE);
    if (error == ETIMEDOUT)
        return;
    if (error != 0)
        unexpected("sem_wait", error);
    pause_randomly(w);
    __atomic_store_n(&w->slot->is_at_sem, 1, __ATOMIC_RELEASE);
    error = fw_ipc_sem_post(s);
    add(&w->slot->posted, error == 0);
    __atomic_store_n(&w->slot->has_unit, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&w->slot->is_at_sem, 0, __ATOMIC_RELEASE);
    if (error != 0)
        unexpected("sem_post", error);
    has_done(w, W_SEM);
}

void do_units(struct worker *w)
{
    fw_ipc_permits *u = w->mapping->units;
    fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
    uint32_t i = UNITS;
    bool has_died;
    int error;

    begins(w, W_UNITS);
    error = fw_ipc_permits_take(u, &i, NULL, one_of(w, 4) == 0 ? &deadline : NULL);
    if (error == ETIMEDOUT)
        return;
    if (error != 0 && error != EOWNERDEAD)
        unexpected("units_take", error);
    if (i >= UNITS)
        broken("units: number %u of %u", i, UNITS);
    /* As long as others are free, nobody wants that of the dead. */
    has_died = inherited("unit", __atomic_load_n(&w->things->unit_holder[i], __ATOMIC_ACQUIRE),
                         w->slot->since);
    if (has_died && error != EOWNERDEAD)
        broken("unit: its holder died, and nobody is told");
    add(&soak->told, error == EOWNERDEAD);
    __atomic_store_n(&w->things->unit_holder[i], w->mark, __ATOMIC_RELEASE);
    pause_randomly(w);
    __atomic_store_n(&w->things->unit_holder[i], 0, __ATOMIC_RELEASE);
    error = fw_ipc_permits_give(u, i);
    if (error != 0)
        unexpected("units_give", error);
    has_done(w, W_UNITS);
}

static int initialise(void *arg)
{
    struct worker *w = arg;
    uint64_t *value = &w->things->once_value[w->things->once_now % ONCES];

    if (*value == 2)
        broken("once: initialised again");
    *value = 1;
    pause_randomly(w);
    if (one_of(w, 4) == 0)
        return ECANCELED;
    *value = 2;
    return 0;
}

void do_once(struct worker *w)
{
    struct things *t = w->things;
    uint64_t now = __atomic_load_n(&t->once_now, __ATOMIC_ACQUIRE);
    int error;

    if (now >= ONCES)
        return;
    begins(w, W_ONCE);
    error = fw_ipc_once_call(&t->once[now], initialise, w);
    if (error != 0 && error != ECANCELED)
        unexpected("once_call", error);
    if (error == 0 && __atomic_load_n(&t->once_value[now], __ATOMIC_RELAXED) != 2)
        broken("once: done, and not initialised");
    if (error == 0 && one_of(w, RARELY) == 0)
        __atomic_compare_exchange_n(&t->once_now, &now, now + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
    has_done(w, W_ONCE);
}

/* A name always means the same object. */
void do_names(struct worker *w)
{
    unsigned i = one_of(w, NAMES);
    char name[16];
    uint64_t offset, known = 0;
    void *object;
    int error;

    begins(w, W_NAMES);
    snprintf(name, sizeof name, "name %u", i);
    error =
        fw_region_object(w->mapping->region, name, FW_REGION_DATA, 64, FW_REGION_CREATE, &object);
    if (error != 0)
        unexpected("region_object", error);
    offset = (uint64_t)((char *)object - (char *)fw_region_base(w->mapping->region));
    if (!__atomic_compare_exchange_n(&soak->names[i], &known, offset, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) &&
        known != offset)
        broken("region: \"%s\" lies at %llu, and once at %llu", name, (unsigned long long)offset,
               (unsigned long long)known);
    has_done(w, W_NAMES);
}

/* Rounds grow; see src: their number is kept modulo 2^26. */
static void expect_later(struct worker *w, uint32_t round)
{
    if (w->slot->rounds != 0 && ((round - (uint32_t)w->slot->rounds) & 0x3ffffff) > 0x1ffffff)
        broken("barrier: round %u after %llu", round, (unsigned long long)w->slot->rounds);
    w->slot->rounds = round;
}

void do_patient_round(struct worker *w)
{
    uint32_t before = fw_ipc_barrier_round(w->mapping->patient), after;
    int error;

    begins(w, W_BARRIER);
    error = fw_ipc_barrier_wait(w->mapping->patient);
    if (error != 0 && error != FW_IPC_BARRIER_SERIAL)
        unexpected("barrier_wait, that goes on", error);
    after = fw_ipc_barrier_round(w->mapping->patient);
    if (before == after)
        broken("barrier: round %u has not ended", after);
    expect_later(w, after);
    add(&soak->serials, error == FW_IPC_BARRIER_SERIAL);
    has_done(w, W_BARRIER);
}

void do_strict_round(struct worker *w)
{
    int error;

    begins(w, W_BARRIER);
    /* EBUSY: the dead are still registered, until others who have arrived notice. */
    while ((error = fw_ipc_barrier_wait(w->mapping->strict)) == EBUSY)
        pause_randomly(w);
    if (error == EOWNERDEAD) {
        add(&soak->told, 1);
        error = fw_ipc_barrier_reset(w->mapping->strict);
        if (error != 0)
            unexpected("barrier_reset", error);
        return;
    }
    if (error != 0 && error != FW_IPC_BARRIER_SERIAL)
        unexpected("barrier_wait, that fails", error);
    has_done(w, W_BARRIER);
}
