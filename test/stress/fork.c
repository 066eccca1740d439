/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "thread/mutex_word.h"

/*
 * Forks in the middle of everything.  The child owns what the forking thread owned: it unlocks
 * that, finds out which locks it may use, uses them with threads of its own, and forks again
 * meanwhile.
 */

enum { N_LOCKS = 6, GENERATIONS = 3, CHILD_THREADS = 3, CHILD_LIMIT_S = 100 };

static struct guarded locks[N_LOCKS];
static bool usable[N_LOCKS]; /* in a child: nobody held it at the fork */
static int generation;
static uint64_t forks;

static void release(struct worker *me, struct guarded *g)
{
    if (draw(me, 3) == 0)
        fw_mutex_unlock_fair(&g->lock);
    else
        fw_mutex_unlock(&g->lock);
}

/* The n-th usable lock, counted round. */
static struct guarded *pick(uint32_t n)
{
    for (;; n++)
        if (usable[n % N_LOCKS])
            return &locks[n % N_LOCKS];
}

static void one_turn(struct worker *me)
{
    struct guarded *g = pick(draw(me, N_LOCKS));
    fw_deadline soon = in_ns(draw(me, 100000));

    if (draw(me, 3) == 0) {
        if (fw_mutex_timedlock(&g->lock, &soon) != 0)
            return;
    } else {
        fw_mutex_lock(&g->lock);
    }
    use(g);
    if (draw(me, 16) == 0)
        burn(draw(me, 20000));
    if (draw(me, 64) == 0)
        sleep_us(50);
    release(me, g);
}

static void fork_with_locks(struct worker *me, void (*child)(struct worker *me, unsigned held));

/* A new thread of a child; the first one forks once more. */
static void grown_up(struct worker *me);

static void stuck(int signal)
{
    (void)signal;
    stress_fail("a child is stuck", NULL);
}

static void child_body(struct worker *me, unsigned held)
{
    struct worker first = *me;

    generation++;
    signal(SIGALRM, stuck);
    alarm(CHILD_LIMIT_S);
    for (int i = 0; i < N_LOCKS; i++) {
        if (held & 1u << i) {
            if (fw_mutex_owner(&locks[i].lock) == 0)
                stress_fail("the child does not own what it held", &locks[i]);
            use(&locks[i]);
            release(&first, &locks[i]);
        } else if (!usable[i] || fw_mutex_trylock(&locks[i].lock) != 0) {
            if (is_being_handed_off(locks[i].lock.state_))
                stress_fail("a pass of the parent goes on in the child", &locks[i]);
            usable[i] = false;
            continue;
        } else {
            use(&locks[i]);
            release(&first, &locks[i]);
        }
        usable[i] = true;
    }
    for (int i = 0; i < N_LOCKS; i++) {
        fw_deadline soon = in_ns(200000);

        if (!usable[i] && fw_mutex_timedlock(&locks[i].lock, &soon) != ETIMEDOUT)
            stress_fail("a lock that nobody can release was released", &locks[i]);
    }
    for (int i = 0; i < 100; i++)
        one_turn(&first);
    if (generation < GENERATIONS && (stress.is_constrained || draw(&first, 2)))
        fork_with_locks(&first, child_body);
    /* Sanitizers and emulators cannot have new threads in the child of a process with threads. */
    if (!stress.is_constrained)
        stress_run_for(0.01, CHILD_THREADS, grown_up);
    for (int i = 0; i < N_LOCKS; i++)
        if (usable[i])
            check_at_rest(&locks[i]);
    _exit(0);
}

static void grown_up(struct worker *me)
{
    if (me->index == 0 && generation < GENERATIONS)
        fork_with_locks(me, child_body);
    do {
        one_turn(me);
        did_a_turn(me);
    } while (!stress_is_over());
}

/* Takes some locks, in order; forks; gives them back; waits for the child. */
static void fork_with_locks(struct worker *me, void (*child)(struct worker *me, unsigned held))
{
    unsigned held = 0;
    int status;
    pid_t pid;

    for (int i = 0; i < N_LOCKS; i++) {
        if (!usable[i] || draw(me, 2))
            continue;
        fw_mutex_lock(&locks[i].lock);
        held |= 1u << i;
    }
    if (held == 0) {
        struct guarded *g = pick(0);

        fw_mutex_lock(&g->lock);
        held = 1u << (g - locks);
    }
    if (draw(me, 2))
        sleep_us(200); /* waiters come */
    pid = fork();
    if (pid == 0)
        child(me, held);
    for (int i = 0; i < N_LOCKS; i++)
        if (held & 1u << i)
            release(me, &locks[i]);
    if (pid < 0)
        return; /* the system allows no more */
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "generation %d: child %d: wait status %x\n", generation, (int)pid,
                (unsigned)status);
        stress_fail("a child failed", NULL);
    }
    __atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
}

/* Half of the workers fork, the others make sure that there are waiters. */
static void body(struct worker *me)
{
    do {
        if (me->index % 2 == 0)
            fork_with_locks(me, child_body);
        else
            one_turn(me);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "Forks under load, of holders and in children";
    stress.threads = 6;
    stress.seconds = 3;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress_begin(argc, argv);
    for (int i = 0; i < N_LOCKS; i++)
        usable[i] = true;
    stress_run(stress.threads, body);
    printf("%llu forks\n", (unsigned long long)forks);
    return forks > 0 ? stress_end() : EXIT_FAILURE;
}
