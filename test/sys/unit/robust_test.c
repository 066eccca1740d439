/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in_child.h"
#include "sys/robust.h"

/* src/sys/robust.c: words that the kernel looks after, with the real kernel. */

static struct fw_robust_head_ *head_of_kernel(void)
{
    struct fw_robust_head_ *head = NULL;
    size_t size;

    return syscall(SYS_get_robust_list, 0, &head, &size) == 0 ? head : NULL;
}

static void need_robust_lists(void)
{
    if (head_of_kernel() == NULL)
        skip(); /* an emulator */
}

TEST(announces_and_puts_back_what_was_pending)
{
    struct fw_robust_head_ *head = head_of_kernel();
    uint32_t first = 0, second = 0;
    struct fw_robust_ outer, inner;
    uintptr_t before;

    need_robust_lists();
    before = head->pending;
    head->pending = 0x1234560; /* as inside a call of the C library */
    fw_robust_announce_(&outer, &first);
    assert_int_equal(outer.id, gettid());
    assert_int_equal(outer.depth, 1);
    assert_true(head->pending + (uintptr_t)head->offset == (uintptr_t)&first);
    fw_robust_announce_(&inner, &second);
    assert_int_equal(inner.depth, 2);
    assert_true(head->pending + (uintptr_t)head->offset == (uintptr_t)&second);
    fw_robust_withdraw_(&inner);
    assert_true(head->pending + (uintptr_t)head->offset == (uintptr_t)&first);
    fw_robust_withdraw_(&outer);
    assert_true(head->pending == 0x1234560);
    head->pending = before;
}

static uint32_t *word; /* shared with children */

static int make_word(void)
{
    word = share(sizeof *word);
    return 0;
}

/* The word, once a child has died that had announced it and, if it is an owner, stored its id. */
static uint32_t after_death(bool has_list, bool is_owner)
{
    struct fw_robust_ r;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (!has_list)
            syscall(SYS_set_robust_list, NULL, sizeof(struct fw_robust_head_));
        fw_robust_announce_(&r, word);
        if (is_owner)
            __atomic_store_n(word, r.id | FW_ROBUST_WAITERS, __ATOMIC_RELAXED);
        _exit(0);
    }
    assert_int_equal(wait_for_child(child), 0);
    return *word;
}

TEST(the_kernel_marks_the_death)
{
    need_robust_lists();
    assert_int_equal(after_death(true, true), FW_ROBUST_DIED | FW_ROBUST_WAITERS);
    assert_int_equal(after_death(false, true), FW_ROBUST_DIED | FW_ROBUST_WAITERS);
}

TEST(what_belongs_to_others_stays)
{
    static const uint32_t values[] = {0, FW_ROBUST_WAITERS, 1, 1 | FW_ROBUST_WAITERS};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        *word = values[i];
        assert_int_equal(after_death(true, false), values[i]);
    }
}

/* Statuses: 0 is yes. */
static int id_is_not_mine(void)
{
    struct fw_robust_ r;

    fw_robust_announce_(&r, word);
    fw_robust_withdraw_(&r);
    return r.id != (uint32_t)gettid();
}

static int nor_is_a_childs(void)
{
    return id_is_not_mine() || in_child(id_is_not_mine) || id_is_not_mine();
}

/* A thread, all that it shares with its parent being copied: whatever made it. */
TEST(a_child_is_another_thread)
{
    assert_int_equal(id_is_not_mine(), 0);
    for (int i = 0; i < (head_of_kernel() != NULL ? 2 : 1); i++) { /* emulators know of fork only */
        pid_t child = i == 0 ? fork() : (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);

        if (child == 0)
            _exit(nor_is_a_childs());
        assert_true(child > 0);
        assert_int_equal(wait_for_child(child), 0);
    }
    assert_int_equal(id_is_not_mine(), 0);
}

TEST(knows_who_is_gone)
{
    siginfo_t info;
    pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    assert_false(fw_robust_is_gone_((uint32_t)gettid()));
    assert_false(fw_robust_is_gone_((uint32_t)child));
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    errno = EDOM;
    assert_true(fw_robust_is_gone_((uint32_t)child)); /* a zombie */
    waitpid(child, NULL, 0);
    assert_true(fw_robust_is_gone_((uint32_t)child));
    assert_int_equal(errno, EDOM);
}

UNIT_MAIN(make_word, NULL)
