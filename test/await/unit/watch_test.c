/* SPDX-License-Identifier: MIT */
/* What a loop has in the kernel for the locks of regions. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "await/region.h"
#include "await/region_word.h"
#include "core/recheck.h"
#include "region_fixture.h"
#include "sys/call_waitv.h"
#include "sys/descriptors.h"
#include "test/support/child.h"
#include "test/support/deadline.h"
#include "test/support/refuse_call.h"

enum { URING_SETUP = 425, SIZE = 65536 };

static struct asked a;

static struct fw_region_loop_ *regions(void)
{
    return (struct fw_region_loop_ *)loop->regions;
}

static void run_once(void)
{
    assert_int_equal(fw_loop_wait(loop, NULL), 0);
    fw_loop_run(loop, 0);
}

/* A wake is lost: the loop looks by itself. */
EACH(looks_by_itself)
{
    uint32_t *word = (uint32_t *)(uintptr_t)shared;

    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_word_(&a.op, word, 0, NULL), EINPROGRESS);
    fw_store32_relaxed(word, 1);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, 0);
}

/* What nobody waits for is taken out of the kernel, and forgotten. */
EACH(forgets)
{
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINPROGRESS);
    assert_non_null(regions()->watches);
    for (unsigned i = 0; i < 3; i++) /* until it watches lives as well */
        run_once();
    assert_true(fw_await_cancel(&a.op));
    while (regions()->watches != NULL || regions()->engine->armed != 0)
        run_once();
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* An adopted region cannot be closed while tasks have to do with it. */
EACH(keeps_the_region)
{
    void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *adopted;
    fw_ipc_mutex *lock;

    assert_int_equal(fw_region_adopt(memory, SIZE, FW_REGION_CREATE, &adopted), 0);
    lock = (fw_ipc_mutex *)(void *)((char *)memory + SIZE - 256);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_mutex(&a.op, lock, NULL), 0);
    assert_int_equal(fw_region_close(adopted), EBUSY);
    assert_int_equal(fw_task_ipc_mutex_unlock(lock, TASK(1)), 0);
    assert_int_equal(fw_region_close(adopted), 0);
    munmap(memory, SIZE);
}

/* To be told by the descriptor, as epoll or asyncio are. */
EACH(makes_the_descriptor_readable)
{
    struct timespec slice = {.tv_nsec = 1000000};

    (void)fw_loop_fd(loop);
    assert_int_equal(fw_ipc_sem_init(s, 0, 1), 0);
    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_sem(&a.op, s, NULL), EINPROGRESS);
    assert_int_equal(fw_ipc_sem_post(s), 0);
    while (a.ends == 0)
        if (fw_poll_wait_(fw_loop_fd(loop), (uint64_t)slice.tv_nsec) == 0)
            fw_loop_run(loop, 0);
    assert_int_equal(a.error, 0);
}

/* It becomes readable, too, when the loop has to look by itself, as where a holder has died. */
EACH(looks_by_the_descriptor)
{
    uint32_t *word = (uint32_t *)(uintptr_t)shared;
    int fd = fw_loop_fd(loop);

    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_word_(&a.op, word, 0, NULL), EINPROGRESS);
    fw_store32_relaxed(word, 1);
    while (a.ends == 0)
        if (fw_poll_wait_(fd, FW_POLL_FOREVER_) == 0)
            fw_loop_run(loop, 0);
    assert_int_equal(a.error, 0);
}

/* An interval that has become shorter ends in time: the descriptor's timer is set anew. */
EACH(forgets_by_the_descriptor)
{
    int fd = fw_loop_fd(loop);

    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINPROGRESS);
    while (regions()->watches->recheck_ns <= FW_RECHECK_IPC_NS)
        if (fw_poll_wait_(fd, FW_POLL_FOREVER_) == 0)
            fw_loop_run(loop, 0);
    assert_true(fw_await_cancel(&a.op));
    assert_int_not_equal(loop->timers[0].armed, 0);
    assert_true(loop->timers[0].armed <= loop->regions_at);
    while (regions()->watches != NULL)
        if (fw_poll_wait_(fd, FW_POLL_FOREVER_) == 0)
            fw_loop_run(loop, 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* --- Without engines -------------------------------------------------------------------------- */

static void ask_and_get(void)
{
    fw_loop_options automatic = {.engine = FW_LOOP_AUTO};

    assert_int_equal(fw_loop_create(&loop, &automatic), 0);
    assert_int_equal(fw_ipc_sem_init(s, 0, 1), 0);
    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_sem(&a.op, s, NULL), EINPROGRESS);
    assert_int_equal(fw_ipc_sem_post(s), 0);
    run_until(&a.ends, 1);
    assert_int_equal(fw_loop_destroy(loop), 0);
}

static void without_uring(void *arg)
{
    fw_loop_options uring = {.engine = FW_LOOP_URING};

    (void)arg;
    if (!refuse_call(URING_SETUP))
        _exit(0);
    assert_int_equal(fw_loop_create(&loop, &uring), 0);
    assert_int_equal(fw_ipc_sem_init(s, 0, 1), 0);
    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_sem(&a.op, s, NULL), EPERM);
    assert_int_equal(fw_loop_destroy(loop), 0);
    ask_and_get();
    if (!refuse_call(FW_CALL_FUTEX_WAITV_))
        _exit(0);
    ask_and_get();
    _exit(0);
}

EACH(works_where_calls_are_refused)
{
    finish(start(without_uring, NULL));
}

UNIT_MAIN(NULL, NULL)
