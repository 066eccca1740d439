/* SPDX-License-Identifier: MIT */
/*
 * What the module's calls cost, beside those of Linux's futex: in a machine whose clock counts
 * instructions (tools/kmod cost), else in nanoseconds.
 *
 *     kmod_cost MODULE.ko
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/futex.h>

#include "device.h"
#include "sys/futex_pi.h"

enum { TIMES = 2000, PASSES = 1000, PARTS = 5 };

static uint32_t *words; /* in memory that processes may share */

/* ---- One thread: nobody waits ---- */

static uint32_t flags; /* FW_KERNEL_PRIVATE or 0 */

static unsigned futex_flags(void)
{
    return flags != 0 ? FW_FUTEX_PRIVATE : FW_FUTEX_SHARED;
}

static void nothing(void)
{
    syscall(SYS_getppid);
}

static void linux_wake(void)
{
    fw_futex_wake(words, 1, futex_flags());
}

static void linux_wait_not(void)
{
    fw_futex_wait(words, 1, futex_flags(), NULL);
}

static void linux_requeue(void)
{
    fw_futex_cmp_requeue(words, 0, 1, words + 1, 1, futex_flags());
}

static void linux_lock_unlock(void)
{
    fw_futex_lock_pi_(words, futex_flags(), NULL);
    fw_futex_unlock_pi_(words, futex_flags());
}

static void module_wake(void)
{
    wake(FW_KERNEL_WAKE, words, 1, flags);
}

static void module_wait_not(void)
{
    wait_for(FW_KERNEL_WAIT, words, 1, flags);
}

static void module_requeue(void)
{
    struct fw_kernel_requeue r = {.size = sizeof r,
                                  .flags = flags,
                                  .word = (uintptr_t)words,
                                  .target = (uintptr_t)(words + 1),
                                  .wake = 1,
                                  .requeue = 1};

    call(device, FW_KERNEL_CMP_REQUEUE, &r);
}

static void module_down_up(void)
{
    *words = 1;
    wait_for(FW_KERNEL_DOWN, words, 0, flags);
    *words = UINT32_MAX;
    wake(FW_KERNEL_UP, words, 1, flags);
}

static void module_sem_up_down(void)
{
    wake(FW_KERNEL_SEM_UP, words, 1, flags);
    wait_for(FW_KERNEL_SEM_DOWN, words, 0, flags);
}

static void module_lock_unlock(void)
{
    wait_for(FW_KERNEL_LOCK, words, 0, flags);
    wake(FW_KERNEL_UNLOCK, words, 1, flags);
}

static int await = -1;

static void module_await(void)
{
    struct fw_kernel_await open_ = {.size = sizeof open_};
    struct fw_kernel_await_add add = {.size = sizeof add, .flags = flags, .word = (uintptr_t)words};
    struct fw_kernel_await_remove remove_ = {.size = sizeof remove_};

    if (await < 0)
        await = (int)call(device, FW_KERNEL_AWAIT_OPEN, &open_);
    remove_.id = (uint32_t)call(await, FW_KERNEL_AWAIT_ADD, &add);
    call(await, FW_KERNEL_AWAIT_REMOVE, &remove_);
}

/* ---- Two threads on one CPU: a turn goes to and fro, and who does not have it sleeps ---- */

static uint32_t *turn; /* of two words, on a line of their own */

static void linux_give(unsigned self)
{
    __atomic_store_n(turn, !self, __ATOMIC_SEQ_CST);
    fw_futex_wake(turn, 1, futex_flags());
}

static void linux_take(unsigned self)
{
    while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != self)
        fw_futex_wait(turn, !self, futex_flags(), NULL);
}

static void module_give(unsigned self)
{
    __atomic_store_n(turn, !self, __ATOMIC_SEQ_CST);
    wake(FW_KERNEL_WAKE, turn, 1, flags);
}

static void module_take(unsigned self)
{
    while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != self)
        wait_for(FW_KERNEL_WAIT, turn, !self, flags);
}

/* A unit, or a semaphore, of each: the kernel alone says whose turn it is. */
static void module_give_unit(unsigned self)
{
    wake(FW_KERNEL_UP, turn + !self, 1, flags | FW_KERNEL_FAIR);
}

static void module_take_unit(unsigned self)
{
    wait_for(FW_KERNEL_DOWN, turn + self, 0, flags);
}

static void module_give_semaphore(unsigned self)
{
    wake(FW_KERNEL_SEM_UP, turn + !self, 1, flags);
}

static void module_take_semaphore(unsigned self)
{
    wait_for(FW_KERNEL_SEM_DOWN, turn + self, 0, flags);
}

/* ---- The table ---- */

struct row {
    const char *name;
    void (*once)(void); /* or, of two threads: */
    void (*give)(unsigned self);
    void (*take)(unsigned self);
};

static const struct row rows[] = {
    {.name = "a system call: getppid", .once = nothing},
    {.name = "FUTEX_WAKE, nobody waits", .once = linux_wake},
    {.name = "WAKE, nobody waits", .once = module_wake},
    {.name = "FUTEX_WAIT, the word is another", .once = linux_wait_not},
    {.name = "WAIT, the word is another", .once = module_wait_not},
    {.name = "FUTEX_CMP_REQUEUE, nobody waits", .once = linux_requeue},
    {.name = "CMP_REQUEUE, nobody waits", .once = module_requeue},
    {.name = "FUTEX_LOCK_PI and UNLOCK_PI", .once = linux_lock_unlock},
    {.name = "LOCK and UNLOCK", .once = module_lock_unlock},
    {.name = "DOWN and UP", .once = module_down_up},
    {.name = "SEM_UP and SEM_DOWN", .once = module_sem_up_down},
    {.name = "AWAIT_ADD and AWAIT_REMOVE", .once = module_await},
    {.name = "to and fro: FUTEX_WAIT, FUTEX_WAKE", .give = linux_give, .take = linux_take},
    {.name = "to and fro: WAIT, WAKE", .give = module_give, .take = module_take},
    {.name = "to and fro: DOWN, UP", .give = module_give_unit, .take = module_take_unit},
    {.name = "to and fro: SEM_DOWN, SEM_UP",
     .give = module_give_semaphore,
     .take = module_take_semaphore}};

static int64_t measure_alone(const struct row *row)
{
    int64_t began;

    words[0] = words[1] = 0;
    row->once();
    began = now_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < TIMES; i++)
        row->once();
    return (now_ns(CLOCK_MONOTONIC) - began) / TIMES;
}

static void *the_other(void *arg)
{
    const struct row *row = arg;

    for (unsigned i = 0; i < PASSES; i++) {
        row->take(1);
        row->give(1);
    }
    return NULL;
}

/* For each change of the turn: both calls, and the switch. */
static int64_t measure_passing(const struct row *row)
{
    pthread_t other;
    int64_t began;

    turn[0] = turn[1] = 0;
    if (pthread_create(&other, NULL, the_other, (void *)row) != 0)
        return -1;
    began = now_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < PASSES; i++) {
        row->give(0);
        row->take(0);
    }
    began = now_ns(CLOCK_MONOTONIC) - began;
    pthread_join(other, NULL);
    return began / (2 * PASSES);
}

static int64_t measure(const struct row *row)
{
    int64_t least = INT64_MAX;

    for (unsigned i = 0; i < PARTS; i++) {
        int64_t took = row->once != NULL ? measure_alone(row) : measure_passing(row);

        least = took < least ? took : least;
    }
    return least;
}

static int run_all(void)
{
    device = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    printf("# %-36s %8s %8s\n", "of one thread, or for each turn of two", "private", "shared");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t private_cost, shared_cost;

        flags = FW_KERNEL_PRIVATE;
        private_cost = measure(&rows[i]);
        flags = 0;
        shared_cost = measure(&rows[i]);
        printf("# %-36s %8lld %8lld\n", rows[i].name, (long long)private_cost,
               (long long)shared_cost);
        fflush(stdout);
    }
    close(await);
    close(device);
    return 0;
}

int main(int argc, char **argv)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (words == MAP_FAILED)
        return 1;
    turn = words + 64;
    return with_module(argc > 1 ? argv[1] : NULL, run_all);
}
