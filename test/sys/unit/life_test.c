/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/fork.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/* src/sys/life.c: the number of a process's life. */

static uint64_t life; /* of the test's own process; in a child, of its parent */

static void set_epoch(uint64_t number)
{
    fw_store64_relaxed((fw_word_ *)(uintptr_t)(fw_life_now_ + FW_LIFE_EPOCH_), number);
}

/* Statuses that say which of them it was. */
static int check_child(void)
{
    if (fw_life_is_(life))
        return 1;
    if (fw_load64_relaxed(fw_life_now_ + FW_LIFE_EPOCH_) != 0)
        return 2;
    if (fw_life_() == 0 || fw_life_() == life || fw_life_() != fw_life_())
        return 3;
    return fw_life_is_(fw_life_()) ? 0 : 4;
}

static pid_t by_fork(void)
{
    return fork();
}

static pid_t by_clone(void)
{
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

static void body_of_child(pid_t (*make)(void))
{
    int status = check_child();
    pid_t grandchild;

    if (status != 0)
        _exit(status);
    life = fw_life_();
    set_epoch(7);
    grandchild = make();
    if (grandchild == 0)
        _exit(check_child());
    _exit(grandchild < 0 ? 5 : wait_for_child(grandchild));
}

static void each_child_has_a_life_of_its_own(pid_t (*make)(void))
{
    pid_t child;

    life = fw_life_();
    assert_int_not_equal(life, 0);
    assert_true(fw_life_is_(life));
    assert_false(fw_life_is_(FW_LIFE_NONE_));
    set_epoch(7);
    child = make();
    assert_true(child >= 0);
    if (child == 0)
        body_of_child(make);
    assert_int_equal(wait_for_child(child), 0);
    assert_true(fw_life_is_(life));
    assert_int_equal(fw_life_(), life);
    assert_int_equal(fw_load64_relaxed(fw_life_now_ + FW_LIFE_EPOCH_), 7);
}

TEST(a_fork_begins_another_life)
{
    each_child_has_a_life_of_its_own(by_fork);
}

TEST(so_does_one_that_the_c_library_is_not_told_of)
{
    void *head;
    size_t size;

    if (syscall(SYS_get_robust_list, 0L, &head, &size) != 0)
        skip(); /* an emulator, which knows of fork(3) only */
    each_child_has_a_life_of_its_own(by_clone);
}

UNIT_MAIN(NULL, NULL)
