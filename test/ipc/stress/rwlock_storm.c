/* SPDX-License-Identifier: MIT */
/*
 * Processes read and write under one read-write lock, in all modes, and are killed at random
 * moments; others replace them at once, often in the same participant slots.  Nobody finds
 * two words different that a writer changes one after the other, nobody meets a living writer, and
 * all go on.  A number as argument: the number of kills.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>

#include "processes.h"

enum { WORKERS = 5, KILLS = 1500, CONSTRAINED_KILLS = 100, REGION = 1 << 18, STUCK_S = 30 };
enum { BY_HAND, BY_FUNCTION, BY_JOURNAL, WAYS };

/* What lies under the lock. */
struct data {
    fw_ipc_rwlock lock;
    uint64_t a, b; /* equal, but while somebody writes */
    uint64_t writer, generation;
};

struct progress {
    uint64_t done[WORKERS]; /* operations */
    uint64_t worst_ns;      /* the longest operation that was not interrupted */
    uint64_t told;
};

static fw_region *region;
static struct data *data[WAYS];
static fw_ipc_journal *journal;
static struct progress *progress;

static uint64_t load(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void store(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static void *object(const char *name, fw_region_kind kind, size_t size)
{
    void *made;

    CHECK(fw_region_object(region, name, kind, size, FW_REGION_CREATE, &made) == 0);
    return made;
}

static void dawdle(uint64_t *random)
{
    if (draw(random) % 32 == 0)
        usleep((useconds_t)(draw(random) % 300));
    for (uint64_t n = draw(random) % 64; n > 0; n--)
        __asm__ volatile("" ::: "memory");
}

static fw_deadline soon(uint64_t *random)
{
    return in_us(draw(random) % 2000);
}

static int repair(void *arg, const fw_ipc_death *death)
{
    struct data *d = arg;

    CHECK(death->generation != 0);
    store(&d->b, load(&d->a));
    store(&d->writer, 0);
    __atomic_fetch_add(&progress->told, 1, __ATOMIC_RELAXED);
    return 0;
}

/* By whoever reads: no writer lives, and what the dead one left is mended. */
static void look(struct data *d, const char *how)
{
    uint64_t a = load(&d->a), b = load(&d->b), writer = load(&d->writer);

    if (a != b || (writer != 0 && d != data[BY_JOURNAL]))
        fail("%s: %llu, %llu, writer %llu", how, (unsigned long long)a, (unsigned long long)b,
             (unsigned long long)writer);
}

static void change(struct data *d, uint64_t *random)
{
    uint64_t generation = fw_ipc_rwlock_generation(&d->lock);
    uint64_t mine = draw(random);

    look(d, "writer");
    CHECK(generation > load(&d->generation));
    CHECK(fw_ipc_rwlock_held_by_me(&d->lock) == FW_IPC_RWLOCK_WRITE);
    store(&d->generation, generation);
    if (d == data[BY_JOURNAL]) {
        CHECK(fw_ipc_journal_record(journal, &d->a, sizeof d->a) == 0);
        CHECK(fw_ipc_journal_record(journal, &d->b, sizeof d->b) == 0);
    }
    store(&d->writer, mine);
    store(&d->a, load(&d->a) + 1);
    dawdle(random);
    store(&d->b, load(&d->b) + 1);
    if (load(&d->writer) != mine)
        fail("two writers");
    store(&d->writer, 0);
}

/* Writes, if it got the lock; then turns to other modes, and gives it up. */
static void write_on(struct data *d, int error, uint64_t *random)
{
    uint64_t a;

    if (error == EBUSY || error == ETIMEDOUT)
        return;
    if (error == EOWNERDEAD) {
        if (d != data[BY_HAND])
            fail("told of a death that should be repaired %s",
                 d == data[BY_JOURNAL] ? "by the journal" : "by a function");
        store(&d->b, load(&d->a));
        store(&d->writer, 0);
        __atomic_fetch_add(&progress->told, 1, __ATOMIC_RELAXED);
        CHECK(fw_ipc_rwlock_consistent(&d->lock) == 0);
    } else if (error != 0) {
        fail("wrlock: %s", strerror(error));
    }
    change(d, random);
    switch (draw(random) % 4) {
    case 0:
        a = load(&d->a);
        CHECK(fw_ipc_rwlock_downgrade(&d->lock) == 0);
        dawdle(random);
        look(d, "downgraded");
        CHECK(load(&d->a) == a);
        break;
    case 1:
        CHECK(fw_ipc_rwlock_downgrade_upgradable(&d->lock) == 0);
        look(d, "downgraded");
        break;
    default:
        break;
    }
    CHECK(fw_ipc_rwlock_unlock(&d->lock) == 0);
}

/* A reader that is told of a dead writer has nothing; it may become the next writer. */
static bool may_read(struct data *d, int error, uint64_t *random)
{
    if (error == EOWNERDEAD) {
        CHECK(d == data[BY_HAND]);
        CHECK(fw_ipc_rwlock_held_by_me(&d->lock) == FW_IPC_RWLOCK_NONE);
        if (draw(random) % 2 == 0)
            write_on(d, fw_ipc_rwlock_wrlock(&d->lock), random);
        return false;
    }
    if (error != 0 && error != EBUSY && error != ETIMEDOUT)
        fail("rdlock: %s", strerror(error));
    return error == 0;
}

static void read_it(struct data *d, uint64_t *random)
{
    static const fw_wait_policy policies[] = {{.kind = FW_WAIT_YIELD}, {.kind = FW_WAIT_BLOCK}};
    fw_deadline deadline = soon(random);
    int error;

    switch (draw(random) % 6) {
    case 0:
        error = fw_ipc_rwlock_tryrdlock(&d->lock);
        break;
    case 1:
        error = fw_ipc_rwlock_timedrdlock(&d->lock, &deadline);
        break;
    case 2:
        error = fw_ipc_rwlock_rdlock_policy(&d->lock, &policies[draw(random) % 2], NULL);
        break;
    default:
        error = fw_ipc_rwlock_rdlock(&d->lock);
    }
    if (!may_read(d, error, random))
        return;
    look(d, "reader");
    if (draw(random) % 4 == 0) { /* again: it always succeeds */
        CHECK(fw_ipc_rwlock_rdlock(&d->lock) == 0);
        dawdle(random);
        CHECK(fw_ipc_rwlock_rdunlock(&d->lock) == 0);
    }
    dawdle(random);
    look(d, "reader, later");
    CHECK(fw_ipc_rwlock_rdunlock(&d->lock) == 0);
}

static void write_it(struct data *d, uint64_t *random)
{
    fw_deadline deadline = soon(random);

    switch (draw(random) % 4) {
    case 0:
        write_on(d, fw_ipc_rwlock_trywrlock(&d->lock), random);
        break;
    case 1:
        write_on(d, fw_ipc_rwlock_timedwrlock(&d->lock, &deadline), random);
        break;
    default:
        write_on(d, fw_ipc_rwlock_wrlock(&d->lock), random);
    }
}

static void upgrade_it(struct data *d, uint64_t *random)
{
    fw_deadline deadline = soon(random);
    uint64_t a;
    int error;

    if (!may_read(d, fw_ipc_rwlock_upgradable_timedlock(&d->lock, &deadline), random))
        return;
    look(d, "upgradable");
    a = load(&d->a);
    dawdle(random);
    switch (draw(random) % 3) {
    case 0:
        error = fw_ipc_rwlock_tryupgrade(&d->lock);
        break;
    case 1:
        error = fw_ipc_rwlock_timedupgrade(&d->lock, &deadline);
        break;
    default:
        error = fw_ipc_rwlock_upgrade(&d->lock);
    }
    look(d, "upgraded or not");
    CHECK(load(&d->a) == a);
    if (error == 0)
        write_on(d, 0, random);
    else
        CHECK(fw_ipc_rwlock_upgradable_unlock(&d->lock) == 0);
}

/* Quickly, so that a reader and the writer that closes the lock meet within a few instructions. */
static void hurry(struct data *d, uint64_t *random)
{
    for (uint64_t n = draw(random) % 512; n > 0; n--) {
        if (draw(random) % 4 != 0) {
            if (fw_ipc_rwlock_rdlock(&d->lock) != 0)
                return;
            look(d, "reader in a hurry");
            CHECK(fw_ipc_rwlock_rdunlock(&d->lock) == 0);
        } else {
            int error = fw_ipc_rwlock_wrlock(&d->lock);
            if (error != 0) {
                write_on(d, error, random);
                return;
            }
            store(&d->generation, fw_ipc_rwlock_generation(&d->lock));
            store(&d->a, load(&d->a) + 1);
            store(&d->b, load(&d->b) + 1);
            CHECK(fw_ipc_rwlock_wrunlock(&d->lock) == 0);
        }
    }
}

static void work(void *arg)
{
    unsigned slot = *(unsigned *)arg;
    uint64_t random = now_ns() << 8 | slot | 1;

    for (;;) {
        struct data *d = data[draw(&random) % WAYS];
        uint64_t began = now_ns(), took;

        switch (draw(&random) % 8) {
        case 0:
        case 1:
            write_it(d, &random);
            break;
        case 2:
            upgrade_it(d, &random);
            break;
        case 3:
            if (d != data[BY_JOURNAL]) /* that one wants its records */
                hurry(d, &random);
            break;
        default:
            read_it(d, &random);
        }
        CHECK(fw_ipc_rwlock_held_by_me(&d->lock) == FW_IPC_RWLOCK_NONE);
        took = now_ns() - began;
        if (took > load(&progress->worst_ns))
            store(&progress->worst_ns, took);
        store(&progress->done[slot], load(&progress->done[slot]) + 1);
    }
}

static void prepare(void)
{
    void *memory = share(REGION);
    static const char *const names[WAYS] = {"by hand", "by function", "by journal"};

    progress = share(sizeof *progress);
    CHECK(fw_region_adopt(memory, REGION, FW_REGION_CREATE, &region) == 0);
    for (int i = 0; i < WAYS; i++)
        data[i] = object(names[i], FW_REGION_RWLOCK, sizeof *data[i]);
    CHECK(fw_ipc_rwlock_on_death(&data[BY_FUNCTION]->lock, repair, data[BY_FUNCTION]) == 0);
    journal = object("journal", FW_REGION_JOURNAL, fw_ipc_journal_size(256));
    CHECK(fw_ipc_journal_init(journal, 256) == 0);
    CHECK(fw_ipc_rwlock_wrlock(&data[BY_JOURNAL]->lock) == 0);
    CHECK(fw_ipc_rwlock_journal(&data[BY_JOURNAL]->lock, journal) == 0);
    CHECK(fw_ipc_rwlock_wrunlock(&data[BY_JOURNAL]->lock) == 0);
}

int main(int argc, char **argv)
{
    unsigned long kills = is_constrained ? CONSTRAINED_KILLS : KILLS;
    static unsigned slots[WORKERS];
    pid_t workers[WORKERS];
    uint64_t random = now_ns() | 1, done = 0;

    if (argc > 1)
        kills = strtoul(argv[1], NULL, 10);
    prepare(); /* the workers inherit it all */
    for (unsigned i = 0; i < WORKERS; i++) {
        slots[i] = i;
        workers[i] = start(work, &slots[i]);
    }
    for (unsigned long n = 0; n < kills; n++) {
        unsigned i = (unsigned)(draw(&random) % WORKERS);
        limit(STUCK_S, "a worker, after others were killed");
        usleep((useconds_t)(draw(&random) % 2000));
        kill_and_wait(workers[i]);
        if (draw(&random) % 4 == 0) { /* two at the same moment */
            unsigned j = (i + 1) % WORKERS;
            kill_and_wait(workers[j]);
            workers[j] = start(work, &slots[j]);
        }
        workers[i] = start(work, &slots[i]);
        for (unsigned k = 0; n % 16 == 0 && k < WORKERS; k++) /* nobody is stuck */
            for (uint64_t before = load(&progress->done[k]); load(&progress->done[k]) == before;)
                usleep(100);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        kill_and_wait(workers[i]);
        done += progress->done[i];
    }
    for (int i = 0; i < WAYS; i++) {
        write_on(data[i], fw_ipc_rwlock_wrlock(&data[i]->lock), &random);
        look(data[i], "at the end");
    }
    printf("%lu kills, %llu operations, %llu were told of a death, the longest took %.1f ms\n",
           kills, (unsigned long long)done, (unsigned long long)progress->told,
           (double)progress->worst_ns / 1e6);
    return EXIT_SUCCESS;
}
