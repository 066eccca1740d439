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

enum { LIMIT_S = 100, PLAYS = 3 };

static char said[8192];
static size_t length;
static fw_rt_group *group;
static sem_t ready;

void scenario_begin(void)
{
    choose_cpus(); /* as long as this thread may run anywhere */
    need_priorities();
    mlockall(MCL_CURRENT); /* if it may: a task that waits for a page lets less urgent ones run */
    limit(LIMIT_S, "a scenario");
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
    CHECK(at + n < sizeof said);
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
    EXPECT(fw_rt_resumed(me->task), 0);
}

void scenario_lock(struct actor *me, char letter)
{
    scenario_say("%s?%c", me->name, letter);
    EXPECT(fw_rt_lock(me->task, me->lock[letter - 'A']), 0);
    scenario_say("%s+%c", me->name, letter);
}

void scenario_unlock(struct actor *me, char letter)
{
    scenario_say("%s-%c", me->name, letter);
    EXPECT(fw_rt_unlock(me->task, me->lock[letter - 'A']), 0);
}

static void *act(void *arg)
{
    struct actor *me = arg;
    struct fw_rt_task_options options = {
        .name = me->name, .cpu = cpus[0], .priority = me->priority};

    me->tid = (pid_t)syscall(SYS_gettid);
    EXPECT(fw_rt_task_begin(&me->task, group, &options), 0);
    for (const char *letter = me->locks; *letter != '\0'; letter++) {
        char name[2] = {*letter, '\0'};
        EXPECT(fw_rt_open(me->task, name, protocol, 0, &me->lock[*letter - 'A']), 0);
    }
    sem_post(&ready);
    scenario_wait_for_cue(me);
    me->play(me);
    EXPECT(fw_rt_task_end(me->task), 0);
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
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    sem_init(&ready, 0, 0);
    for (unsigned i = 0; i < n; i++) {
        sem_init(&actors[i].cue, 0, 0);
        EXPECT(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
    }
    for (unsigned i = 0; i < n; i++)
        while (sem_wait(&ready) != 0)
            ;
    for (unsigned i = 0; i < n; i++)
        await_sleep(&actors[i]);
    scenario_cue(&actors[0]);
    for (unsigned i = 0; i < n; i++)
        pthread_join(actors[i].thread, NULL);
    EXPECT(fw_rt_group_close(group), 0);
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
