/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atomic/fork.h"
#include "meeting.h"
#include "sys/clock.h"
#include "words.h"

/*
 * Forks while other threads are inside operations.  The child uses every object; it must not hang,
 * and should find whole values.  Handlers of pthread_atfork use the objects, too; those that were
 * registered before the library came run while it is busy with the fork.
 *
 * With "handlers" the forks are made by signal handlers, which may have interrupted an operation of
 * their own thread: parent and child go on with it.  Handlers of pthread_atfork keep out then.
 */

enum { OBJECTS = 96, AREA = OBJECTS * 512, CHILD_LIMIT_S = 100, GENERATIONS = 2 };

static _Alignas(64) unsigned char area[AREA];
static struct {
    unsigned char *object;
    size_t n;
} objects[OBJECTS];
static unsigned forks, torn_children, late_children, nested, prepared, generation;
static pid_t parent;
static pthread_t targets[64];
static struct meeting meeting;

enum { FINE = 0, TORN = 3, WRONG = 4, TORN_LATE = 5 };

/* Of the calling thread's latest fork: how long the library held it up. */
static _Thread_local uint64_t fork_began_ns, held_up_ns;

static void make_objects(void)
{
    static const size_t sizes[] = {1, 3, 8, 12, 15, 16, 24, 32, 33, 100, 256, 400};

    for (unsigned i = 0; i < OBJECTS; i++) {
        objects[i].n = sizes[i % (sizeof sizes / sizeof sizes[0])];
        objects[i].object = area + i * 512 + (i % 3) * 5;
        memcpy(objects[i].object, tag(i), objects[i].n);
    }
}

/* Any operation on object i.  Was what it returned whole? */
static bool operate(struct worker *me, unsigned i)
{
    static const int orders[N_CALLS] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST,
                                        __ATOMIC_ACQ_REL};
    unsigned char seen[512];
    enum call call = (enum call)draw(me, N_CALLS);
    size_t n = objects[i].n;

    memcpy(seen, tag(0), n);
    subject_do(call, n, objects[i].object, seen, tag(draw(me, VALUES)), orders[call]);
    return tag_of(seen, n) >= 0;
}

/* --- The child ------------------------------------------------------------------------------- */

static void stuck(int signal)
{
    (void)signal;
    stress_fail("a child is stuck", NULL);
}

static void grown_up(struct worker *me)
{
    do {
        operate(me, draw(me, OBJECTS));
        did_a_turn(me);
    } while (!stress_is_over());
}

static bool fork_and_wait(struct worker *me);

_Noreturn static void be_a_child(struct worker *me)
{
    unsigned torn = 0;
    bool was_late = held_up_ns >= FW_FORK_PATIENCE_NS_;

    generation++;
    for (unsigned i = 0; i < OBJECTS; i++) {
        unsigned char seen[512];

        subject->load(objects[i].n, objects[i].object, seen, __ATOMIC_SEQ_CST);
        torn += tag_of(seen, objects[i].n) < 0;
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        subject->store(objects[i].n, objects[i].object, tag(i), __ATOMIC_SEQ_CST);
        for (unsigned k = 0; k < 8; k++)
            if (!operate(me, i))
                _exit(WRONG);
    }
    if (generation < GENERATIONS && !fork_and_wait(me))
        _exit(WRONG);
    /* Sanitizers cannot have new threads in the child of a process with threads. */
    if (!stress.is_constrained && draw(me, 8) == 0)
        stress_run_for(0.002, 3, grown_up);
    if (torn > 0)
        _exit(was_late ? TORN_LATE : TORN);
    _exit(FINE);
}

static void await(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            stress_fail("a child is lost", NULL);
    __atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TORN)
        __atomic_fetch_add(&torn_children, 1, __ATOMIC_RELAXED);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == TORN_LATE)
        __atomic_fetch_add(&late_children, 1, __ATOMIC_RELAXED);
    else if (status != 0)
        subject_caught("a child failed: wait status %x", (unsigned)status);
}

static bool fork_and_wait(struct worker *me)
{
    pid_t pid = fork();

    if (pid == 0)
        be_a_child(me);
    if (pid > 0)
        await(pid);
    return true;
}

/* The first handler in a child. */
static void limit_time(void)
{
    alarm(CHILD_LIMIT_S);
}

/* --- Handlers of pthread_atfork --------------------------------------------------------------- */

static void use_some(unsigned *count)
{
    static _Thread_local unsigned calls;
    struct worker nobody = {.random = 88172645463325252u + ++calls};

    if (subject == NULL || subject_has("handlers"))
        return; /* in a signal handler: none of these objects is lock-free */
    for (unsigned i = 0; i < 6; i++)
        operate(&nobody, draw(&nobody, OBJECTS));
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* Prepare handlers run in the reverse order: this one before the library's, ... */
static void before_all(void)
{
    use_some(&prepared);
    fork_began_ns = fw_clock_ns_();
}

/* ... and this one after it. */
static void before_fork(void)
{
    held_up_ns = fw_clock_ns_() - fork_began_ns;
    use_some(&prepared);
}

static void after_fork(void)
{
    use_some(&nested);
}

/* --- Threads --------------------------------------------------------------------------------- */

static void use_all(struct worker *me)
{
    bool forks_too = me->index == 0;

    do {
        for (unsigned k = 0; k < 50; k++)
            if (!operate(me, draw(me, OBJECTS)))
                subject_caught("torn in the parent");
        if (forks_too)
            fork_and_wait(me);
        else if (draw(me, 8) == 0)
            sleep_us(50);
        did_a_turn(me);
    } while (!subject_is_over());
}

/* --- Forks from signal handlers --------------------------------------------------------------- */

enum { HANDLER_FORKS_US = 3000 };

static _Thread_local volatile pid_t born; /* by the handler, and not waited for yet */

/* In the middle of anything.  The child goes on where its thread was. */
static void fork_here(int number)
{
    int saved_errno = errno;

    (void)number;
    if (born == 0 && getpid() == parent)
        born = fork();
    errno = saved_errno;
}

/* What the handler has done, here or there. */
static void see_to_forks(struct worker *me)
{
    if (getpid() != parent)
        be_a_child(me);
    if (born > 0) {
        await(born);
        born = 0;
    }
}

static void use_all_and_be_forked(struct worker *me)
{
    bool is_storm = me->index == 0;
    sigset_t caught;

    sigemptyset(&caught);
    sigaddset(&caught, SIGUSR1);

    targets[me->index] = pthread_self();
    meet(&meeting);
    do {
        if (is_storm) {
            sleep_us(HANDLER_FORKS_US);
            pthread_kill(targets[1 + draw(me, stress.threads - 1)], SIGUSR1);
        }
        for (unsigned k = 0; !is_storm && k < 50; k++)
            if (!operate(me, draw(me, OBJECTS)) && getpid() == parent)
                subject_caught("torn in the parent");
        see_to_forks(me);
        did_a_turn(me);
    } while (!subject_is_over());
    pthread_sigmask(SIG_BLOCK, &caught, NULL); /* a child would end as a thread does, by exit() */
    see_to_forks(me);
}

enum { A_FEW = 5 };

int main(int argc, char **argv)
{
    static const char *const words[] = {"handlers", NULL};

    stress.about = "Forks among operations";
    signal(SIGALRM, stuck);
    pthread_atfork(NULL, NULL, limit_time);
    pthread_atfork(before_fork, after_fork, after_fork);
    subject_begin(argc, argv, words);
    make_objects();
    pthread_atfork(before_all, after_fork, after_fork);
    parent = getpid();
    signal(SIGUSR1, fork_here);
    meeting.n = stress.threads;
    stress_run(stress.threads, subject_has("handlers") ? use_all_and_be_forked : use_all);
    printf("%u forks, %u children found a torn object and %u more after the longest wait, "
           "%u and %u nested operations\n",
           forks, torn_children, late_children, prepared, nested);
    /*
     * A writer that gets no CPU for as long as a fork waits cannot be helped: those do not count.
     * Handlers of pthread_atfork make the library give up what it has taken, and let others in:
     * with them a few may be torn.
     */
    if (torn_children > (subject_has("handlers") ? 0 : A_FEW + forks / 2))
        subject_caught("children find torn objects");
    return subject_end();
}
