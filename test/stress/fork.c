/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <unistd.h>

#include <furwock/event.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

#include "thread/mutex_word.h"
#include "thread/rwlock_word.h"

/*
 * Forks in the middle of everything, while others hold locks, wait, and are woken.  The child has
 * what the forking thread had: it gives that back, finds out what it may use, uses that with
 * threads of its own, as if nobody else had ever waited, and may fork again meanwhile.
 */

enum { N_LOCKS = 6, PERMITS = 2, GENERATIONS = 3, CHILD_THREADS = 3 };

/* What of a kind of object is different.  `held` is a mask of objects. */
struct kind {
    unsigned forkers; /* one in how many workers forks */
    unsigned generations;
    unsigned child_turns;
    unsigned (*hold)(struct worker *me);
    void (*let_go)(struct worker *me, unsigned held);
    void (*turn)(struct worker *me);
    void (*find_out)(struct worker *me, unsigned held); /* in the child; gives back what it holds */
    void (*check_at_rest)(void);
};

static bool usable[N_LOCKS]; /* in a child: nobody held it at the fork */
static int generation;

/* The n-th usable lock of `total`, counted round; there is one. */
static unsigned pick(uint32_t n, unsigned total)
{
    while (!usable[n % total])
        n++;
    return n % total;
}

/* --- mutexes -------------------------------------------------------------------------------- */

static struct guarded locks[N_LOCKS];

static unsigned hold_mutexes(struct worker *me)
{
    unsigned held = 0;

    for (unsigned i = 0; i < N_LOCKS; i++)
        if (usable[i] && draw(me, 2))
            held |= 1u << i;
    if (held == 0)
        held = 1u << pick(0, N_LOCKS);
    for (unsigned i = 0; i < N_LOCKS; i++)
        if (held & 1u << i)
            fw_mutex_lock(&locks[i].lock);
    return held;
}

static void unlock_mutexes(struct worker *me, unsigned held)
{
    for (unsigned i = 0; i < N_LOCKS; i++)
        if (held & 1u << i)
            release(me, &locks[i], 3);
}

static void use_mutex(struct worker *me)
{
    struct guarded *g = &locks[pick(draw(me, N_LOCKS), N_LOCKS)];
    fw_deadline soon = in_ns(draw(me, 100000));

    if (draw(me, 3) != 0)
        fw_mutex_lock(&g->lock);
    else if (fw_mutex_timedlock(&g->lock, &soon) != 0)
        return;
    use(g);
    if (draw(me, 16) == 0)
        burn(draw(me, 20000));
    if (draw(me, 64) == 0)
        sleep_us(50);
    release(me, g, 3);
}

static void find_mutexes(struct worker *me, unsigned held)
{
    for (unsigned i = 0; i < N_LOCKS; i++) {
        struct guarded *g = &locks[i];
        bool mine = held & 1u << i;

        if (mine && fw_mutex_owner(&g->lock) == 0)
            stress_fail("the child does not own what it held", g);
        usable[i] = mine || (usable[i] && fw_mutex_trylock(&g->lock) == 0);
        if (usable[i]) {
            use(g);
            release(me, g, 3);
        } else if (is_being_handed_off(g->lock.state_)) {
            stress_fail("a hand-off of the parent goes on in the child", g);
        }
    }
    for (unsigned i = 0; i < N_LOCKS; i++) {
        fw_deadline soon = in_ns(200000);

        if (!usable[i] && fw_mutex_timedlock(&locks[i].lock, &soon) != ETIMEDOUT)
            stress_fail("a lock that nobody can release was released", &locks[i]);
    }
}

static void check_mutexes(void)
{
    for (unsigned i = 0; i < N_LOCKS; i++)
        if (usable[i])
            check_at_rest(&locks[i]);
}

/* --- read-write locks ----------------------------------------------------------------------- */

enum { N_SHELVES = 3 }; /* one of each kind */

static struct shelf {
    fw_rwlock lock;
    uint64_t first, second;
    bool being_written;
} shelves[N_SHELVES];

static void end_write(struct shelf *s)
{
    s->second++;
    s->being_written = false;
    fw_rwlock_wrunlock(&s->lock);
}

static void begin_write(struct shelf *s)
{
    s->being_written = true;
    s->first++;
}

static unsigned hold_shelf(struct worker *me)
{
    unsigned n = pick(draw(me, N_SHELVES), N_SHELVES);

    if (draw(me, 2)) {
        fw_rwlock_wrlock(&shelves[n].lock);
        begin_write(&shelves[n]);
    } else {
        fw_rwlock_rdlock(&shelves[n].lock);
    }
    return n;
}

static void unlock_shelf(struct worker *me, unsigned held)
{
    (void)me;
    if (shelves[held].being_written)
        end_write(&shelves[held]);
    else
        fw_rwlock_rdunlock(&shelves[held].lock);
}

static void use_shelf(struct worker *me)
{
    struct shelf *s = &shelves[pick(draw(me, N_SHELVES), N_SHELVES)];
    fw_deadline soon = in_ns(draw(me, 100000)), *until = draw(me, 2) ? &soon : NULL;

    if (draw(me, 3) != 0) {
        if (fw_rwlock_rdlock_policy(&s->lock, NULL, until) != 0)
            return;
        if (s->first != s->second)
            stress_fail("a reader sees half of a change", NULL);
        if (draw(me, 64) == 0)
            sleep_us(50);
        fw_rwlock_rdunlock(&s->lock);
        return;
    }
    if (fw_rwlock_wrlock_policy(&s->lock, NULL, until) != 0)
        return;
    begin_write(s);
    if (draw(me, 16) == 0)
        burn(draw(me, 20000));
    end_write(s);
}

static void find_shelves(struct worker *me, unsigned held)
{
    struct shelf *mine = &shelves[held];
    bool writes = mine->being_written;

    if (writes && fw_rwlock_owner(&mine->lock) == 0)
        stress_fail("the child does not own what it held", NULL);
    unlock_shelf(me, held);
    for (int i = 0; i < N_SHELVES; i++) {
        fw_deadline soon = in_ns(200000);

        usable[i] = fw_rwlock_timedwrlock(&shelves[i].lock, &soon) == 0;
        if (usable[i])
            fw_rwlock_wrunlock(&shelves[i].lock);
        else if (writes && &shelves[i] == mine)
            stress_fail("a lock that only the child held is not free", NULL);
    }
    if (!usable[0] && !usable[1] && !usable[2])
        _exit(0); /* threads of the parent have them all, forever */
}

/* Flags may be left that speak of the parent's queue, where nobody has had a reason to look. */
static void check_shelves(void)
{
    for (int i = 0; i < N_SHELVES; i++)
        if (usable[i] && (shelves[i].lock.state_ & ~RW_QUEUE_FLAGS) != 0)
            stress_fail("a lock is held though nobody uses it", NULL);
}

/* --- semaphore and event: every permit that is there can be taken, and a post is received. ---- */

static fw_sem permits;
static fw_event ticket = FW_EVENT_INIT_AUTO;

static unsigned hold_nothing(struct worker *me)
{
    (void)me;
    return 0;
}

static void let_nothing_go(struct worker *me, unsigned held)
{
    (void)me;
    (void)held;
}

static void use_permits(struct worker *me)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    if (fw_sem_timedwait(&permits, draw(me, 3) ? &soon : NULL) == 0) {
        if (draw(me, 8) == 0)
            burn(draw(me, 20000));
        fw_sem_post(&permits);
    }
    if (fw_event_timedwait(&ticket, &soon) == 0 || draw(me, 16) == 0)
        fw_event_set(&ticket);
}

static void check_permits(void)
{
    if (permits.state_ != PERMITS)
        stress_fail("permits are missing, or stale waiters are counted", NULL);
}

static void find_permits(struct worker *me, unsigned held)
{
    fw_deadline soon = in_ns(100000);
    uint32_t left = fw_sem_value(&permits);

    (void)me;
    (void)held;
    for (uint32_t i = 0; i < left; i++)
        if (fw_sem_trywait(&permits) != 0)
            stress_fail("a permit is reserved for a thread that does not exist", NULL);
    if (fw_sem_timedwait(&permits, &soon) != ETIMEDOUT)
        stress_fail("a permit came from nowhere", NULL);
    if (fw_sem_post_n(&permits, PERMITS) != 0)
        stress_fail("permits cannot be posted", NULL);
    check_permits();
    fw_event_set(&ticket);
    fw_event_wait(&ticket);
}

/* --- all ------------------------------------------------------------------------------------ */

enum { MUTEX, RWLOCK, SEM };

static const struct kind kinds[] = {
    [MUTEX] = {2, GENERATIONS, 100, hold_mutexes, unlock_mutexes, use_mutex, find_mutexes,
               check_mutexes},
    [RWLOCK] = {8, 1, 60, hold_shelf, unlock_shelf, use_shelf, find_shelves, check_shelves},
    [SEM] = {8, 1, 50, hold_nothing, let_nothing_go, use_permits, find_permits, check_permits}};
static const struct kind *kind;

static void fork_inside(struct worker *me);

/* A new thread of a child; the first one forks once more. */
static void grown_up(struct worker *me)
{
    if (me->index == 0 && generation < (int)kind->generations)
        fork_inside(me);
    do {
        kind->turn(me);
        did_a_turn(me);
    } while (!stress_is_over());
}

static _Noreturn void live(struct worker *me, unsigned held)
{
    struct worker first = *me;

    generation++;
    kind->find_out(&first, held);
    for (unsigned i = 0; i < kind->child_turns; i++)
        kind->turn(&first);
    if (generation < (int)kind->generations && (stress.is_constrained || draw(&first, 2)))
        fork_inside(&first);
    /* Sanitizers and emulators cannot have new threads in the child of a process with threads. */
    if (!stress.is_constrained)
        stress_run_for(0.01, CHILD_THREADS, grown_up);
    kind->check_at_rest();
    _exit(0);
}

static void fork_inside(struct worker *me)
{
    unsigned held = kind->hold(me);
    pid_t child;

    if (draw(me, 2))
        sleep_us(200); /* others come */
    child = stress_fork();
    if (child == 0)
        live(me, held);
    kind->let_go(me, held);
    stress_forked(child);
}

/* Some of the workers fork, the others make sure that there are waiters. */
static void body(struct worker *me)
{
    do {
        if (me->index % kind->forkers == 0)
            fork_inside(me);
        else
            kind->turn(me);
        did_a_turn(me);
    } while (!stress_is_over());
}

static int begin(void)
{
    kind = &kinds[stress_test->variant];
    for (int i = 0; i < N_LOCKS; i++)
        usable[i] = true;
    for (int i = 0; i < N_SHELVES; i++)
        fw_rwlock_init(&shelves[i].lock, (fw_rwlock_kind)i);
    return fw_sem_init(&permits, PERMITS, FW_SEM_MAX);
}

#define FORKS .begin = begin, .has_to_fork = true

const struct stress_test fork_tests[] = {
    {"fork", "Forks under load, of holders and in children", body, 20000, .threads = 6,
     .seconds = 3, .locks = locks, .n_locks = N_LOCKS, .variant = MUTEX, FORKS},
    {"rwlock_fork", "Forks while others are queued for read-write locks", body, 40000, .threads = 5,
     .seconds = 2, .variant = RWLOCK, FORKS},
    {"sem_fork", "Forks while others wait for permits", body, 50000, .threads = 6, .seconds = 2,
     .variant = SEM, FORKS},
    {0}};
