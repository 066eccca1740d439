/* SPDX-License-Identifier: MIT */
/*
 * Processes borrow permits, initialise things once, and meet at barriers, and are killed at random
 * moments; others replace them at once; some are stopped, and go on many deaths later.
 * Nobody has a permit that a living one has, no round ends before all who live have come, all
 * parties of a round have the same answer, each once is done once, and all go on.  A number as
 * argument: the number of kills.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/region.h>

#include "processes.h"

enum { GROUP = 3, WORKERS = 2 * GROUP, PERMITS = 4, ONCES = 1 << 15, ROUNDS = 1 << 20 };
enum { KILLS = 1500, CONSTRAINED_KILLS = 100, REGION = 1 << 20, STOP = 48, STUCK_S = 30 };

/* What a process that uses the region says of itself, and what is said of it. */
struct slot {
    uint64_t life;      /* how many have had this slot */
    uint64_t is_doomed; /* set before it is killed */
    uint64_t came;      /* the round of the patient barrier in which it arrived last; 0: newcomer */
    uint64_t done;
};

struct common {
    struct slot slots[WORKERS];
    uint64_t has_unit[PERMITS]; /* slot and life of its holder */
    uint64_t value[ONCES];      /* 1: begun, 2: done */
    uint64_t present;           /* the once that is used */
    uint64_t answer[ROUNDS];    /* of the strict barrier, by its rounds: 1: ended; 2: failed */
    uint64_t told, failed;
};

static fw_region *region;
static fw_ipc_permits *permits;
static fw_ipc_barrier *patient, *strict;
static fw_ipc_once *onces;
static struct common *common;

static uint64_t load(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void store(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

static uint64_t mark_of(unsigned i)
{
    return load(&common->slots[i].life) << 8 | (i + 1);
}

static bool is_alive(uint64_t mark)
{
    const struct slot *s = &common->slots[(mark & 0xff) - 1];

    return load(&s->life) == mark >> 8 && load(&s->is_doomed) == 0 && load(&s->life) == mark >> 8;
}

static void dawdle(uint64_t *random)
{
    if (draw(random) % 32 == 0)
        usleep((useconds_t)(draw(random) % 200));
}

static void borrow(unsigned i, uint64_t *random)
{
    uint32_t n = PERMITS;
    int error = fw_ipc_permits_take(permits, &n, NULL, NULL);
    uint64_t before;

    if (error != 0 && error != EOWNERDEAD)
        fail("permits: %s", strerror(error));
    CHECK(n < PERMITS);
    before = load(&common->has_unit[n]);
    if (before != 0 && (is_alive(before) || error != EOWNERDEAD))
        fail("permit %u: of %llu, who %s", n, (unsigned long long)before,
             error == 0 ? "died, and nobody is told" : "lives");
    __atomic_fetch_add(&common->told, error == EOWNERDEAD, __ATOMIC_RELAXED);
    store(&common->has_unit[n], mark_of(i));
    dawdle(random);
    store(&common->has_unit[n], 0);
    CHECK(fw_ipc_permits_give(permits, n) == 0);
}

static int initialise(void *value)
{
    uint64_t *v = value;

    CHECK(load(v) != 2 || fw_ipc_once_is_left(&onces[v - common->value])); /* and died after that */
    store(v, 1);
    if (now_ns() % 4 == 0)
        usleep(100);
    if (now_ns() % 8 == 0)
        return ECANCELED;
    store(v, 2);
    return 0;
}

static void do_once(uint64_t *random)
{
    uint64_t n = load(&common->present);
    int error;

    if (n == ONCES)
        return;
    error = fw_ipc_once_call(&onces[n], initialise, &common->value[n]);
    if (error == 0) {
        CHECK(load(&common->value[n]) == 2);
        if (draw(random) % 4 == 0)
            __atomic_compare_exchange_n(&common->present, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
    } else if (error != ECANCELED) {
        fail("once: %s", strerror(error));
    }
}

/* All who live and have met before have come to the round that is over. */
static void meet_patiently(unsigned i)
{
    struct slot *own = &common->slots[i];
    uint64_t round = fw_ipc_barrier_round(patient) + 1, marks[GROUP];
    int error;

    for (unsigned k = 0; k < GROUP; k++)
        marks[k] = mark_of(k);
    if (own->came != 0)
        store(&own->came, round);
    error = fw_ipc_barrier_wait(patient);
    if (error > 0)
        fail("patient barrier: %s", strerror(error));
    for (unsigned k = 0; own->came != 0 && k < GROUP; k++) {
        uint64_t came = load(&common->slots[k].came);
        if (came != 0 && came < round && is_alive(marks[k]))
            fail("round %llu is over, and %u has come to %llu", (unsigned long long)round, k,
                 (unsigned long long)came);
    }
    store(&own->came, fw_ipc_barrier_round(patient)); /* from here on, no round ends without it */
}

static uint64_t resets_since(uint64_t token)
{
    return ((load(&strict->round_) >> 52) - (token >> 52)) & 0xfff;
}

/* Of those who know in which round they were, all have the same answer. */
static void meet_strictly(void)
{
    uint64_t round, token, answer, before = 0;
    int error = fw_ipc_barrier_arrive(strict, &token);

    if (error == EBUSY || error == EDEADLK)
        return; /* the dead are still registered */
    if (error == 0) {
        round = token & 0x3fffffff;
        error = fw_ipc_barrier_await(strict, token);
        CHECK(error == 0 || error == EOWNERDEAD);
        answer = error == 0 ? 1 : 2;
        CHECK(round < ROUNDS);
        if (resets_since(token) < FW_IPC_BARRIER_RESETS - 1 &&
            !__atomic_compare_exchange_n(&common->answer[round], &before, answer, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            before != answer)
            fail("round %llu: one was told that it %s, another not", (unsigned long long)round,
                 answer == 1 ? "has ended" : "has failed");
    }
    if (error == EOWNERDEAD) {
        __atomic_fetch_add(&common->failed, 1, __ATOMIC_RELAXED);
        CHECK(fw_ipc_barrier_reset(strict) == 0);
    } else if (error != 0) {
        fail("strict barrier: %s", strerror(error));
    }
}

static void work(void *arg)
{
    unsigned i = *(unsigned *)arg;
    uint64_t random = now_ns() << 8 | i | 1;

    for (;;) {
        borrow(i, &random);
        do_once(&random);
        dawdle(&random);
        if (i < GROUP)
            meet_patiently(i);
        else
            meet_strictly();
        store(&common->slots[i].done, load(&common->slots[i].done) + 1);
    }
}

static void *object(const char *name, fw_region_kind kind, size_t size)
{
    void *made;

    CHECK(fw_region_object(region, name, kind, size, FW_REGION_CREATE, &made) == 0);
    return made;
}

static void prepare(void)
{
    CHECK(fw_region_adopt(share(REGION), REGION, FW_REGION_CREATE, &region) == 0);
    permits = object("permits", FW_REGION_PERMITS, fw_ipc_permits_size(PERMITS));
    patient = object("patient", FW_REGION_BARRIER, fw_ipc_barrier_size(GROUP));
    strict = object("strict", FW_REGION_BARRIER, fw_ipc_barrier_size(GROUP));
    onces = object("onces", FW_REGION_DATA, ONCES * sizeof *onces);
    CHECK(fw_ipc_permits_init(permits, PERMITS) == 0);
    CHECK(fw_ipc_barrier_init(patient, GROUP, FW_IPC_BARRIER_GO_ON) == 0);
    CHECK(fw_ipc_barrier_init(strict, GROUP, FW_IPC_BARRIER_FAIL) == 0);
    common = share(sizeof *common);
}

static pid_t start_worker(unsigned *i)
{
    struct slot *s = &common->slots[*i];

    store(&s->came, 0);
    store(&s->life, load(&s->life) + 1);
    store(&s->is_doomed, 0);
    return start(work, i);
}

/* One of the strict is stopped for most of that many kills, in which the barrier fails often. */
static unsigned stop_or_go_on(const pid_t *workers, unsigned long n)
{
    unsigned i = GROUP + (unsigned)(n / STOP % GROUP);

    if (n % STOP == 1)
        kill(workers[i], SIGSTOP);
    if (n % STOP == STOP - 1)
        kill(workers[i], SIGCONT);
    return n % STOP != 0 && n % STOP != STOP - 1 ? i : WORKERS;
}

static void await_progress(void)
{
    for (unsigned k = 0; k < WORKERS; k++)
        for (uint64_t before = load(&common->slots[k].done);
             load(&common->slots[k].done) == before;)
            usleep(100);
}

static void doom(pid_t worker, unsigned i)
{
    store(&common->slots[i].is_doomed, 1);
    kill_and_wait(worker);
}

int main(int argc, char **argv)
{
    unsigned long kills = is_constrained ? CONSTRAINED_KILLS : KILLS;
    static unsigned slots[WORKERS];
    pid_t workers[WORKERS];
    uint64_t random = now_ns() | 1, done = 0;

    if (argc > 1)
        kills = strtoul(argv[1], NULL, 10);
    prepare();
    for (unsigned i = 0; i < WORKERS; i++) {
        slots[i] = i;
        workers[i] = start_worker(&slots[i]);
    }
    for (unsigned long n = 0; n < kills; n++) {
        unsigned stopped = stop_or_go_on(workers, n), i;
        limit(STUCK_S, "a worker, after others were killed");
        usleep((useconds_t)(draw(&random) % 2000));
        while ((i = (unsigned)(draw(&random) % WORKERS)) == stopped)
            ;
        doom(workers[i], i);
        workers[i] = start_worker(&slots[i]);
        if (n % 16 == 0 && stopped == WORKERS)
            await_progress();
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        doom(workers[i], i);
        done += common->slots[i].done;
    }
    CHECK(fw_ipc_permits_value(permits) == PERMITS);
    for (unsigned n = 0; n < PERMITS; n++)
        CHECK(fw_ipc_permits_trywait(permits) == 0);
    CHECK(fw_ipc_permits_trywait(permits) == EBUSY);
    printf("%lu kills, %llu turns, %llu times a permit came from the dead, %llu failures, %llu "
           "onces\n",
           kills, (unsigned long long)done, (unsigned long long)common->told,
           (unsigned long long)common->failed, (unsigned long long)common->present);
    return EXIT_SUCCESS;
}
