/* SPDX-License-Identifier: MIT */
/*
 * What happens to a thread inside an operation: it is stopped, it ends, its process becomes another
 * program, forks, is aborted.  A signal handler finds itself inside by looking at the lock, so no
 * debugger is needed.
 */
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/death.h"
#include "sys/robust.h"
#include "table.h"

enum { N = 512, TICK_US = 300 };

static struct mapping mapping;
static struct fw_table_stripe_ *stripe; /* of the one object */

static uint32_t owner(void)
{
    return __atomic_load_n(&stripe->lock, __ATOMIC_RELAXED) & FW_ROBUST_OWNER;
}

static void *object(void)
{
    return at(&mapping, 0);
}

/* What the handler does when it finds its thread inside. */
static void (*act)(void);

static void on_tick(int number)
{
    (void)number;
    if (owner() == (uint32_t)syscall(SYS_gettid))
        act();
}

/* Works on the object until it was caught inside, at random. */
static void work_until_caught(void)
{
    struct itimerval ticks = {{0, TICK_US}, {0, TICK_US}};
    struct sigaction action = {.sa_handler = on_tick};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &ticks, NULL);
    for (uint64_t i = 0;; i++)
        store_stamp(object(), N, i);
}

static void caught(void *arg)
{
    void (*const *what)(void) = arg;

    act = *what;
    work_until_caught();
}

static void nothing(void) {}

/* Once: when it goes on, it lets others in. */
static void stop(void)
{
    act = nothing;
    raise(SIGSTOP);
}

/* A child that is stopped inside. */

static pid_t start_stopped(void)
{
    static void (*const what)(void) = stop;
    pid_t child = start(caught, (void *)(uintptr_t)&what);
    int status;

    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    CHECK(owner() == (uint32_t)child);
    return child;
}

static void exchange_it(void *arg)
{
    (void)arg;
    exchange_stamp(object(), N, 1);
}

/* Until a thread sleeps on the lock, and then for longer than a bounded wait. */
static void see_it_wait(pid_t waiter)
{
    while ((__atomic_load_n(&stripe->lock, __ATOMIC_RELAXED) & FW_ROBUST_WAITERS) == 0)
        usleep(1000);
    usleep(150000);
    CHECK(waitpid(waiter, NULL, WNOHANG) == 0);
}

static void a_stopped_one_is_waited_for(void)
{
    pid_t stopped = start_stopped();
    pid_t waiter = start(exchange_it, NULL);
    uint64_t number;

    see_it_wait(waiter);
    CHECK(owner() == (uint32_t)stopped);
    kill(stopped, SIGCONT);
    finish(waiter);
    kill_and_wait(stopped);

    stopped = start_stopped();
    waiter = start(exchange_it, NULL);
    see_it_wait(waiter);
    kill_and_wait(stopped);
    finish(waiter);
    number = load_stamp(object(), N);
    CHECK(exchange_stamp(object(), N, 2) == number);
}

/* The thread that was inside ends; its process goes on, and so does the object. */
static void end_thread(void)
{
    syscall(SYS_exit, 0);
}

static void *thread_caught(void *arg)
{
    caught(arg);
    return NULL;
}

static void lose_a_thread(void *arg)
{
    static void (*const what)(void) = end_thread;
    sigset_t alarms;
    pthread_t thread;

    (void)arg;
    CHECK(pthread_create(&thread, NULL, thread_caught, (void *)(uintptr_t)&what) == 0);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    pthread_join(thread, NULL);
    for (uint64_t i = 0; i < 1000; i++)
        exchange_stamp(object(), N, i);
}

static void become_another(void)
{
    execl("/bin/true", "true", (char *)NULL);
    _exit(EXIT_FAILURE);
}

static void fork_and_leave(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(EXIT_SUCCESS);
    CHECK(child > 0 && owner() == (uint32_t)syscall(SYS_gettid));
    finish(child);
    CHECK(owner() == (uint32_t)syscall(SYS_gettid)); /* the child's death was not ours */
    act = become_another;
}

static void die_of_it(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

/* Runs a child that is caught inside and does so, while others use the object. */
static void others_go_on(void (*what)(void), int signal_number)
{
    pid_t child = start(caught, (void *)(uintptr_t)&what);
    int status;

    while (waitpid(child, &status, WNOHANG) == 0) {
        uint64_t seen = load_stamp(object(), N);
        change_stamp(object(), N, &seen, seen);
        usleep(50);
    }
    if (signal_number == 0 ? !WIFEXITED(status) || WEXITSTATUS(status) != 0
                           : !WIFSIGNALED(status) || WTERMSIG(status) != signal_number)
        fail("a process ended otherwise: %x", (unsigned)status);
    for (uint64_t i = 0; i < 100; i++)
        exchange_stamp(object(), N, i);
}

static void relock(void)
{
    exchange_stamp(object(), N, 3);
}

static void relocks(void *arg)
{
    (void)arg;
    act = relock;
    work_until_caught();
}

static void a_handler_that_would_wait_for_itself_is_stopped(void)
{
    struct death d;

    CHECK(death_run(relocks, NULL, 60000, &d) == 0);
    if (d.signal != SIGABRT || strstr(d.text, "signal handler") == NULL)
        fail("a handler used the object: %s", d.text);
    exchange_stamp(object(), N, 4);
}

/* The kinds of fork that the C library does not announce: the child is another thread. */
static void killed_after(pid_t (*make)(void))
{
    pid_t child = make();
    int status;

    CHECK(child >= 0);
    if (child == 0) {
        act = stop;
        work_until_caught();
    }
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    CHECK(owner() == (uint32_t)child);
    kill_and_wait(child);
    exchange_stamp(object(), N, 5);
}

static pid_t fork_plainly(void)
{
    return fork();
}

static pid_t fork_by_system_call(void)
{
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

/* An emulator has no robust lists, and does not wipe what it was told to in a forked child. */
static bool is_emulated(void)
{
    void *head;
    size_t size;

    return syscall(SYS_get_robust_list, 0, &head, &size) != 0;
}

int main(void)
{
    limit(100, "hazards");
    mapping = mapping_new(N, N);
    stripe =
        fw_table_stripe_(mapping.base, fw_table_stripe_size_(N), fw_table_index_(mapping.space));
    store_stamp(object(), N, 1);
    a_stopped_one_is_waited_for();
    if (!is_constrained) /* a sanitizer cannot follow such an end */
        finish(start(lose_a_thread, NULL));
    others_go_on(become_another, 0);
    others_go_on(fork_and_leave, 0);
    others_go_on(die_of_it, SIGSEGV);
    a_handler_that_would_wait_for_itself_is_stopped();
    killed_after(fork_plainly);
    if (!is_emulated())
        killed_after(fork_by_system_call);
    puts("the others have gone on, every time");
    return EXIT_SUCCESS;
}
