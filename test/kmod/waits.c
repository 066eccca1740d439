/* SPDX-License-Identifier: MIT */
/* WAIT, WAKE, REQUEUE, CMP_REQUEUE: order, deadlines, signals. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "tap.h"
#include "test/support/asleep.h"

enum { MANY = 40 }; /* more than are woken or moved in one go */

static uint32_t word, target;

CASE(wait_compares)
{
    word = 7;
    CHECK_IS(wait_for(FW_KERNEL_WAIT, &word, 8, 0), -EAGAIN);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, FW_KERNEL_ALL, 0), 0);
}

CASE(wake_is_first_come_first_served)
{
    static struct waiter w[3];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    waiters_start(w, 3, FW_KERNEL_WAIT, &wait);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, FW_KERNEL_ALL, 0), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, 0, 0), 0);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(wake(FW_KERNEL_WAKE, &word, 1, 0), 1);
        CHECK_IS(waiter_join(&w[i]), 0);
        CHECK_IS(w[i].order, i + 1);
    }
}

CASE(wake_serves_priorities)
{
    static struct waiter w[4];
    static const uint32_t lower[] = {20, 0, 20, 10}, wanted[] = {3, 1, 4, 2};
    struct fw_kernel_wait wait = waits(&word, 0, FW_KERNEL_PRIVATE);

    for (unsigned i = 0; i < 4; i++) {
        wait.lower = lower[i];
        waiters_start(&w[i], 1, FW_KERNEL_WAIT, &wait);
    }
    for (unsigned i = 0; i < 4; i++) {
        CHECK_IS(wake(FW_KERNEL_WAKE, &word, 1, FW_KERNEL_PRIVATE), 1);
        for (unsigned j = 0; j < 4; j++)
            if (wanted[j] == i + 1)
                CHECK_IS(waiter_join(&w[j]), 0);
    }
    for (unsigned i = 0; i < 4; i++)
        CHECK_IS(w[i].order, wanted[i]);
}

static void *wait_urgently(void *argument)
{
    struct sched_param parameters = {.sched_priority = 5};
    struct waiter *w = argument;

    if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
        w->result = -EPERM;
    else {
        __atomic_store_n(&w->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
        w->result = call(device, w->number, &w->wait);
    }
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    return NULL;
}

CASE(wake_serves_real_time_threads_first)
{
    static struct waiter ordinary[2], urgent;
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    waiters_start(ordinary, 2, FW_KERNEL_WAIT, &wait);
    urgent.number = FW_KERNEL_WAIT;
    urgent.wait = wait;
    CHECK(pthread_create(&urgent.thread, NULL, wait_urgently, &urgent) == 0);
    AWAIT(waiter_is_done(&urgent) ||
          (__atomic_load_n(&urgent.tid, __ATOMIC_ACQUIRE) != 0 && is_asleep(urgent.tid)));
    if (waiter_is_done(&urgent))
        SKIP("not permitted to use SCHED_FIFO");
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, 1, 0), 1);
    CHECK_IS(waiter_join(&urgent), 0);
    CHECK(!waiter_is_done(&ordinary[0]) && !waiter_is_done(&ordinary[1]));
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, FW_KERNEL_ALL, 0), 2);
}

CASE(wake_all_of_many)
{
    static struct waiter w[MANY];
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    waiters_start(w, MANY, FW_KERNEL_WAIT, &wait);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, MANY - 1, 0), MANY - 1);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, FW_KERNEL_ALL, 0), 1);
    for (unsigned i = 0; i < MANY; i++)
        CHECK_IS(waiter_join(&w[i]), 0);
}

static long requeue(unsigned long number, uint32_t n_wake, uint32_t n_move, uint32_t expected)
{
    struct fw_kernel_requeue r = {.size = sizeof r,
                                  .word = (uintptr_t)&word,
                                  .target = (uintptr_t)&target,
                                  .expected = expected,
                                  .wake = n_wake,
                                  .requeue = n_move};

    return call(device, number, &r);
}

CASE(requeue_moves_in_order)
{
    static struct waiter w[4], there;
    struct fw_kernel_wait wait = waits(&word, 0, 0), at_target = waits(&target, 0, 0);

    waiters_start(&there, 1, FW_KERNEL_WAIT, &at_target);
    waiters_start(w, 4, FW_KERNEL_WAIT, &wait);
    CHECK_IS(requeue(FW_KERNEL_CMP_REQUEUE, 1, 2, 5), -EAGAIN);
    CHECK_IS(requeue(FW_KERNEL_REQUEUE, 1, 2, 5), -EINVAL);
    CHECK_IS(requeue(FW_KERNEL_CMP_REQUEUE, 1, 2, 0), 3);
    CHECK_IS(waiter_join(&w[0]), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, 1, 0), 1);
    CHECK_IS(waiter_join(&there), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, 1, 0), 1);
    CHECK_IS(waiter_join(&w[1]), 0);
    CHECK_IS(requeue(FW_KERNEL_REQUEUE, 0, FW_KERNEL_ALL, 0), 1);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, FW_KERNEL_ALL, 0), 2);
    CHECK_IS(waiter_join(&w[2]), 0);
    CHECK_IS(waiter_join(&w[3]), 0);
}

CASE(requeue_many_that_time_out_and_back)
{
    static struct waiter w[MANY];
    struct fw_kernel_requeue same = {
        .size = sizeof same, .word = (uintptr_t)&word, .target = (uintptr_t)&word, .requeue = 1};
    struct fw_kernel_wait wait = waits(&word, 0, 0);

    CHECK_IS(call(device, FW_KERNEL_REQUEUE, &same), -EINVAL);
    waiters_start(w, MANY, FW_KERNEL_WAIT, &wait);
    CHECK_IS(requeue(FW_KERNEL_REQUEUE, 0, FW_KERNEL_ALL, 0), MANY);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, FW_KERNEL_ALL, 0), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, FW_KERNEL_ALL, 0), MANY);
    for (unsigned i = 0; i < MANY; i++)
        CHECK_IS(waiter_join(&w[i]), 0);
    wait.deadline = now_ns(CLOCK_MONOTONIC) + 200 * MS;
    for (unsigned i = 0; i < MANY; i++) {
        w[i].wait = wait;
        w[i].done = false;
    }
    waiters_start(w, MANY, FW_KERNEL_WAIT, &wait);
    requeue(FW_KERNEL_REQUEUE, 0, MANY / 2, 0);
    for (unsigned i = 0; i < MANY; i++)
        CHECK_IS(waiter_join(&w[i]), -ETIMEDOUT);
    CHECK_IS(wake(FW_KERNEL_WAKE, &target, FW_KERNEL_ALL, 0), 0);
    CHECK_IS(wake(FW_KERNEL_WAKE, &word, FW_KERNEL_ALL, 0), 0);
}

CASE(deadlines_are_absolute)
{
    static const struct {
        uint32_t flag;
        int clock;
    } clocks[] = {{0, CLOCK_MONOTONIC}, {FW_KERNEL_REALTIME, CLOCK_REALTIME}};

    for (unsigned i = 0; i < 2; i++) {
        struct fw_kernel_wait wait = waits(&word, 0, clocks[i].flag);

        wait.deadline = now_ns(clocks[i].clock) + 30 * MS;
        CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -ETIMEDOUT);
        CHECK(now_ns(clocks[i].clock) >= wait.deadline);
        CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -ETIMEDOUT);
        wait.deadline = -1;
        CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -ETIMEDOUT);
        wait.deadline = INT64_MIN;
        CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -ETIMEDOUT);
    }
}

static volatile unsigned handled;

static void handler(int signal)
{
    (void)signal;
    handled++;
}

static void handle(int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(SIGUSR1, &action, NULL);
}

CASE(signal_interrupts)
{
    static const unsigned long numbers[] = {FW_KERNEL_WAIT, FW_KERNEL_DOWN, FW_KERNEL_SEM_DOWN};

    handle(0);
    for (unsigned i = 0; i < 3; i++) {
        struct waiter w = {.number = numbers[i], .wait = waits(&word, 0, 0)};

        word = 0;
        waiter_start(&w);
        pthread_kill(w.thread, SIGUSR1);
        CHECK_IS(waiter_join(&w), -EINTR);
    }
    CHECK_IS(handled, 3);
}

CASE(signal_restarts_with_the_same_deadline)
{
    struct waiter w = {.number = FW_KERNEL_WAIT, .wait = waits(&word, 0, 0)};

    handle(SA_RESTART);
    w.wait.deadline = now_ns(CLOCK_MONOTONIC) + 300 * MS;
    waiter_start(&w);
    for (unsigned i = 0; i < 5; i++) {
        unsigned before = handled;

        pthread_kill(w.thread, SIGUSR1);
        AWAIT(handled != before || waiter_is_done(&w));
    }
    CHECK_IS(waiter_join(&w), -ETIMEDOUT);
    CHECK(now_ns(CLOCK_MONOTONIC) >= w.wait.deadline);
    CHECK(handled > 0);
    w.wait.deadline = FW_KERNEL_NEVER; /* and a wake after a restart arrives */
    waiter_start(&w);
    pthread_kill(w.thread, SIGUSR1);
    AWAIT(handled > 5 || is_asleep(w.tid));
    AWAIT(wake(FW_KERNEL_WAKE, &word, 1, 0) == 1);
    CHECK_IS(waiter_join(&w), 0);
}

static void wait_as_child(void *at)
{
    CHECK_IS(wait_for(FW_KERNEL_WAIT, at, 0, 0), 0);
}

/* No restart block may be left behind: it would lead into the module after it has gone. */
CASE(stopped_waiters_go_on)
{
    uint32_t *shared = shared_word();
    pid_t child = child_start(wait_as_child, shared);

    AWAIT(thread_state(child, child) == 'S');
    for (unsigned i = 0; i < 3; i++) {
        kill(child, SIGSTOP);
        AWAIT(thread_state(child, child) == 'T');
        kill(child, SIGCONT);
        AWAIT(thread_state(child, child) == 'S');
    }
    AWAIT(wake(FW_KERNEL_WAKE, shared, 1, 0) == 1);
    CHECK_IS(child_join(child), 0);
}

static void stop_and_restart(void *at)
{
    struct fw_kernel_wait wait = waits(at, 0, 0);

    wait.deadline = now_ns(CLOCK_MONOTONIC) + 400 * MS;
    CHECK_IS(call(device, FW_KERNEL_WAIT, &wait), -ETIMEDOUT);
    CHECK(syscall(SYS_restart_syscall) == -1 && errno == EINTR);
}

CASE(no_restart_function_stays)
{
    uint32_t *shared = shared_word();
    pid_t child = child_start(stop_and_restart, shared);

    AWAIT(thread_state(child, child) != 'R');
    kill(child, SIGSTOP);
    AWAIT(thread_state(child, child) == 'T' || thread_state(child, child) == 'Z');
    kill(child, SIGCONT);
    CHECK_IS(child_join(child), 0);
}

CASE(killed_waiter_leaves_nothing)
{
    uint32_t *shared = shared_word();
    pid_t child = child_start(wait_as_child, shared);

    AWAIT(thread_state(child, child) == 'S');
    kill(child, SIGKILL);
    CHECK_IS(child_join(child), 128 + SIGKILL);
    CHECK_IS(wake(FW_KERNEL_WAKE, shared, FW_KERNEL_ALL, 0), 0);
}
