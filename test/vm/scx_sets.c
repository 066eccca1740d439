/* SPDX-License-Identifier: MIT */
/*
 * Task sets under tier B, in a virtual machine: runs each of a folder by furwock rt run.  The files
 * are test/command/rt_sets.py's, ANYTHING-JOBS.json; so is what becomes of the lines that this
 * writes, "set: FILE STATUS JSON", or "set: FILE STATUS" and why.
 *
 *     scx_sets FURWOCK FOLDER [--hang] [--collapse] [OPTION...]
 *
 * --hang: beside a process that makes timers late (scx_hang.h).
 * --collapse: the kernel replaces small pages by huge ones as often as it can, and not each 10 s.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scx.h"
#include "scx_hang.h"

enum { WORDS = 24, CPUS = 2, TURN_NS = 50000 };

/*
 * An emulator that counts instructions runs its CPUs by turns, until the next timer is due:
 * one may stand still for as long as another computes.  A timer of each keeps the turns short.
 */
static void shorten_turns(void)
{
    struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof clock,
                                    .config = PERF_COUNT_SW_CPU_CLOCK,
                                    .sample_period = TURN_NS};

    for (int cpu = 0; cpu < CPUS; cpu++)
        scx_check(syscall(SYS_perf_event_open, &clock, -1, cpu, -1, 0ul) >= 0, "no timer: %s",
                  strerror(errno));
}

/* Jobs are released late by hangs, and no scheduler sees it. */
static void say_hangs(void)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        struct scx_hangs h = scx_hangs(cpu);
        printf("hangs: CPU %u: %lu timer interrupts, the longest of %lu ns\n", cpu, h.number,
               h.longest);
    }
}

#define KHUGEPAGED "/sys/kernel/mm/transparent_hugepage/khugepaged/"

static void hurry_collapses(void)
{
    static const char *const to[][2] = {{KHUGEPAGED "scan_sleep_millisecs", "50"},
                                        {KHUGEPAGED "pages_to_scan", "100000"}};

    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        FILE *file = fopen(to[i][0], "we");
        scx_check(file != NULL && fputs(to[i][1], file) >= 0 && fclose(file) == 0, "%s: %s",
                  to[i][0], strerror(errno));
    }
}

/* A task that touches such a page meanwhile is put to sleep by the kernel. */
static void say_collapses(void)
{
    FILE *file = fopen(KHUGEPAGED "pages_collapsed", "re");
    char number[32] = "not known";

    if (file != NULL) {
        if (fscanf(file, "%31s", number) != 1)
            strcpy(number, "not known");
        fclose(file);
    }
    printf("collapses: %s\n", number);
}

/* In the child: what it says comes out of the pipe. */
static void become(char **words, int out)
{
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close(out);
    execv(words[0], words);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(SCX_SKIPPED);
}

/* As one line. */
static char *read_all(int in)
{
    char *text = NULL;
    size_t size;
    FILE *line = open_memstream(&text, &size), *from = fdopen(in, "r");
    int c;

    if (line == NULL || from == NULL)
        abort();
    while ((c = fgetc(from)) != EOF)
        fputc(c == '\n' ? ' ' : c, line);
    fclose(from);
    fclose(line);
    return text;
}

static void run(char **words, const char *name)
{
    int ends[2], status;
    pid_t child;
    char *said;

    scx_check(pipe(ends) == 0, "no pipe: %s", strerror(errno));
    fflush(NULL);
    child = fork();
    scx_check(child >= 0, "no process: %s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        become(words, ends[1]);
    }
    close(ends[1]);
    said = read_all(ends[0]);
    waitpid(child, &status, 0);
    printf("set: %s %d %s\n", name, WIFEXITED(status) ? WEXITSTATUS(status) : 128, said);
    fflush(stdout);
    free(said);
}

static int is_set(const struct dirent *e)
{
    const char *jobs = strrchr(e->d_name, '-');

    return jobs != NULL && strstr(jobs, ".json") != NULL;
}

int main(int argc, char **argv)
{
    static char rt[] = "rt", verb[] = "run", b[] = "--tier=B", json[] = "--json";
    char path[512], jobs[64], *words[WORDS] = {NULL, rt, verb, b, json, jobs, path};
    struct dirent **list;
    bool hangs = false;
    int n, at = 7;

    scx_need_vm();
    scx_check(argc >= 3 && argc - 3 < WORDS - at, "takes a program and a folder");
    words[0] = argv[1];
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "--hang") == 0)
            hangs = true;
        else if (strcmp(argv[i], "--collapse") == 0)
            hurry_collapses();
        else
            words[at++] = argv[i];
    n = scandir(argv[2], &list, is_set, alphasort);
    if (n <= 0) {
        printf("no sets in %s\n", argv[2]);
        return SCX_SKIPPED;
    }
    shorten_turns();
    scx_start();
    if (hangs)
        for (unsigned cpu = 0; cpu < CPUS; cpu++)
            scx_hang_timers(cpu);
    alarm(0);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[2], list[i]->d_name);
        snprintf(jobs, sizeof jobs, "--jobs=%d", atoi(strrchr(list[i]->d_name, '-') + 1));
        run(words, list[i]->d_name);
    }
    say_hangs();
    say_collapses();
    scx_stop();
    return EXIT_SUCCESS;
}
