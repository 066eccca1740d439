/* SPDX-License-Identifier: MIT */
/*
 * MPCP and FMLP+ in tier A, deferred and not: in which order locks are granted, and who goes first
 * on a CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "rt/boost_word.h"

static bool is_fmlp, is_baseline;

/* --- Who gets a lock next --- */

static void hold_a(struct actor *a)
{
    take(a, 'a');
    sem_post(&told);
    await(&a->cue);
    leave(a, 'a');
}

static void want_a(struct actor *a)
{
    take(a, 'a');
    log_event(a->name[0]);
    leave(a, 'a');
}

static void grants_are_in_order(void)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_a, .opens = "a"},
        {.name = "1", .cpu = cpus[0], .priority = 10, .play = want_a, .opens = "a"},
        {.name = "2", .cpu = cpus[0], .priority = 20, .play = want_a, .opens = "a"},
        {.name = "3", .cpu = cpus[0], .priority = 15, .play = want_a, .opens = "a"},
        {.name = "4", .cpu = cpus[1], .priority = 30, .play = want_a, .opens = "a"},
    };

    fixture_start(all, 5);
    cue(0);
    await(&told);
    for (unsigned i = 1; i < 5; i++) {
        cue(i);
        until_waiting('a', i);
    }
    CHECK(fw_rt_word_owner(record('a')->counter) == 0);
    cue(0);
    fixture_finish(is_fmlp ? "1234" : "4231");
}

/* --- Who is in a section goes before those of its CPU who wake up --- */

static uint64_t wake_at;

static void sleep_until(uint64_t ns)
{
    struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

/* Stays in its section until the other one has woken up, as far as it can. */
static void hold_against_h(struct actor *a)
{
    take(a, 'a');
    wake_at = now_ns() + 2000000;
    cue(1);
    while (is_baseline ? now_ns() < wake_at + 1000000
                       : __atomic_load_n(&a->task->record->unlock_call, __ATOMIC_RELAXED) == 0)
        continue;
    log_event('l');
    leave(a, 'a');
    log_event('L');
}

/* More urgent, and not in any section. */
static void wake_up(struct actor *a)
{
    sleep_until(wake_at);
    CHECK(fw_rt_resumed(a->task) == 0);
    log_event('H');
}

static void sections_go_before_those_who_wake(void)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_against_h, .opens = "a"},
        {.name = "H", .cpu = cpus[1], .priority = 40, .play = wake_up, .opens = ""},
        {.name = "R", .cpu = cpus[0], .priority = 45, .play = want_a, .opens = "a"},
    };

    fixture_start(all, 3);
    cue(2); /* only so that the lock is shared with another CPU */
    until_played(1);
    cue(0);
    fixture_finish("RlHL");
}

/* --- Who is granted a lock preempts those of its CPU who are in no section --- */

static void be_busy(struct actor *a)
{
    (void)a;
    sem_post(&told);
    while (__atomic_load_n(&n_played, __ATOMIC_ACQUIRE) == 0)
        continue; /* for a moment: the other one preempts it */
    log_event('B');
}

/* T is granted what L has, while B executes on T's CPU; T goes first. */
static void grant_beside(int priority, void (*play)(struct actor *), int others)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_a, .opens = "a"},
        {.name = "T", .cpu = cpus[0], .priority = priority, .play = play, .opens = "a"},
        {.name = "B", .cpu = cpus[0], .priority = others, .play = be_busy, .opens = ""},
    };

    if (!has_two_cpus())
        return; /* B would keep L from leaving */
    fixture_start(all, 3);
    cue(0);
    await(&told);
    cue(1);
    until_waiting('a', 1);
    cue(2);
    await(&told);
    cue(0);
    fixture_finish("TB");
}

static void who_is_granted_a_lock_is_boosted(void)
{
    grant_beside(3, want_a, 30);
}

/* --- With deferred updates, until that changes nothing any more --- */

static void want_a_alone(struct actor *a)
{
    struct sched_param param;

    take(a, 'a');
    CHECK(sched_getparam(0, &param) == 0);
    CHECK(is_baseline ? param.sched_priority > a->priority : param.sched_priority == a->priority);
    CHECK((a->task->record->boost != 0) == is_baseline);
    log_event('T');
    leave(a, 'a');
}

/* The less urgent one is ready, and has no lock. */
static void who_is_granted_a_lock_is_lowered_if_first_anyway(void)
{
    grant_beside(10, want_a_alone, 3);
}

/* --- Two sections on one CPU --- */

static bool does_b_go_first;

/* Has b when the other one is granted a; leaves it when that one is waiting, or through. */
static void hold_b_meanwhile(struct actor *a)
{
    uint32_t other = tasks_of_test[1].task->slot;
    bool is_seen = false;

    take(a, 'b');
    sem_post(&told);
    cue(0); /* the one that has a, on the other CPU: it leaves */
    while (!is_seen && __atomic_load_n(&n_played, __ATOMIC_ACQUIRE) == 0)
        is_seen =
            __atomic_load_n(&a->task->record->unlock_call, __ATOMIC_RELAXED) != 0 ||
            (is_baseline && does_b_go_first &&
             fw_rt_word_owner(__atomic_load_n(&record('a')->counter, __ATOMIC_RELAXED)) == other);
    log_event('b');
    leave(a, 'b');
}

/*
 * T asks for a, and waits.  S, of its CPU, takes b.  T is granted a.  Under FMLP+ its request is
 * the older one; under MPCP the ceilings decide: b's is above or below a's.
 */
static void sections_go_by_rank(bool is_b_above)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_a, .opens = "a"},
        {.name = "T", .cpu = cpus[0], .priority = 10, .play = want_a, .opens = "a"},
        {.name = "S", .cpu = cpus[0], .priority = 20, .play = hold_b_meanwhile, .opens = "b"},
        {.name = "U",
         .cpu = cpus[1],
         .priority = is_b_above ? 40 : 2,
         .play = wake_up,
         .opens = "b"},
    };

    does_b_go_first = !is_fmlp && is_b_above;
    fixture_start(all, 4);
    cue(0);
    await(&told);
    cue(1);
    until_waiting('a', 1);
    cue(2);
    await(&told);
    until_played(2);
    wake_at = 0;
    cue(3);
    fixture_finish(does_b_go_first ? "bTH" : "TbH");
}

static void sections_go_by_ceiling_or_age(void)
{
    if (!has_two_cpus())
        return; /* no ceilings of other CPUs */
    sections_go_by_rank(false);
    sections_go_by_rank(true);
}

/*
 * --- A section that is waited for goes before a task that wakes up beside it without the library's
 * knowing: L holds the lock on one CPU; M, which is more urgent, sleeps there in read(2), is woken
 * by L in its section, and computes until R (and S), who wait for the lock, have had it.  If
 * nothing raises L, they never do. ---
 */

enum { LIMIT_S = 30 };

static int ends[2];  /* of a pipe */
static bool is_task; /* M */
static pthread_t other;

static unsigned waiters;

/* Until they have had the lock.  The limit is for a library that is wrong. */
static void compute(void)
{
    uint64_t end = now_ns() + LIMIT_S * UINT64_C(1000000000);

    while (__atomic_load_n(&n_played, __ATOMIC_ACQUIRE) < waiters && now_ns() < end)
        continue;
    log_event('M');
}

static void wake_up_outside(struct actor *a)
{
    char c;

    sem_post(&told);
    CHECK(read(ends[0], &c, 1) == 1);
    (void)a;
    compute();
}

static void *be_no_task(void *unused)
{
    struct sched_param param = {.sched_priority = 10};

    (void)unused;
    CHECK(sched_setscheduler(0, SCHED_FIFO, &param) == 0);
    move_to(cpus[1]);
    wake_up_outside(NULL);
    return NULL;
}

/* M preempts it as soon as it has written; from then on it runs only if somebody raises it. */
static void hold_beside_m(struct actor *a)
{
    take(a, 'a');
    sem_post(&told);
    CHECK(write(ends[1], "", 1) == 1);
    until_waiting('a', waiters);
    leave(a, 'a');
}

static void one_wakes_up_outside(void)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_beside_m, .opens = "a"},
        {.name = "R", .cpu = cpus[0], .priority = 40, .play = want_a, .opens = "a"},
        {.name = "S", .cpu = cpus[0], .priority = 30, .play = want_a, .opens = "a"},
        {.name = "M", .cpu = cpus[1], .priority = 10, .play = wake_up_outside, .opens = ""},
    };
    struct actor some[ACTORS];
    unsigned n = 1 + waiters;

    CHECK(pipe(ends) == 0);
    memcpy(some, all, n * sizeof *some);
    if (is_task)
        some[n] = all[3];
    fixture_start(some, is_task ? n + 1 : n);
    if (is_task)
        cue(n);
    else
        CHECK(pthread_create(&other, NULL, be_no_task, NULL) == 0);
    await(&told); /* M is about to read */
    cue(0);
    await(&told);
    for (unsigned i = 1; i <= waiters; i++) {
        cue(i);
        if (i < waiters)
            until_waiting('a', i);
    }
    if (!is_task)
        CHECK(pthread_join(other, NULL) == 0);
    fixture_finish(waiters == 1 ? "RM" : "RSM");
    close(ends[0]);
    close(ends[1]);
}

static void the_awaited_go_before_those_who_wake_outside(void)
{
    for (waiters = 1; waiters <= 2; waiters++) {
        is_task = true;
        one_wakes_up_outside();
        is_task = false;
        one_wakes_up_outside();
    }
}

/* --- The rest --- */

static void try_out(struct actor *a)
{
    uint64_t stamp = a->task->record->stamp;

    CHECK(fw_rt_trylock(a->task, 0) == EBUSY);
    CHECK(a->task->record->held == 0);
    CHECK(fw_rt_trylock(a->task, 1) == 0);
    CHECK(fw_rt_trylock(a->task, 0) == EPERM && fw_rt_lock(a->task, 0) == EPERM);
    CHECK(fw_rt_lock(a->task, 1) == EDEADLK);
    CHECK(fw_rt_unlock(a->task, 0) == EPERM);
    CHECK(a->task->record->held == fw_rt_bit(1));
    CHECK(fw_rt_unlock(a->task, 1) == 0);
    /* Each request has its own age, also of a lock that was left and taken again at once. */
    for (unsigned i = 0; i < 10; i++) {
        take(a, 'b');
        CHECK(!is_fmlp || a->task->record->stamp > stamp);
        stamp = a->task->record->stamp;
        leave(a, 'b');
    }
    log_event('T');
}

static void answers_are_those_of_the_header(void)
{
    const struct actor all[] = {
        {.name = "L", .cpu = cpus[1], .priority = 5, .play = hold_a, .opens = "a"},
        {.name = "T", .cpu = cpus[0], .priority = 10, .play = try_out, .opens = "ab"},
    };

    fixture_start(all, 2);
    cue(0);
    await(&told);
    cue(1);
    until_played(1);
    cue(0);
    fixture_finish("T");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } plays[] = {
        {"grants are in order", grants_are_in_order},
        {"sections go before those who wake", sections_go_before_those_who_wake},
        {"who is granted a lock is boosted", who_is_granted_a_lock_is_boosted},
        {"who is first anyway is lowered", who_is_granted_a_lock_is_lowered_if_first_anyway},
        {"sections go by ceiling or age", sections_go_by_ceiling_or_age},
        {"the awaited go before those who wake outside",
         the_awaited_go_before_those_who_wake_outside},
        {"answers are those of the header", answers_are_those_of_the_header},
    };

    fixture_begin();
    for (protocol = FW_RT_MPCP; protocol <= FW_RT_FMLP_DU; protocol++) {
        if (argc > 1 && strcmp(argv[1], fw_rt_protocol_name(protocol)) != 0)
            continue;
        is_fmlp = protocol >= FW_RT_FMLP;
        is_baseline = protocol == FW_RT_MPCP || protocol == FW_RT_FMLP;
        for (unsigned i = 0; i < sizeof plays / sizeof *plays; i++) {
            limit(LONGEST_S, plays[i].name);
            plays[i].play();
        }
        printf("%s: in order\n", fw_rt_protocol_name(protocol));
    }
    return 0;
}
