/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/panic.h"
#include "test/support/unit.h"

/* src/sys/panic.c: the exact line on standard error, and abort. */

/* Runs `die` in a child; stores what it wrote on standard error and answers its wait status. */
static int last_words(void (*die)(void), char *text, size_t size)
{
    int pipe_ends[2], status;
    size_t length = 0;
    ssize_t n;
    pid_t child;

    assert_int_equal(pipe(pipe_ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDERR_FILENO);
        die();
        _exit(0);
    }
    close(pipe_ends[1]);
    while (length + 1 < size && (n = read(pipe_ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
    text[strcspn(text, "\n") + 1] = '\0'; /* an emulator adds a line of its own */
    close(pipe_ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void with_an_owner(void)
{
    fw_panic_("unlock of a mutex held by another thread", (void *)0x7f00dead0008, 1234 << 8 | 1,
              1235 << 8 | 1);
}

static void with_nobody(void)
{
    fw_panic_("unlock of a free mutex", (void *)0x1000, 4194303u << 8 | 1, 0);
}

static void with_an_error(void)
{
    fw_panic_errno_("futex wake", -38);
}

static void with_no_memory(void)
{
    fw_panic_errno_("futex wait", 14);
}

static void with_a_filter(void)
{
    fw_panic_errno_("futex wait", 1);
}

static void with_an_object(void)
{
    fw_panic_object_("an object is too large", (void *)0x2008, 65);
}

TEST(says_what_is_wrong_in_one_line)
{
    static const struct {
        void (*die)(void);
        const char *line;
    } cases[] = {
        {with_an_owner, "furwock: unlock of a mutex held by another thread: "
                        "lock 0x7f00dead0008, caller 1234, owner 1235\n"},
        {with_nobody,
         "furwock: unlock of a free mutex: lock 0x1000, caller 4194303, owner nobody\n"},
        {with_an_error, "furwock: futex wake: unexpected error -38 (a filter of system calls, or a "
                        "kernel without this one)\n"},
        {with_no_memory, "furwock: futex wait: unexpected error 14 (no memory is there: it was "
                         "unmapped, or its file was cut short)\n"},
        {with_a_filter, "furwock: futex wait: unexpected error 1 (a filter of system calls, or a "
                        "kernel without this one)\n"},
        {with_an_object, "furwock: an object is too large: 0x2008, 65 bytes\n"},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        int status = last_words(cases[i].die, text, sizeof text);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
        assert_string_equal(text, cases[i].line);
    }
}

UNIT_MAIN(NULL, NULL)
