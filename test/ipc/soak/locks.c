/* SPDX-License-Identifier: MIT */
/* Mutexes and read-write locks, repaired by hand, by a journal, or by a function. */
#include <errno.h>
#include <stddef.h>

#include "state.h"

enum { PATIENCE_US = 2000, HURRIES = 256 };

/* By a holder: the data are whole. */
static void look(const char *what, const struct data *d)
{
    uint64_t a = __atomic_load_n(&d->a, __ATOMIC_RELAXED);
    uint64_t b = __atomic_load_n(&d->b, __ATOMIC_RELAXED);

    if (a != b)
        broken("%s: data are half changed: %llu and %llu", what, (unsigned long long)a,
               (unsigned long long)b);
}

/* The holder's duty after it was told. */
static void repair(struct data *d)
{
    __atomic_fetch_add(&soak->told, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&d->b, d->a, __ATOMIC_RELAXED);
}

/* Called with the lock held; what is returned by lock afterwards is 0. */
static int repair_by_function(void *arg, const fw_ipc_death *death)
{
    (void)death;
    repair(arg);
    return 0;
}

void register_repairs(struct soak_mapping *p)
{
    int error = fw_ipc_mutex_on_death(&p->things->mutex[BY_FUNCTION], repair_by_function,
                                      &p->things->under_mutex[BY_FUNCTION]);

    if (error == 0)
        error = fw_ipc_rwlock_on_death(&p->things->rwlock[BY_FUNCTION], repair_by_function,
                                       &p->things->under_rwlock[BY_FUNCTION]);
    if (error != 0)
        unexpected("on_death", error);
}

/* By a new holder, who alone may change: what it finds, and its mark. */
static void take_possession(struct worker *w, const char *what, struct data *d, int way, bool told,
                            uint64_t generation)
{
    bool has_died = inherited(what, __atomic_load_n(&d->holder, __ATOMIC_ACQUIRE), 0);

    if (has_died && way == BY_HAND && !told)
        broken("%s: its holder died, and nobody is told", what);
    if (generation <= d->generation)
        broken("%s: generation %llu after %llu", what, (unsigned long long)generation,
               (unsigned long long)d->generation);
    __atomic_store_n(&d->holder, w->mark, __ATOMIC_RELEASE);
    d->generation = generation;
    if (!told)
        look(what, d);
}

static void change(struct worker *w, struct data *d, fw_ipc_journal *j)
{
    if (j != NULL) {
        int error = fw_ipc_journal_record(j, &d->a, sizeof d->a);
        if (error == 0)
            error = fw_ipc_journal_record(j, &d->b, sizeof d->b);
        if (error != 0)
            unexpected("journal_record", error);
    }
    __atomic_store_n(&d->a, d->a + 1, __ATOMIC_RELAXED);
    pause_randomly(w);
    __atomic_store_n(&d->b, d->b + 1, __ATOMIC_RELAXED);
}

static int lock_somehow(struct worker *w, fw_ipc_mutex *m)
{
    static const fw_wait_policy spin = {.kind = FW_WAIT_YIELD};
    fw_deadline deadline;

    switch (one_of(w, 8)) {
    case 0:
        return fw_ipc_mutex_trylock(m);
    case 1:
        deadline = in_us(one_of(w, PATIENCE_US));
        return fw_ipc_mutex_timedlock(m, &deadline);
    case 2:
        return fw_ipc_mutex_lock_policy(m, &spin, NULL);
    default:
        return fw_ipc_mutex_lock(m);
    }
}

void do_mutex(struct worker *w)
{
    int way = (int)one_of(w, MUTEXES);
    fw_ipc_mutex *m = &w->things->mutex[way];
    struct data *d = &w->things->under_mutex[way];
    int error;

    begins(w, W_MUTEX);
    error = lock_somehow(w, m);
    if (error == EBUSY || error == ETIMEDOUT)
        return;
    if (error != 0 && (error != EOWNERDEAD || way != BY_HAND))
        unexpected("mutex_lock", error);
    take_possession(w, "mutex", d, way, error != 0, fw_ipc_mutex_generation(m));
    if (error == EOWNERDEAD) {
        repair(d);
        error = fw_ipc_mutex_consistent(m);
        if (error != 0)
            unexpected("mutex_consistent", error);
    }
    change(w, d, way == BY_JOURNAL ? w->mapping->mutex_journal : NULL);
    __atomic_store_n(&d->holder, 0, __ATOMIC_RELEASE);
    error = fw_ipc_mutex_unlock(m);
    if (error != 0)
        unexpected("mutex_unlock", error);
    has_done(w, W_MUTEX);
}

/* --- Read-write locks ------------------------------------------------------------------------ */

/* A writer has it: readers that left a mark are dead. */
static void expect_no_readers(struct data *d)
{
    for (unsigned i = 0; i < PROCESSES * THREADS; i++) {
        uint64_t *at = &(&d->readers[0][0])[i];
        uint64_t mark = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (inherited("rwlock, of a reader", mark, 0))
            __atomic_store_n(at, 0, __ATOMIC_RELAXED);
    }
}

static void write_inside(struct worker *w, int way, int error, const char *call)
{
    fw_ipc_rwlock *l = &w->things->rwlock[way];
    struct data *d = &w->things->under_rwlock[way];

    if (error != 0 && (error != EOWNERDEAD || way != BY_HAND))
        unexpected(call, error);
    expect_no_readers(d);
    take_possession(w, "rwlock", d, way, error != 0, fw_ipc_rwlock_generation(l));
    if (error == EOWNERDEAD) {
        repair(d);
        error = fw_ipc_rwlock_consistent(l);
        if (error != 0)
            unexpected("rwlock_consistent", error);
    }
    change(w, d, way == BY_JOURNAL ? w->mapping->rwlock_journal : NULL);
    __atomic_store_n(&d->holder, 0, __ATOMIC_RELEASE);
}

/* With a share: nobody who lives has the lock for writing. */
static void read_inside(struct worker *w, int way)
{
    struct data *d = &w->things->under_rwlock[way];
    uint64_t *mark = &d->readers[w->process][w->thread];
    uint64_t writer = __atomic_load_n(&d->holder, __ATOMIC_ACQUIRE);

    __atomic_store_n(mark, w->mark, __ATOMIC_RELEASE);
    if (writer != 0 && way == BY_HAND)
        broken("rwlock: read while somebody writes, or has died writing");
    look("rwlock, read", d);
    pause_randomly(w);
    look("rwlock, still read", d);
    __atomic_store_n(mark, 0, __ATOMIC_RELEASE);
}

static void unlock(int (*call)(fw_ipc_rwlock *), fw_ipc_rwlock *l, const char *name)
{
    int error = call(l);

    if (error != 0)
        unexpected(name, error);
}

/* A reader that finds what nobody has repaired becomes a writer. */
static void repair_for_reading(struct worker *w, int way)
{
    fw_ipc_rwlock *l = &w->things->rwlock[way];

    write_inside(w, way, fw_ipc_rwlock_wrlock(l), "rwlock_wrlock, for a reader that was told");
    if (one_of(w, 2) == 0) {
        unlock(fw_ipc_rwlock_wrunlock, l, "rwlock_wrunlock");
        return;
    }
    unlock(fw_ipc_rwlock_downgrade, l, "rwlock_downgrade");
    read_inside(w, way);
    unlock(fw_ipc_rwlock_rdunlock, l, "rwlock_rdunlock");
}

void do_read(struct worker *w)
{
    int way = (int)one_of(w, RWLOCKS), error;
    fw_ipc_rwlock *l = &w->things->rwlock[way];
    unsigned how = one_of(w, 8);

    begins(w, W_READ);
    if (how == 0) {
        error = fw_ipc_rwlock_tryrdlock(l);
    } else if (how == 1) {
        fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
        error = fw_ipc_rwlock_timedrdlock(l, &deadline);
    } else {
        error = fw_ipc_rwlock_rdlock(l);
    }
    if (error == EBUSY || error == ETIMEDOUT)
        return;
    if (error == EOWNERDEAD && way == BY_HAND) {
        repair_for_reading(w, way);
    } else if (error != 0) {
        unexpected("rwlock_rdlock", error);
    } else {
        read_inside(w, way);
        if (one_of(w, 4) == 0) { /* again: it always succeeds */
            unlock(fw_ipc_rwlock_rdlock, l, "rwlock_rdlock, again");
            pause_randomly(w);
            unlock(fw_ipc_rwlock_rdunlock, l, "rwlock_rdunlock");
        }
        unlock(one_of(w, 2) == 0 ? fw_ipc_rwlock_rdunlock : fw_ipc_rwlock_unlock, l,
               "rwlock_rdunlock");
    }
    has_done(w, W_READ);
}

void do_write(struct worker *w)
{
    int way = (int)one_of(w, RWLOCKS), error;
    fw_ipc_rwlock *l = &w->things->rwlock[way];
    unsigned how = one_of(w, 8);

    begins(w, W_WRITE);
    if (how == 0) {
        error = fw_ipc_rwlock_trywrlock(l);
    } else if (how == 1) {
        fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
        error = fw_ipc_rwlock_timedwrlock(l, &deadline);
    } else {
        error = fw_ipc_rwlock_wrlock(l);
    }
    if (error == EBUSY || error == ETIMEDOUT)
        return;
    write_inside(w, way, error, "rwlock_wrlock");
    if (one_of(w, 4) == 0) {
        unlock(fw_ipc_rwlock_downgrade, l, "rwlock_downgrade");
        read_inside(w, way);
        unlock(fw_ipc_rwlock_rdunlock, l, "rwlock_rdunlock");
    } else {
        unlock(fw_ipc_rwlock_wrunlock, l, "rwlock_wrunlock");
    }
    has_done(w, W_WRITE);
}

void do_upgrade(struct worker *w)
{
    int way = (int)one_of(w, RWLOCKS), error;
    fw_ipc_rwlock *l = &w->things->rwlock[way];
    fw_deadline deadline = in_us(one_of(w, PATIENCE_US));
    bool is_timed = one_of(w, 4) == 0;

    begins(w, W_UPGRADE);
    error = fw_ipc_rwlock_upgradable_timedlock(l, is_timed ? &deadline : NULL);
    if (error == ETIMEDOUT)
        return;
    if (error == EOWNERDEAD && way == BY_HAND) {
        repair_for_reading(w, way);
        has_done(w, W_UPGRADE);
        return;
    }
    if (error != 0)
        unexpected("rwlock_uplock", error);
    read_inside(w, way);
    error = one_of(w, 2) == 0 ? fw_ipc_rwlock_tryupgrade(l)
                              : fw_ipc_rwlock_timedupgrade(l, is_timed ? &deadline : NULL);
    if (error == EBUSY || error == ETIMEDOUT) {
        unlock(fw_ipc_rwlock_upgradable_unlock, l, "rwlock_upunlock");
    } else {
        write_inside(w, way, error, "rwlock_upgrade");
        if (one_of(w, 2) == 0) {
            unlock(fw_ipc_rwlock_downgrade_upgradable, l, "rwlock_downgrade_upgradable");
            read_inside(w, way);
        }
        unlock(fw_ipc_rwlock_unlock, l, "rwlock_unlock");
    }
    has_done(w, W_UPGRADE);
}

/* Quickly, so that a reader and the writer that closes the lock meet within a few instructions. */
void do_hurry(struct worker *w)
{
    int way = one_of(w, 2) == 0 ? BY_HAND : BY_FUNCTION;
    fw_ipc_rwlock *l = &w->things->rwlock[way];
    struct data *d = &w->things->under_rwlock[way];

    begins(w, W_READ);
    for (unsigned n = one_of(w, HURRIES); n != 0; n--) {
        bool writes = one_of(w, 4) == 0;
        int error = writes ? fw_ipc_rwlock_wrlock(l) : fw_ipc_rwlock_rdlock(l);
        if (error == EOWNERDEAD && way == BY_HAND) {
            if (!writes) {
                repair_for_reading(w, way);
            } else {
                write_inside(w, way, error, "rwlock_wrlock");
                unlock(fw_ipc_rwlock_wrunlock, l, "rwlock_wrunlock");
            }
            break;
        }
        if (error != 0)
            unexpected("rwlock, in a hurry", error);
        if (writes) {
            take_possession(w, "rwlock", d, way, false, fw_ipc_rwlock_generation(l));
            __atomic_store_n(&d->a, d->a + 1, __ATOMIC_RELAXED);
            __atomic_store_n(&d->b, d->b + 1, __ATOMIC_RELAXED);
            __atomic_store_n(&d->holder, 0, __ATOMIC_RELEASE);
        } else {
            look("rwlock, read in a hurry", d);
        }
        unlock(fw_ipc_rwlock_unlock, l, "rwlock_unlock");
    }
    has_done(w, W_READ);
}
