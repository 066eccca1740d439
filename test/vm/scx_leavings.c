/* SPDX-License-Identifier: MIT */
/*
 * What is left behind: the dead of a user keep one slot, whatever they have taken along; and a CPU
 * that goes offline takes its tasks' leave, and not the scheduler.  A thread that calls exec is no
 * task in its new program.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scx.h"

enum { KEY = 7 };

/* What child processes tell. */
static struct {
    uint32_t has, go;
} * notes;

static void forget(void)
{
    memset(notes, 0, sizeof *notes);
}

static unsigned dead_slots(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        n += scx_state()->state.task[i].state == FW_RT_DEAD;
    return n;
}

/* The dead of a user keep one slot, however many locks they have taken along. */
static void test_dead_share_a_slot(void)
{
    enum { N = 4 };
    struct scx_task t;
    unsigned d[N];

    scx_join(&t, KEY, "next", 0, 10);
    for (unsigned i = 0; i < N; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        pid_t child;

        scx_check(scx_open(&t, name, FW_RT_KIND_MPCP, 0, &d[i]) == 0, "open");
        forget();
        child = fork();
        if (child == 0) {
            struct scx_task own;
            unsigned desc;

            scx_join(&own, KEY, "mortal", 1, 5);
            scx_check(scx_open(&own, name, FW_RT_KIND_MPCP, 0, &desc) == 0, "open");
            scx_check(scx_lock(&own, FW_RT_KIND_MPCP, desc) == 0, "lock");
            scx_set(&notes->has);
            for (;;)
                scx_sleep_ms(1);
        }
        scx_await(&notes->has, "an owner");
        scx_kill(child);
        SCX_UNTIL(dead_slots() == 1);
    }
    for (unsigned i = 0; i < N; i++) {
        unsigned result = scx_lock(&t, FW_RT_KIND_MPCP, d[i]);

        scx_check(result == EOWNERDEAD, "lock %u of the dead: %u", i, result);
        scx_unlock(&t, FW_RT_KIND_MPCP, d[i]);
    }
    scx_check(dead_slots() == 0, "%u dead are left", dead_slots());
    scx_leave(&t);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    scx_check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path,
              strerror(errno));
    close(fd);
}

/* Its task is moved; the scheduler goes on, also when the CPU is back. */
static void test_cpu_that_goes(void)
{
    static const char file[] = "/sys/devices/system/cpu/cpu1/online";
    pid_t child;

    forget();
    scx_pin(0, 0);
    child = fork();
    if (child == 0) {
        struct scx_task t;
        unsigned d;

        scx_join(&t, KEY, "moved", 1, 5);
        scx_check(scx_open(&t, "P", FW_RT_KIND_PCP, 0, &d) == 0, "open");

        scx_set(&notes->has);
        scx_await(&notes->go, "go");
        scx_check(t.page->away != 0, "its CPU is gone, and it is there");
        scx_check(scx_ask(&t, FW_RT_SCX_LOCK, d) == EXDEV, "lock");
        scx_leave(&t);
        _exit(EXIT_SUCCESS);
    }
    scx_await(&notes->has, "a task");
    write_file(file, "0");
    scx_check(scx_state()->state.alive == 1, "a CPU goes, and the scheduler too");
    scx_set(&notes->go);
    scx_finish(child);
    write_file(file, "1");
    scx_sleep_ms(10);
    scx_check(scx_state()->state.alive == 1, "a CPU comes, and the scheduler goes");
}

/* Its section counts as died in, and the slot is free, while the thread lives on. */
static void test_exec(void)
{
    struct scx_task t;
    unsigned d, n = 0;
    pid_t child;

    scx_join(&t, KEY, "next", 0, 10);
    scx_check(scx_open(&t, "E", FW_RT_KIND_MPCP, 0, &d) == 0, "open");
    forget();
    child = fork();
    if (child == 0) {
        struct scx_task own;
        unsigned desc;

        scx_join(&own, KEY, "other", 1, 5);
        scx_check(scx_open(&own, "E", FW_RT_KIND_MPCP, 0, &desc) == 0, "open");
        scx_check(scx_lock(&own, FW_RT_KIND_MPCP, desc) == 0, "lock");
        scx_set(&notes->has);
        execl("/proc/self/exe", "scx_leavings", "bounded wait", (char *)NULL);
        scx_check(false, "exec: %s", strerror(errno));
    }
    scx_await(&notes->has, "an owner");
    scx_check(scx_lock(&t, FW_RT_KIND_MPCP, d) == EOWNERDEAD, "a section that ended by exec");
    scx_unlock(&t, FW_RT_KIND_MPCP, d);
    scx_check(waitpid(child, NULL, WNOHANG) == 0, "it does not live");
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        n += scx_state()->state.task[i].state != FW_RT_FREE;
    scx_check(n == 1, "%u tasks", n);
    scx_kill(child);
    scx_leave(&t);
}

int main(int words, char **word)
{
    if (words > 1 && strcmp(word[1], "bounded wait") == 0)
        for (;;)
            scx_sleep_ms(1);
    scx_need_vm();
    alarm(100);
    notes = scx_shared_memory(sizeof *notes);
    scx_start();
    test_dead_share_a_slot();
    test_exec();
    test_cpu_that_goes();
    printf("one slot for the dead; no task after exec; a CPU has gone and come\n");
    scx_stop();
    return EXIT_SUCCESS;
}
