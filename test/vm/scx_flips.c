/* SPDX-License-Identifier: MIT */
/*
 * A task whose affinity is changed from outside all the time, to and fro, while it and another one
 * of its CPU take a lock as fast as they can: no two are in the section.  Between the change of the
 * affinity and the move the task runs for some moments on a CPU that is not its own.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "scx.h"

enum { FLIPS = 3000, HOME = 0 };

static struct {
    uint32_t inside, violations, entries[2], stop, there;
    pid_t moved;
} * notes;

static void section(unsigned n)
{
    if (__atomic_fetch_add(&notes->inside, 1, __ATOMIC_SEQ_CST) != 0)
        __atomic_fetch_add(&notes->violations, 1, __ATOMIC_SEQ_CST);
    for (volatile int i = 0; i < 100; i++)
        continue;
    __atomic_fetch_add(&notes->entries[n], 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&notes->inside, 1, __ATOMIC_SEQ_CST);
}

/* By itself where it may, else by asking without waiting. */
static bool take(struct scx_task *t, unsigned d)
{
    unsigned result;

    if (scx_take(t, d))
        return true;
    result = scx_ask(t, FW_RT_SCX_TRY, d);
    scx_check(result == 0 || result == EBUSY || result == EXDEV, "try: %s", strerror((int)result));
    return result == 0;
}

static void *lock_on(void *number)
{
    unsigned n = (unsigned)(uintptr_t)number, d;
    struct scx_task t;

    scx_join(&t, 3, "flips", HOME, 5 + n);
    scx_check(scx_open(&t, "A", FW_RT_KIND_PCP, 0, &d) == 0, "open");
    if (n == 0)
        notes->moved = gettid();
    __atomic_fetch_add(&notes->there, 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; !__atomic_load_n(&notes->stop, __ATOMIC_RELAXED); i++) {
        if (take(&t, d)) {
            section(n);
            __atomic_fetch_and(&t.page->locked, ~(1ull << d), __ATOMIC_SEQ_CST);
            if (t.page->unlock_call)
                scx_ask(&t, FW_RT_SCX_UNLOCK, d);
        }
        if (n == 1 && i % 64 == 0) /* the other one, at home, is to have its turn as well */
            nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    return NULL;
}

static int flip(void)
{
    cpu_set_t both;

    scx_become_urgent();
    CPU_ZERO(&both);
    CPU_SET(0, &both);
    CPU_SET(1, &both);
    sched_setaffinity(0, sizeof both, &both);
    for (unsigned i = 0; i < FLIPS; i++) {
        scx_pin(notes->moved, i % 2 ? HOME : 1);
        nanosleep(&(struct timespec){.tv_nsec = 100000 + i % 7 * 30000}, NULL);
    }
    scx_pin(notes->moved, HOME);
    return EXIT_SUCCESS;
}

int main(void)
{
    pthread_t threads[2];
    char text[300];
    pid_t child;

    scx_need_vm();
    alarm(100);
    notes = scx_shared_memory(sizeof *notes);
    scx_start();
    for (uintptr_t i = 0; i < 2; i++)
        threads[i] = scx_thread(lock_on, i);
    SCX_UNTIL(__atomic_load_n(&notes->there, __ATOMIC_SEQ_CST) == 2);
    child = fork();
    if (child == 0)
        _exit(flip());
    scx_finish(child);
    __atomic_store_n(&notes->stop, 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%u flips, %u and %u entries, %u violations\n", (unsigned)FLIPS, notes->entries[0],
           notes->entries[1], notes->violations);
    scx_check(notes->violations == 0, "two in a section");
    scx_check(scx_state()->state.alive == 1, "it has ended by itself");
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_DONE, "stop: %s", text);
    return EXIT_SUCCESS;
}
