/* SPDX-License-Identifier: MIT */
#include "await/region_word.h"

#include <errno.h>
#include <unistd.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "region_fixture.h"
#include "sys/wait_any.h"
#include "test/support/child.h"

static struct asked a, b;

static void change(void *word)
{
    fw_store32_release(word, 1);
    fw_futex_wake(word, FW_FUTEX_ALL, FW_FUTEX_SHARED);
    _exit(0);
}

static void wake(void *word)
{
    _exit(fw_futex_wake(word, 1, FW_FUTEX_SHARED) != 1);
}

EACH(tells_of_a_change)
{
    uint32_t *word = (uint32_t *)(uintptr_t)shared;

    ask_for(&a, 0);
    ask_for(&b, 0);
    assert_int_equal(fw_await_ipc_word_(&a.op, word, 7, NULL), 0);
    assert_int_equal(fw_await_ipc_word_(&a.op, word, 0, NULL), EINPROGRESS);
    assert_int_equal(fw_await_ipc_word_(&b.op, word, 0, NULL), EINPROGRESS);
    finish(start(change, word));
    run_until(&a.ends, 1);
    run_until(&b.ends, 1);
}

static void tells_of_a_wake(void)
{
    uint32_t *word = (uint32_t *)(uintptr_t)shared;
    pid_t child;

    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_word_(&a.op, word, 0, NULL), EINPROGRESS);
    do
        child = start(wake, word);
    while (wait_for_child(child) != 0); /* a helper needs some time to get there */
    run_until(&a.ends, 1);
    assert_int_equal(a.error, 0);
}

TEST(each_tells_of_a_wake)
{
    if (!fw_can_wait_any_()) /* who looks at intervals cannot be woken */
        skip();
    with_each_engine(tells_of_a_wake);
}

UNIT_MAIN(NULL, NULL)
