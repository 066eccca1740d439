/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/rwlock.h>

#include "thread/rwlock_word.h"

/*
 * Forks while others are queued for read-write locks.  The child has what the forking thread
 * had: it gives that back, finds out which locks it may use, and uses them with threads of its own,
 * as if nobody had ever stood in line.
 */

enum { N_LOCKS = 3, CHILD_THREADS = 3, CHILD_LIMIT_S = 100 };

struct shelf {
    fw_rwlock lock;
    uint64_t first, second;
};

static struct shelf shelves[N_LOCKS];
static bool usable[N_LOCKS]; /* in a child: nobody held it at the fork */
static uint64_t forks;

static void visit(struct worker *me, struct shelf *s)
{
    fw_deadline soon = in_ns(draw(me, 100000));

    if (draw(me, 3) != 0) {
        if (draw(me, 2))
            fw_rwlock_rdlock(&s->lock);
        else if (fw_rwlock_timedrdlock(&s->lock, &soon) != 0)
            return;
        if (s->first != s->second)
            stress_fail("a reader sees half of a change", NULL);
        if (draw(me, 64) == 0)
            sleep_us(50);
        fw_rwlock_rdunlock(&s->lock);
    } else {
        if (draw(me, 2))
            fw_rwlock_wrlock(&s->lock);
        else if (fw_rwlock_timedwrlock(&s->lock, &soon) != 0)
            return;
        s->first++;
        if (draw(me, 16) == 0)
            burn(draw(me, 20000));
        s->second++;
        fw_rwlock_wrunlock(&s->lock);
    }
}

/* Flags may be left that speak of the parent's line, where nobody has had a reason to look. */
static bool is_free(uint64_t w)
{
    return (w & ~RW_QUEUE_FLAGS) == 0;
}

static void grown_up(struct worker *me)
{
    do {
        for (int i = 0; i < N_LOCKS; i++)
            if (usable[i])
                visit(me, &shelves[i]);
        did_a_turn(me);
    } while (!stress_is_over());
}

static void stuck(int signal)
{
    (void)signal;
    stress_fail("a child is stuck", NULL);
}

static void child(struct worker *me, struct shelf *mine, bool writes)
{
    signal(SIGALRM, stuck);
    alarm(CHILD_LIMIT_S);
    if (writes) {
        if (fw_rwlock_owner(&mine->lock) == 0)
            stress_fail("the child does not own what it held", NULL);
        mine->second++;
    }
    fw_rwlock_unlock(&mine->lock);
    for (int i = 0; i < N_LOCKS; i++) {
        struct shelf *s = &shelves[i];
        fw_deadline soon = in_ns(200000);

        usable[i] = fw_rwlock_timedwrlock(&s->lock, &soon) == 0;
        if (usable[i])
            fw_rwlock_wrunlock(&s->lock);
        else if (s == mine && writes)
            stress_fail("a lock that only the child held is not free", NULL);
    }
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < N_LOCKS; j++)
            if (usable[j])
                visit(me, &shelves[j]);
    /* Sanitizers and emulators cannot have new threads in the child of a process with threads. */
    if (!stress.is_constrained)
        stress_run_for(0.01, CHILD_THREADS, grown_up);
    for (int i = 0; i < N_LOCKS; i++)
        if (usable[i] && !is_free(shelves[i].lock.state_))
            stress_fail("a lock is held though nobody uses it", NULL);
    _exit(0);
}

static void fork_inside(struct worker *me)
{
    struct shelf *s = &shelves[draw(me, N_LOCKS)];
    bool writes = draw(me, 2);
    int status;
    pid_t pid;

    if (writes) {
        fw_rwlock_wrlock(&s->lock);
        s->first++;
    } else {
        fw_rwlock_rdlock(&s->lock);
    }
    if (draw(me, 2))
        sleep_us(200); /* others come */
    pid = fork();
    if (pid == 0)
        child(me, s, writes);
    if (writes)
        s->second++;
    fw_rwlock_unlock(&s->lock);
    if (pid < 0)
        return; /* the system allows no more */
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "child %d: wait status %x\n", (int)pid, (unsigned)status);
        stress_fail("a child failed", NULL);
    }
    __atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
}

static void body(struct worker *me)
{
    do {
        if (me->index == 0)
            fork_inside(me);
        else
            visit(me, &shelves[draw(me, N_LOCKS)]);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "Forks while others are queued for read-write locks";
    stress.threads = 5;
    stress.seconds = 2;
    stress_begin(argc, argv);
    for (int i = 0; i < N_LOCKS; i++)
        fw_rwlock_init(&shelves[i].lock, (fw_rwlock_kind)(i % 3));
    stress_run(stress.threads, body);
    printf("%llu forks\n", (unsigned long long)forks);
    return forks > 0 ? stress_end() : EXIT_FAILURE;
}
