/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/rw_adapter.h"
#include "measure/clock.h"
#include "measure/workers.h"
#include "readers.h"

enum {
    BATCH = 64, /* pairs between two looks at the clock */
    LINE_PAIR = 128,
    NS_PER_S = 1000000000
};

struct reader {
    alignas(LINE_PAIR) uint64_t pairs;
    uint64_t took_ns;
};

struct reading {
    const struct rw_adapter *lock;
    const struct load *load;
    void *object;
    struct reader *readers;
    alignas(LINE_PAIR) bool is_over;
};

static void read_batch(const struct reading *r)
{
    if (r->load->section == 0) {
        r->lock->rdloop(r->object, BATCH);
        return;
    }
    for (int i = 0; i < BATCH; i++) {
        r->lock->rdlock(r->object);
        work_do(r->load->section);
        r->lock->rdunlock(r->object);
    }
}

static void reader_body(unsigned me, void *reading)
{
    struct reading *r = reading;
    uint64_t began, pairs = 0;

    read_batch(r); /* the first touch of the lock, and of what it keeps for each thread */
    began = clock_ns();
    while (!__atomic_load_n(&r->is_over, __ATOMIC_RELAXED)) {
        read_batch(r);
        pairs += BATCH;
    }
    r->readers[me].took_ns = clock_ns() - began;
    r->readers[me].pairs = pairs;
}

/* False with errno where not all can start. */
static bool read_together(struct reading *r, struct tally *did)
{
    struct tally before;
    struct worker_group *c =
        workers_start(r->load->cores, WORKER_THREADS | WORKER_PINNED, reader_body, r);

    if (c == NULL)
        return false;
    tally_read(&before);
    workers_go(c);
    clock_sleep_ns(r->load->run_ns);
    __atomic_store_n(&r->is_over, true, __ATOMIC_RELAXED);
    workers_join(c);
    *did = tally_since(&before);
    return true;
}

/* --- The reference: readers that share nothing ----------------------------------------------- */

static void own_count(void *object, int by)
{
    static __thread volatile int count;

    (void)object;
    count = count + by;
}

static void own_in(void *object)
{
    own_count(object, 1);
}

static void own_out(void *object)
{
    own_count(object, -1);
}

static void own_loop(void *object, uint64_t n)
{
    while (n-- > 0) {
        own_in(object);
        own_out(object);
    }
}

static int own_init(void *object, bool shared)
{
    (void)object;
    (void)shared;
    return 0;
}

const struct rw_adapter reference_own = {
    .name = "(nothing shared)",
    .about = "a count on a line of each reader, and no lock: how the machine itself scales",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_NOTHING,
    .size = sizeof(int),
    .align = sizeof(int),
    .init = own_init,
    .rdlock = own_in,
    .rdunlock = own_out,
    .rdloop = own_loop,
};

bool readers_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct load *load = point->detail;
    struct reading r = {.lock = (const struct rw_adapter *)(const void *)entry->lock,
                        .load = load,
                        .object = adapter_head_make(entry->lock, 1, false)};
    double pairs = 0, rate = 0; /* per second, of all cores */
    struct tally did;
    bool good;

    r.readers = aligned_alloc(LINE_PAIR, load->cores * sizeof *r.readers);
    if (r.object != NULL && r.readers != NULL)
        memset(r.readers, 0, load->cores * sizeof *r.readers);
    good = r.object != NULL && r.readers != NULL && read_together(&r, &did);
    if (!good)
        bench_warn("cannot run %u readers of %s: %s", load->cores, entry->lock->name,
                   strerror(errno));
    for (unsigned i = 0; good && i < load->cores; i++) {
        struct reader *one = &r.readers[i];

        if (one->pairs == 0) { /* it came too late: count its first batch */
            one->pairs = BATCH;
            one->took_ns = load->run_ns;
        }
        pairs += (double)one->pairs;
        rate += (double)one->pairs / (double)one->took_ns * NS_PER_S;
    }
    if (good) {
        tally_share(&did, pairs, entry, out);
        out->seconds = load->cores / rate;
    }
    if (r.object != NULL)
        adapter_head_unmake(entry->lock, r.object, 1);
    free(r.readers);
    return good;
}
