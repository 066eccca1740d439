/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include <furwock/rwlock.h>

#include "sys/cpu_count.h"

/*
 * Everything at once: all modes, upgrades against each other, downgrades, deadlines that race with
 * grants, all policies, and signals that interrupt sleeps; on a few locks of one kind.
 */

enum { N_LOCKS = 2, MAX_SIGNALLED = 64, MANY_CPUS = 0x10 };

/* Data under a lock, and who is inside. */
struct shelf {
    fw_rwlock lock;
    int readers, upgradable, writers; /* atomic: counted by those who are inside */
    uint64_t first;
    uint64_t between[6];
    uint64_t second;
};

static struct shelf shelves[N_LOCKS];
static pthread_t signalled[MAX_SIGNALLED];
static unsigned n_signalled;

static fw_rwlock_kind kind(void)
{
    return (fw_rwlock_kind)(stress_test->variant & ~MANY_CPUS);
}

/* In place of the library's: as on a machine with many CPUs, where threads are woken ahead. */
static uint32_t cpus = 1;

uint32_t fw_cpus_allowed_(void)
{
    return cpus;
}

static _Noreturn void fail(const char *what, const struct shelf *s)
{
    fprintf(stderr, "lock %p: state %016llx, line %016llx, %d readers, %d upgradable, %d writers\n",
            (const void *)s, (unsigned long long)s->lock.state_, (unsigned long long)s->lock.queue_,
            s->readers, s->upgradable, s->writers);
    stress_fail(what, NULL);
}

static int count(int *n, int by)
{
    return __atomic_add_fetch(n, by, __ATOMIC_RELAXED);
}

static int how_many(const int *n)
{
    return __atomic_load_n(n, __ATOMIC_RELAXED);
}

static void dwell(struct worker *me)
{
    if (draw(me, 32) == 0)
        burn(draw(me, 20000));
    if (draw(me, 256) == 0)
        sleep_us(50);
}

static void look(struct shelf *s)
{
    if (how_many(&s->writers) != 0)
        fail("a reader beside a writer", s);
    if (s->first != s->second)
        fail("a reader sees half of a change", s);
}

static void read_here(struct worker *me, struct shelf *s)
{
    count(&s->readers, 1);
    look(s);
    dwell(me);
    look(s);
    count(&s->readers, -1);
}

static void read_upgradable_here(struct worker *me, struct shelf *s)
{
    if (count(&s->upgradable, 1) != 1)
        fail("two upgradable readers", s);
    look(s);
    dwell(me);
    look(s);
    count(&s->upgradable, -1);
}

static void write_here(struct worker *me, struct shelf *s)
{
    if (count(&s->writers, 1) != 1 || how_many(&s->readers) != 0 || how_many(&s->upgradable) != 0)
        fail("a writer is not alone", s);
    s->first++;
    dwell(me);
    s->second++;
    count(&s->writers, -1);
}

/* Takes the lock with a deadline, or a policy, or neither; or does not get it. */
static bool get(struct worker *me, struct shelf *s,
                int (*lock)(fw_rwlock *, const fw_wait_policy *, const fw_deadline *))
{
    fw_deadline soon = in_ns(draw(me, 40000));
    const fw_wait_policy *policy = some_policy(me);
    int error = lock(&s->lock, draw(me, 2) ? policy : NULL, draw(me, 2) ? &soon : NULL);

    if (error != 0 && error != ETIMEDOUT)
        fail("an unexpected error", s);
    return error == 0;
}

static void reader(struct worker *me, struct shelf *s)
{
    if (draw(me, 2))
        fw_rwlock_rdlock(&s->lock);
    else if (draw(me, 4) == 0 ? fw_rwlock_tryrdlock(&s->lock) != 0
                              : !get(me, s, fw_rwlock_rdlock_policy))
        return;
    read_here(me, s);
    if (draw(me, 2))
        fw_rwlock_rdunlock(&s->lock);
    else
        fw_rwlock_unlock(&s->lock);
}

/* From write to wherever one can go from there, and out. */
static void end_of_write(struct worker *me, struct shelf *s)
{
    switch (draw(me, 4)) {
    case 0:
        fw_rwlock_downgrade(&s->lock);
        read_here(me, s);
        fw_rwlock_rdunlock(&s->lock);
        break;
    case 1:
        fw_rwlock_downgrade_upgradable(&s->lock);
        read_upgradable_here(me, s);
        fw_rwlock_unlock(&s->lock);
        break;
    default:
        fw_rwlock_wrunlock(&s->lock);
    }
}

static void writer(struct worker *me, struct shelf *s)
{
    if (draw(me, 2))
        fw_rwlock_wrlock(&s->lock);
    else if (draw(me, 4) == 0 ? fw_rwlock_trywrlock(&s->lock) != 0
                              : !get(me, s, fw_rwlock_wrlock_policy))
        return;
    write_here(me, s);
    end_of_write(me, s);
}

/* What has been read upgradable holds after the upgrade, whoever else reads or wants to write. */
static void upgrader(struct worker *me, struct shelf *s)
{
    fw_deadline soon = in_ns(draw(me, 20000));
    uint64_t before;

    if (draw(me, 4) == 0 ? fw_rwlock_upgradable_trylock(&s->lock) != 0
                         : !get(me, s, fw_rwlock_upgradable_lock_policy))
        return;
    read_upgradable_here(me, s);
    before = s->first;
    switch (draw(me, 4)) {
    case 0:
        fw_rwlock_downgrade(&s->lock);
        read_here(me, s);
        fw_rwlock_rdunlock(&s->lock);
        return;
    case 1:
        if (fw_rwlock_tryupgrade(&s->lock) == 0)
            break;
        fw_rwlock_upgradable_unlock(&s->lock);
        return;
    case 2:
        if (fw_rwlock_timedupgrade(&s->lock, &soon) == 0)
            break;
        read_upgradable_here(me, s);
        fw_rwlock_upgradable_unlock(&s->lock);
        return;
    default:
        fw_rwlock_upgrade(&s->lock);
    }
    if (s->first != before)
        fail("somebody wrote during an upgrade", s);
    write_here(me, s);
    end_of_write(me, s);
}

static void body(struct worker *me)
{
    unsigned mine = __atomic_fetch_add(&n_signalled, 1, __ATOMIC_RELAXED);

    if (mine < MAX_SIGNALLED)
        __atomic_store_n(&signalled[mine], pthread_self(), __ATOMIC_RELEASE);
    do {
        struct shelf *s = &shelves[draw(me, N_LOCKS)];
        uint32_t what = draw(me, 16);

        if (me->index == 0 && what == 15) { /* sends a signal to one of them */
            pthread_t t = __atomic_load_n(&signalled[draw(me, MAX_SIGNALLED)], __ATOMIC_ACQUIRE);

            if (t != 0)
                pthread_kill(t, SIGUSR1); /* it may have ended; nobody is joined before this one */
        } else if (what < 8) {
            reader(me, s);
        } else if (what < 12) {
            writer(me, s);
        } else {
            upgrader(me, s);
        }
        did_a_turn(me);
    } while (!stress_is_over());
}

static void nothing(int signal)
{
    (void)signal;
}

static int begin(void)
{
    struct sigaction action = {.sa_handler = nothing}; /* no SA_RESTART: sleeps end with EINTR */

    if ((stress_test->variant & MANY_CPUS) != 0)
        cpus = 64;
    for (int i = 0; i < N_LOCKS; i++)
        if (fw_rwlock_init(&shelves[i].lock, kind()) != 0)
            stress_fail("no such kind", NULL);
    return sigaction(SIGUSR1, &action, NULL);
}

static void end(void)
{
    for (int i = 0; i < N_LOCKS; i++) {
        const struct shelf *s = &shelves[i];

        if (s->lock.state_ != 0 || s->lock.queue_ != (uint64_t)kind() || s->first != s->second)
            fail("a lock is not at rest though nobody uses it", s);
    }
}

#define ABOUT "A read-write lock in all its modes: "
#define COMMON .threads = 6, .begin = begin, .end = end

const struct stress_test rwlock_tests[] = {
    {"rwlock", ABOUT "fair", body, 60000, COMMON, .variant = 0},
    {"rwlock_ahead", ABOUT "fair, on many CPUs", body, 60000, COMMON, .variant = MANY_CPUS},
    {"rwlock_readers", ABOUT "readers first", body, 80000, COMMON, .variant = 1},
    {"rwlock_writers", ABOUT "writers first", body, 60000, COMMON, .variant = 2},
    {"rwlock_greedy", ABOUT "greedy", body, 60000, COMMON, .variant = 3},
    {0}};
