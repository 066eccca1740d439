/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Objects and journals; a slot for each thread, and those whose process dies just now. */
enum { REGION_SIZE = 1 << 21, SEM_MAX = 1000000, JOURNAL = 400 };

struct soak *soak;

const char *const work_names[WORKS] = {"nothing", "join", "mutex", "read", "write",
                                       "upgrade", "push", "pop",   "sem",  "units",
                                       "barrier", "once", "names"};

void broken(const char *format, ...)
{
    char text[sizeof soak->broken];
    uint64_t nobody = 0;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (__atomic_compare_exchange_n(&soak->is_broken, &nobody, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
        memcpy(soak->broken, text, sizeof text);
        __atomic_store_n(&soak->is_broken, 2, __ATOMIC_RELEASE);
    }
    for (;;)
        pause(); /* as it is, for the report */
}

void unexpected(const char *call, int error)
{
    broken("%s answers %s", call, strerror(error));
}

bool inherited(const char *what, uint64_t mark, uint64_t wanted)
{
    uint64_t at, sample;

    if (mark == 0)
        return false;
    at = __atomic_load_n(&soak->killed_at[mark / THREADS % LIVES], __ATOMIC_ACQUIRE);
    if (at == 0)
        broken("%s: got while a thread of process life %llu has it", what,
               (unsigned long long)(mark / THREADS));
    sample = __atomic_fetch_add(&soak->sample_count, 1, __ATOMIC_RELAXED);
    soak->samples[sample % SAMPLES] = now_ns() - (wanted > at ? wanted : at);
    soak->sample_of[sample % SAMPLES] = what;
    return true;
}

void begins(struct worker *w, enum work work)
{
    __atomic_store_n(&w->slot->doing, work, __ATOMIC_RELAXED);
    __atomic_store_n(&w->slot->since, now_ns(), __ATOMIC_RELEASE);
}

void has_done(struct worker *w, enum work work)
{
    __atomic_fetch_add(&soak->done[work], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&w->slot->doing, W_NOTHING, __ATOMIC_RELAXED);
}

void pause_randomly(struct worker *w)
{
    unsigned how = one_of(w, 16);

    if (how == 0)
        usleep(one_of(w, 200));
    else if (how < 8)
        for (volatile unsigned i = one_of(w, 500); i != 0; i--)
            continue;
}

static void *object(fw_region *region, const char *name, fw_region_kind kind, size_t size)
{
    void *object;
    int error = fw_region_object(region, name, kind, size, FW_REGION_CREATE, &object);

    if (error != 0)
        unexpected(name, error);
    return object;
}

static void must(const char *call, int error)
{
    if (error != 0)
        unexpected(call, error);
}

void soak_join(const char *name, struct soak_mapping *p)
{
    int error = fw_region_open(name, REGION_SIZE, FW_REGION_CREATE | 0600, &p->region);

    if (error != 0)
        unexpected("fw_region_open", error);
    p->things = object(p->region, "things", FW_REGION_DATA, sizeof *p->things);
    p->units = object(p->region, "units", FW_REGION_PERMITS, fw_ipc_permits_size(UNITS));
    must("units_init", fw_ipc_permits_init(p->units, UNITS));
    p->patient = object(p->region, "patient", FW_REGION_BARRIER, fw_ipc_barrier_size(PROCESSES));
    p->strict = object(p->region, "strict", FW_REGION_BARRIER, fw_ipc_barrier_size(PROCESSES));
    must("barrier_init", fw_ipc_barrier_init(p->patient, PROCESSES, FW_IPC_BARRIER_GO_ON));
    must("barrier_init", fw_ipc_barrier_init(p->strict, PROCESSES, FW_IPC_BARRIER_FAIL));
    p->mutex_journal =
        object(p->region, "mutex journal", FW_REGION_JOURNAL, fw_ipc_journal_size(JOURNAL));
    p->rwlock_journal =
        object(p->region, "rwlock journal", FW_REGION_JOURNAL, fw_ipc_journal_size(JOURNAL));
    p->queue_journal =
        object(p->region, "queue journal", FW_REGION_JOURNAL, fw_ipc_journal_size(JOURNAL));
    must("journal_init", fw_ipc_journal_init(p->mutex_journal, JOURNAL));
    must("journal_init", fw_ipc_journal_init(p->rwlock_journal, JOURNAL));
    must("journal_init", fw_ipc_journal_init(p->queue_journal, JOURNAL));
    must("sem_init", fw_ipc_sem_init(&p->things->sem, SEM_START, SEM_MAX));
}

void soak_make(const char *name, struct soak_mapping *p)
{
    struct things *t;

    soak = share(sizeof *soak);
    fw_region_remove(name);
    soak_join(name, p);
    t = p->things;
    must("lock", fw_ipc_mutex_lock(&t->mutex[BY_JOURNAL]));
    must("journal", fw_ipc_mutex_journal(&t->mutex[BY_JOURNAL], p->mutex_journal));
    must("unlock", fw_ipc_mutex_unlock(&t->mutex[BY_JOURNAL]));
    must("lock", fw_ipc_mutex_lock(&t->queue.lock));
    must("journal", fw_ipc_mutex_journal(&t->queue.lock, p->queue_journal));
    must("unlock", fw_ipc_mutex_unlock(&t->queue.lock));
    must("lock", fw_ipc_rwlock_wrlock(&t->rwlock[BY_JOURNAL]));
    must("journal", fw_ipc_rwlock_journal(&t->rwlock[BY_JOURNAL], p->rwlock_journal));
    must("unlock", fw_ipc_rwlock_wrunlock(&t->rwlock[BY_JOURNAL]));
}
