/* SPDX-License-Identifier: MIT */
/* Life times: descriptors, the module, users, processes that are killed at any moment. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"
#include "test/support/asleep.h"

enum { KILLS = 60, CHILDREN = 4, RELOADS = 100 };

CASE(unload_is_refused_in_use)
{
    if (module_file == NULL)
        SKIP("the module was loaded before");
    CHECK_IS(module_unload(), -EAGAIN); /* EWOULDBLOCK: a descriptor is open */
}

static uint32_t word;

CASE(units_are_forgotten_with_the_last_descriptor)
{
    struct fw_kernel_wait wait = waits(&word, 0, 0);
    struct fw_kernel_wake up = {.size = sizeof up, .word = (uintptr_t)&word, .count = 1};
    int other;

    if (setuid(1234) != 0)
        SKIP("not permitted to become another user");
    other = open(FW_KERNEL_DEVICE, O_RDWR);
    if (other < 0)
        SKIP("the device is not for other users");
    wait.deadline = 0;
    CHECK_IS(call(other, FW_KERNEL_SEM_UP, &up), 0);
    close(other);
    CHECK_IS(call(device, FW_KERNEL_SEM_DOWN, &wait), -ETIMEDOUT);
}

/* Whatever it does at that moment, it is gone, and so is what it had. */
static void be_busy(void *at)
{
    uint32_t *words = at;
    struct fw_kernel_await open_await = {.size = sizeof open_await};
    int fd = (int)call(device, FW_KERNEL_AWAIT_OPEN, &open_await);

    srand((unsigned)getpid());
    for (;;) {
        uint32_t *a = &words[rand() % 4], *b = &words[4 + rand() % 4];
        struct fw_kernel_wait wait = waits(a, 0, rand() % 2 == 0 ? 0 : FW_KERNEL_ADAPTIVE);
        struct fw_kernel_requeue requeue = {.size = sizeof requeue,
                                            .word = (uintptr_t)a,
                                            .target = (uintptr_t)b,
                                            .wake = 1,
                                            .requeue = 3};
        struct fw_kernel_await_add add = {.size = sizeof add, .word = (uintptr_t)a};
        struct fw_kernel_wake up = {.size = sizeof up, .word = (uintptr_t)b, .count = 1};

        wait.deadline = now_ns(CLOCK_MONOTONIC) + rand() % 3 * MS;
        switch (rand() % 10) {
        case 0:
            call(device, FW_KERNEL_LOCK, &wait);
            wake(FW_KERNEL_UNLOCK, a, 1, rand() % 2 == 0 ? FW_KERNEL_FAIR : 0);
            break;
        case 1:
            wait.flags = 0;
            wait.word = (uintptr_t)b;
            call(device, FW_KERNEL_DOWN, &wait);
            break;
        case 2:
            wake(FW_KERNEL_UP, b, 1, rand() % 2 == 0 ? FW_KERNEL_FAIR : FW_KERNEL_RANDOM);
            break;
        case 3:
            call(device, FW_KERNEL_REQUEUE, &requeue);
            break;
        case 4:
            call(fd, FW_KERNEL_AWAIT_ADD, &add);
            break;
        case 5:
            call(device, FW_KERNEL_SEM_UP, &up);
            break;
        case 6:
            wait.flags = 0;
            wait.word = (uintptr_t)b;
            call(device, FW_KERNEL_SEM_DOWN, &wait);
            break;
        case 7:
            madvise(words, 4096, MADV_DONTNEED);
            break;
        case 8:
            wake(FW_KERNEL_WAKE, b, 2, 0);
            break;
        default:
            wait.flags = 0;
            call(device, FW_KERNEL_WAIT, &wait);
        }
    }
}

CASE(kill_storm)
{
    uint32_t *words = shared_word();
    pid_t child[CHILDREN];

    for (unsigned i = 0; i < CHILDREN; i++)
        child[i] = child_start(be_busy, words);
    for (unsigned i = 0; i < KILLS; i++) {
        usleep((useconds_t)(rand() % 20000));
        kill(child[i % CHILDREN], SIGKILL);
        CHECK_IS(child_join(child[i % CHILDREN]), 128 + SIGKILL);
        child[i % CHILDREN] = child_start(be_busy, words);
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        kill(child[i], SIGKILL);
        child_join(child[i]);
    }
    for (unsigned i = 0; i < 8; i++)
        CHECK_IS(wake(FW_KERNEL_WAKE, &words[i], FW_KERNEL_ALL, 0), 0);
}

static void exec_waiter(void *at)
{
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(at, 0, 0)};

    waiter_start(&w);
    execl("/bin/true", "true", (char *)NULL);
    CHECK(!"exec");
}

CASE(exec_ends_the_waiters_of_a_process)
{
    uint32_t *shared = shared_word();

    CHECK_IS(child_join(child_start(exec_waiter, shared)), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, shared, FW_KERNEL_ALL, 0), 0);
}

static void open_and_close(void *argument)
{
    (void)argument;
    for (;;) {
        int fd = open(FW_KERNEL_DEVICE, O_RDWR);
        struct fw_kernel_wait wait = waits(&word, 0, 0);

        wait.deadline = now_ns(CLOCK_MONOTONIC) + MS;
        if (fd >= 0) {
            call(fd, FW_KERNEL_WAIT, &wait);
            close(fd);
        }
    }
}

/* Loaded and unloaded while another process uses it as it can. */
CASE(unload_storm)
{
    unsigned unloaded = 0;
    pid_t child;

    if (module_file == NULL)
        SKIP("the module was loaded before");
    close(device);
    child = child_start(open_and_close, NULL);
    for (unsigned i = 0; i < RELOADS; i++) {
        int error = module_unload();

        CHECK(error == 0 || error == -EAGAIN);
        unloaded += error == 0;
        if (error == 0)
            CHECK_IS(module_load("mode=0666"), 0);
        usleep(1000);
    }
    CHECK(unloaded > 0);
    printf("# unloaded %u of %u times\n", unloaded, RELOADS);
    kill(child, SIGKILL);
    child_join(child);
}
