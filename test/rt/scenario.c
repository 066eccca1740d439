/* SPDX-License-Identifier: MIT */
#include "test/rt/scenario.h"
#include "test/support/asleep.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77, WATCHDOG_S = 100, PLAYS = 3 };

static char said[8192];
static size_t length;
static fw_rt_group *group;
static fw_rt_protocol protocol;
static sem_t ready;
static int tasks_cpu = -1, other_cpu = -1;

static int nth_cpu(unsigned n)
{
    cpu_set_t cpus;

    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return -1;
    for (int cpu = 255; cpu >= 0; cpu--)
        if (CPU_ISSET((size_t)cpu, &cpus) && n-- == 0)
            return cpu;
    return -1;
}

int scenario_cpu(void)
{
    return tasks_cpu;
}

int scenario_other_cpu(void)
{
    return other_cpu;
}

void scenario_begin(void)
{
    struct sched_param high = {.sched_priority = 98}, none = {0};

    tasks_cpu = nth_cpu(0); /* as long as this thread may run anywhere */
    other_cpu = nth_cpu(1);
    if (sched_setscheduler(0, SCHED_FIFO, &high) != 0) {
        printf("skipped: no right to SCHED_FIFO\n");
        exit(SKIPPED);
    }
    sched_setscheduler(0, SCHED_OTHER, &none);
    mlockall(MCL_CURRENT); /* if it may: a task that waits for a page lets less urgent ones run */
    alarm(WATCHDOG_S);
}

void scenario_expect_(int got, int wanted, const char *call, const char *file, int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s:%d: %s: %d (%s), and not %d: \"%s\"\n", file, line, call, got,
            strerror(got), wanted, fw_rt_strerror());
    _exit(EXIT_FAILURE);
}

void scenario_check_(bool is_true, const char *condition, const char *file, int line)
{
    if (is_true)
        return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    _exit(EXIT_FAILURE);
}

/* One CPU, except for a thread that was moved: who says something may be preempted over it. */
void scenario_say(const char *format, ...)
{
    char line[128];
    va_list arguments;
    size_t n, at;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    strcat(line, " ");
    n = strlen(line);
    at = __atomic_fetch_add(&length, n, __ATOMIC_RELAXED);
    SCENARIO_CHECK(at + n < sizeof said);
    memcpy(said + at, line, n);
}

void scenario_cue(struct actor *other)
{
    sem_post(&other->cue);
}

void scenario_wait_for_cue(struct actor *me)
{
    while (sem_wait(&me->cue) != 0)
        ;
    SCENARIO_EXPECT(fw_rt_resumed(me->task), 0);
}

void scenario_lock(struct actor *me, char letter)
{
    scenario_say("%s?%c", me->name, letter);
    SCENARIO_EXPECT(fw_rt_lock(me->task, me->lock[letter - 'A']), 0);
    scenario_say("%s+%c", me->name, letter);
}

void scenario_unlock(struct actor *me, char letter)
{
    scenario_say("%s-%c", me->name, letter);
    SCENARIO_EXPECT(fw_rt_unlock(me->task, me->lock[letter - 'A']), 0);
}

static void *act(void *arg)
{
    struct actor *me = arg;
    struct fw_rt_task_options options = {
        .name = me->name, .cpu = scenario_cpu(), .priority = me->priority};

    me->tid = (pid_t)syscall(SYS_gettid);
    SCENARIO_EXPECT(fw_rt_task_begin(&me->task, group, &options), 0);
    for (const char *letter = me->locks; *letter != '\0'; letter++) {
        char name[2] = {*letter, '\0'};
        SCENARIO_EXPECT(fw_rt_open(me->task, name, protocol, 0, &me->lock[*letter - 'A']), 0);
    }
    sem_post(&ready);
    scenario_wait_for_cue(me);
    me->play(me);
    SCENARIO_EXPECT(fw_rt_task_end(me->task), 0);
    return NULL;
}

/* Until the thread sleeps: so it waits for its cue. */
static void await_sleep(const struct actor *a)
{
    char state;

    while ((state = thread_state(getpid(), a->tid)) != 'S' && state != 0)
        usleep(200);
}

static void play(fw_rt_protocol under, struct actor *actors, unsigned n)
{
    protocol = under;
    memset(said, 0, sizeof said);
    length = 0;
    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    sem_init(&ready, 0, 0);
    for (unsigned i = 0; i < n; i++) {
        sem_init(&actors[i].cue, 0, 0);
        SCENARIO_EXPECT(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
    }
    for (unsigned i = 0; i < n; i++)
        while (sem_wait(&ready) != 0)
            ;
    for (unsigned i = 0; i < n; i++)
        await_sleep(&actors[i]);
    scenario_cue(&actors[0]);
    for (unsigned i = 0; i < n; i++)
        pthread_join(actors[i].thread, NULL);
    SCENARIO_EXPECT(fw_rt_group_close(group), 0);
}

/* A machine may hold anybody back at any moment, for a page or for another machine: plays again. */
void scenario_play(const char *scenario, fw_rt_protocol under, struct actor *actors, unsigned n,
                   const char *expected)
{
    for (unsigned i = 0; i < PLAYS; i++) {
        play(under, actors, n);
        if (strcmp(said, expected) == 0)
            return;
        fprintf(stderr, "%s, under %s: %s, not %s\n", scenario, fw_rt_protocol_name(under), said,
                expected);
    }
    exit(EXIT_FAILURE);
}
