/* SPDX-License-Identifier: MIT */
/*
 * dropin-run --list            the cases, as JSON
 * dropin-run --calibrate       steps of work in a nanosecond
 * dropin-run CASE MS [RATE]    runs a case for MS milliseconds, and prints what came of it
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dropin.h"
#include "measure/clock.h"

enum { EXIT_USAGE = 2, WAITERS = 256 };

static const struct bench_case cases[] = {
    {"mutex", "lock + unlock", 1, 0, 0, loop_mutex, MUTEX_NORMAL},
    {"mutex-recursive", "lock + unlock, recursive", 1, 0, 0, loop_mutex, MUTEX_RECURSIVE},
    {"mutex-errorcheck", "lock + unlock, errorcheck", 1, 0, 0, loop_mutex, MUTEX_ERRORCHECK},
    {"mutex-adaptive", "lock + unlock, adaptive", 1, 0, 0, loop_mutex, MUTEX_ADAPTIVE},
    {"mutex-shared", "lock + unlock, process-shared", 1, 0, 0, loop_mutex, MUTEX_SHARED},
    {"mutex-robust", "lock + unlock, robust", 1, 0, 0, loop_mutex, MUTEX_ROBUST},
    {"mutex-pi", "lock + unlock, PRIO_INHERIT", 1, 0, 0, loop_mutex, MUTEX_INHERIT},
    {"sem", "post + wait", 1, 0, 0, loop_sem, 0},
    {"sem-shared", "post + wait, process-shared", 1, 0, 0, loop_sem, 1},
    {"read", "read lock + unlock", 1, 0, 0, loop_read, 0},
    {"write", "write lock + unlock", 1, 0, 0, loop_write, 0},
    {"spin", "spin lock + unlock", 1, 0, 0, loop_spin, 0},
    {"signal", "signal with nobody waiting", 1, 0, 0, loop_signal, 0},
    {"broadcast", "broadcast, 2 us in the mutex", WAITERS, 2, 0, broadcast_run, 0},
    {"broadcast-0", "broadcast, nothing in the mutex", WAITERS, 0, 0, broadcast_run, 0},
    {"contended", "mutex, 1 us held, 1 us free", 0, 1, 1, contended_mutex, MUTEX_NORMAL},
    {"contended-short", "mutex, nothing held or free", 0, 0, 0, contended_mutex, MUTEX_NORMAL},
    {"contended-robust", "robust mutex, 1 us, 1 us", 0, 1, 1, contended_mutex, MUTEX_ROBUST},
    {"contended-pi", "PRIO_INHERIT, 1 us, 1 us", 0, 1, 1, contended_mutex, MUTEX_INHERIT},
    {"contended-rw", "90 % reads, 1 us, 1 us", 0, 1, 1, contended_read, 90},
    {"pass", "a semaphore to and fro", 2, 0, 0, contended_pass, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

void check(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "dropin-run: %s: %s\n", what, strerror(error > 0 ? error : errno));
    exit(1);
}

void mutex_make(void *mutex, enum mutex_kind kind)
{
    static const int types[] = {
        [MUTEX_RECURSIVE] = PTHREAD_MUTEX_RECURSIVE,
        [MUTEX_ERRORCHECK] = PTHREAD_MUTEX_ERRORCHECK,
        [MUTEX_ADAPTIVE] = PTHREAD_MUTEX_ADAPTIVE_NP,
    };
    pthread_mutexattr_t attr;

    check(pthread_mutexattr_init(&attr), "pthread_mutexattr_init");
    if (kind == MUTEX_SHARED)
        check(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), "setpshared");
    else if (kind == MUTEX_ROBUST)
        check(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST), "setrobust");
    else if (kind == MUTEX_INHERIT)
        check(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT), "setprotocol");
    else if (kind != MUTEX_NORMAL)
        check(pthread_mutexattr_settype(&attr, types[kind]), "settype");
    check(pthread_mutex_init(mutex, &attr), "pthread_mutex_init");
    pthread_mutexattr_destroy(&attr);
}

struct switches switches_now(void)
{
    struct rusage all, mine;

    getrusage(RUSAGE_SELF, &all);
    getrusage(RUSAGE_THREAD, &mine);
    return (struct switches){(uint64_t)(all.ru_nvcsw - mine.ru_nvcsw),
                             (uint64_t)(all.ru_nivcsw - mine.ru_nivcsw)};
}

static unsigned threads_of(const struct bench_case *c)
{
    cpu_set_t set;

    if (c->threads != 0)
        return c->threads;
    check(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
    return 2 * (unsigned)CPU_COUNT(&set);
}

static void list(void)
{
    for (int i = 0; i < CASES; i++)
        printf("%s{\"case\": \"%s\", \"about\": \"%s\", \"threads\": %u}", i == 0 ? "[" : ",\n ",
               cases[i].name, cases[i].about, threads_of(&cases[i]));
    puts("]");
}

static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end != text && *end == '\0' && value > 0)
        return value;
    fprintf(stderr, "dropin-run: not a number above 0: %s\n", text);
    exit(EXIT_USAGE);
}

static int run(const char *name, double milliseconds)
{
    for (int i = 0; i < CASES; i++) {
        const struct bench_case *c = &cases[i];
        struct order o = {.threads = threads_of(c),
                          .milliseconds = milliseconds,
                          .held_us = c->held_us,
                          .free_us = c->free_us};

        if (strcmp(c->name, name) != 0)
            continue;
        c->run(c, &o);
        printf("{\"ns\": %.6g, \"vcsw\": %.6g, \"ivcsw\": %.6g}\n", o.ns, o.voluntary,
               o.involuntary);
        return 0;
    }
    fprintf(stderr, "dropin-run: no case %s; see --list\n", name);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--calibrate") == 0) {
        printf("%.9g\n", work_calibrate());
        return 0;
    }
    if (argc != 3 && argc != 4) {
        fputs("usage: dropin-run --list | --calibrate | CASE MS [RATE]\n", stderr);
        return EXIT_USAGE;
    }
    if (argc == 4)
        work_set_rate(number(argv[3]));
    return run(argv[1], number(argv[2]));
}
