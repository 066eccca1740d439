/* SPDX-License-Identifier: MIT */
/* AWAIT: waits of a descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"

enum { MANY = 40 };

static uint32_t word[MANY];

static int await_open(uint32_t flags)
{
    struct fw_kernel_await a = {.size = sizeof a, .flags = flags};

    return (int)call(device, FW_KERNEL_AWAIT_OPEN, &a);
}

static long await_add(int fd, const uint32_t *at, uint32_t expected, uint64_t cookie)
{
    struct fw_kernel_await_add a = {
        .size = sizeof a, .word = (uintptr_t)at, .expected = expected, .cookie = cookie};

    return call(fd, FW_KERNEL_AWAIT_ADD, &a);
}

static long await_remove(int fd, long id)
{
    struct fw_kernel_await_remove r = {.size = sizeof r, .id = (uint32_t)id};

    return call(fd, FW_KERNEL_AWAIT_REMOVE, &r);
}

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

CASE(await_many_on_one_descriptor)
{
    int fd = await_open(FW_KERNEL_NONBLOCK), set = epoll_create1(0);
    struct epoll_event interest = {.events = EPOLLIN}, ready;
    struct fw_kernel_event event[MANY + 1];

    CHECK(fd >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &interest) == 0);
    for (unsigned i = 0; i < MANY; i++)
        CHECK(await_add(fd, &word[i], 0, 100 + i) >= 0);
    CHECK_IS(await_add(fd, &word[0], 1, 0), -EAGAIN);
    CHECK_IS(read(fd, event, sizeof event), -1);
    CHECK_IS(errno, EAGAIN);
    CHECK_IS(epoll_wait(set, &ready, 1, 0), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word[3], 1, 0), 1);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word[2], FW_KERNEL_ALL, 0), 1);
    CHECK_IS(epoll_wait(set, &ready, 1, 1000), 1);
    CHECK_IS(read(fd, event, sizeof event[0] - 1), -1);
    CHECK_IS(errno, EINVAL);
    CHECK_IS(read(fd, event, sizeof event[0]), sizeof event[0]);
    CHECK_IS(event[0].cookie, 103);
    CHECK_IS(read(fd, event, sizeof event), sizeof event[0]);
    CHECK_IS(event[0].cookie, 102);
    CHECK(!is_readable(fd));
    for (unsigned i = 0; i < MANY; i++)
        wake(FW_KERNEL_WAKE, &word[i], 1, 0);
    CHECK_IS(read(fd, event, sizeof event), (MANY - 2) * sizeof event[0]);
}

CASE(await_is_removed_exactly)
{
    int fd = await_open(0);
    long a = await_add(fd, word, 0, 1), b = await_add(fd, word, 0, 2);

    CHECK_IS(await_remove(fd, a), 0);
    CHECK_IS(await_remove(fd, a), -ENOENT);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, FW_KERNEL_ALL, 0), 1);
    CHECK(is_readable(fd));
    CHECK_IS(await_remove(fd, b), 1);
    CHECK(!is_readable(fd));
    CHECK_IS(call(fd, FW_KERNEL_WAIT, NULL), -ENOTTY);
    CHECK_IS(call(device, FW_KERNEL_AWAIT_ADD, NULL), -ENOTTY);
    CHECK_IS(await_open(1), -EINVAL);
}

/* What cannot be delivered stays. */
CASE(await_read_into_no_memory)
{
    void *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct fw_kernel_event event;
    int fd = await_open(0);

    CHECK(await_add(fd, word, 0, 7) >= 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    CHECK(syscall(SYS_read, fd, none, sizeof event) == -1 && errno == EFAULT);
    CHECK_IS(read(fd, &event, sizeof event), sizeof event);
    CHECK_IS(event.cookie, 7);
}

CASE(await_and_wait_in_one_queue)
{
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(word, 0, 0)};
    struct fw_kernel_event event;
    int fd = await_open(0);

    CHECK(await_add(fd, word, 0, 5) >= 0);
    waiter_start(&w);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    CHECK_IS(read(fd, &event, sizeof event), sizeof event);
    CHECK_IS(event.cookie, 5);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    CHECK_IS(waiter_join(&w), 0);
}

/* A wake that nobody was told of is another's. */
CASE(await_closed_passes_its_wakes_on)
{
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(word, 0, 0)};
    int fd = await_open(0);

    CHECK(await_add(fd, word, 0, 5) >= 0);
    CHECK(await_add(fd, word, 0, 6) >= 0);
    waiter_start(&w);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    close(fd);
    CHECK_IS(waiter_join(&w), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, FW_KERNEL_ALL, 0), 0);
}

CASE(await_is_requeued)
{
    struct fw_kernel_requeue r = {
        .size = sizeof r, .word = (uintptr_t)&word[0], .target = (uintptr_t)&word[1], .requeue = 1};
    int fd = await_open(0);

    CHECK(await_add(fd, &word[0], 0, 5) >= 0);
    CHECK_IS(call(device, FW_KERNEL_REQUEUE, &r), 1);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word[0], 1, 0), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word[1], 1, 0), 1);
    CHECK(is_readable(fd));
}

static volatile int signalled_by;

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    signalled_by = info->si_fd;
}

/* FUTEX_FD, and the word is compared when the signal is on its way already. */
CASE(await_sends_a_signal)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int fd = await_open(FW_KERNEL_NONBLOCK);

    sigaction(SIGRTMIN + 1, &action, NULL);
    CHECK(fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, SIGRTMIN + 1) == 0);
    CHECK(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
    CHECK(await_add(fd, word, 0, 0) >= 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    AWAIT(signalled_by == fd);
}

static void *read_one(void *argument)
{
    static struct fw_kernel_event event;

    return read(*(int *)argument, &event, sizeof event) == sizeof event ? &event : NULL;
}

CASE(await_read_sleeps)
{
    int fd = await_open(0);
    pthread_t thread;
    void *read_it;

    CHECK(await_add(fd, word, 0, 9) >= 0);
    CHECK(pthread_create(&thread, NULL, read_one, &fd) == 0);
    usleep(20000);
    CHECK_IS(wake(FW_KERNEL_WAKE, word, 1, 0), 1);
    pthread_join(thread, &read_it);
    CHECK(read_it != NULL && ((struct fw_kernel_event *)read_it)->cookie == 9);
}

CASE(await_is_limited)
{
    struct fw_kernel_version version = {.size = sizeof version};
    int fd = await_open(0);
    long last = 0;
    uint32_t n = 0;

    CHECK_IS(call(device, FW_KERNEL_VERSION, &version), 0);
    if (version.max_objects > 100000)
        SKIP("the limit is too high to be reached");
    while (n <= version.max_objects && (last = await_add(fd, word, 0, n)) >= 0)
        n++;
    CHECK_IS(last, -ENOSPC);
    CHECK_IS(n, version.max_objects);
    close(fd);
    fd = await_open(0);
    CHECK(await_add(fd, word, 0, 0) >= 0); /* all were given back */
}
