/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "test/support/asleep.h"
#include "words.h"

/*
 * A writer that is stopped inside an operation: what it stores lies in a page that it may not read,
 * and the handler of that fault does not return.  While it is there, a thousand threads ask for the
 * object.  They must all go to sleep and stay asleep, whatever signals and cancellations they get;
 * and all get on afterwards.
 */

enum { SIZE = 256, MOST = 1000, TURNS = 30, STUCK_S = 60, LOOK_US = 20000 };

static _Alignas(64) unsigned char object[SIZE];
static unsigned char *source; /* a page */
static size_t page;
static uint32_t is_stopped, may_go;

struct asker {
    pthread_t thread;
    pid_t tid;
    uint32_t index, done;
    bool is_cancelled, was_asleep;
    unsigned long switches;
};
static struct asker askers[MOST];

/* --- The writer ------------------------------------------------------------------------------ */

static void faulted(int signal)
{
    (void)signal;
    __atomic_store_n(&is_stopped, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&may_go, __ATOMIC_ACQUIRE) == 0)
        fw_futex_wait(&may_go, 0, FW_FUTEX_PRIVATE, NULL);
    mprotect(source, page, PROT_READ | PROT_WRITE);
}

static void *write_it(void *arg)
{
    subject->store(SIZE, object, source, __ATOMIC_SEQ_CST);
    return arg;
}

static pthread_t stop_a_writer(void)
{
    struct sigaction action = {.sa_handler = faulted};
    pthread_t writer;

    sigaction(SIGSEGV, &action, NULL);
    page = (size_t)sysconf(_SC_PAGESIZE);
    source = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (source == MAP_FAILED)
        stress_fail("no memory", NULL);
    memcpy(source, tag(77), SIZE);
    mprotect(source, page, PROT_NONE);
    if (pthread_create(&writer, NULL, write_it, NULL) != 0)
        stress_fail("no thread can be started", NULL);
    while (__atomic_load_n(&is_stopped, __ATOMIC_ACQUIRE) == 0)
        sleep_us(100);
    return writer;
}

static void let_it_go(void)
{
    __atomic_store_n(&may_go, 1, __ATOMIC_RELEASE);
    fw_futex_wake(&may_go, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
}

/* --- Who is asleep? -------------------------------------------------------------------------- */

/*
 * Is it asleep now, and as it was when this was asked last?  Then it has not been up meanwhile.  It
 * may be up now and then; not all have to be asleep at one moment.
 */
static bool sleeps_on(struct asker *a)
{
    pid_t tid = __atomic_load_n(&a->tid, __ATOMIC_ACQUIRE);
    unsigned long switches;
    bool as_before;

    if (tid == 0)
        return false;
    switches = thread_sleeps(getpid(), tid);
    as_before = switches == a->switches;
    a->switches = switches;
    return as_before && thread_state(getpid(), tid) == 'S';
}

static void wait_until_asleep(unsigned n)
{
    unsigned asleep = 0;

    for (unsigned i = 0; i < n; i++)
        askers[i].was_asleep = false;
    while (asleep < n) {
        sleep_us(LOOK_US);
        asleep = 0;
        for (unsigned i = 0; i < n; i++)
            asleep += askers[i].was_asleep |= sleeps_on(&askers[i]);
    }
}

/* --- A thousand ------------------------------------------------------------------------------ */

static void *ask(void *arg)
{
    struct asker *a = arg;

    __atomic_store_n(&a->tid, gettid(), __ATOMIC_RELEASE);
    for (unsigned i = 0; i < TURNS; i++) {
        unsigned char seen[SIZE];

        memcpy(seen, tag(5), SIZE);
        subject_do((enum call)((a->index + i) % N_CALLS), SIZE, object, seen, tag(a->index + i),
                   __ATOMIC_SEQ_CST);
        if (tag_of(seen, SIZE) < 0)
            subject_caught("torn");
        __atomic_store_n(&a->done, i + 1, __ATOMIC_RELEASE);
        pthread_testcancel();
    }
    return NULL;
}

static unsigned start_askers(void)
{
    unsigned n = 0, wanted = stress.threads < MOST ? stress.threads : MOST;
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    for (; n < wanted; n++) {
        askers[n].index = n;
        if (pthread_create(&askers[n].thread, &small, ask, &askers[n]) != 0)
            break;
    }
    pthread_attr_destroy(&small);
    return n;
}

static void handler(int signal)
{
    (void)signal;
}

/* Signals with and without restart, and cancellation: an operation is no cancellation point. */
static void disturb(unsigned n)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = 0;
    sigaction(SIGUSR2, &action, NULL);
    for (unsigned i = 0; i < n; i++) {
        pthread_kill(askers[i].thread, i % 2 != 0 ? SIGUSR1 : SIGUSR2);
        askers[i].is_cancelled = i % 8 == 0;
        if (askers[i].is_cancelled)
            pthread_cancel(askers[i].thread);
    }
}

static void join_askers(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        void *result;

        pthread_join(askers[i].thread, &result);
        if (askers[i].is_cancelled != (result == PTHREAD_CANCELED))
            subject_caught("a thread was cancelled in an operation, or not after it");
        if (askers[i].done != (askers[i].is_cancelled ? 1 : TURNS))
            subject_caught("an operation was left half done");
    }
}

static void stuck(int signal)
{
    (void)signal;
    stress_fail("threads are stuck, or do not sleep while another is stopped", NULL);
}

int main(int argc, char **argv)
{
    pthread_t writer;
    unsigned n;

    stress.about = "A writer that is stopped inside an operation";
    stress.threads = MOST;
    subject_begin(argc, argv, NULL);
    signal(SIGALRM, stuck);
    alarm(STUCK_S);
    memcpy(object, tag(0), SIZE);
    writer = stop_a_writer();
    n = start_askers();
    wait_until_asleep(n);
    disturb(n);
    wait_until_asleep(n);
    for (unsigned i = 0; i < n; i++)
        if (__atomic_load_n(&askers[i].done, __ATOMIC_ACQUIRE) != 0)
            subject_caught("an operation ended while the object was being written");
    let_it_go();
    join_askers(n);
    pthread_join(writer, NULL);
    printf("%u threads slept\n", n);
    return 0;
}
