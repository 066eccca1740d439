/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

struct actor tasks_of_test[ACTORS];
fw_rt_group *group;
struct fw_rt_state *state;
sem_t told;
unsigned n_played;

static unsigned actors;
static pthread_barrier_t end; /* a lock's ceilings are those of its users, until they leave */
static char played[32];       /* a letter each */

void log_event(char what)
{
    unsigned at = __atomic_fetch_add(&n_played, 1, __ATOMIC_SEQ_CST);

    CHECK(at < sizeof played - 1);
    __atomic_store_n(&played[at], what, __ATOMIC_SEQ_CST);
}

struct fw_rt_lock_record *record(char lock)
{
    return &state->lock[lock - 'a'];
}

void take(struct actor *a, char lock)
{
    int error = fw_rt_lock(a->task, (unsigned)(lock - 'a'));

    if (error != 0)
        fail("%s: lock %c: %s (%s)", a->name, lock, strerror(error), fw_rt_strerror());
}

void leave(struct actor *a, char lock)
{
    int error = fw_rt_unlock(a->task, (unsigned)(lock - 'a'));

    if (error != 0)
        fail("%s: unlock %c: %s (%s)", a->name, lock, strerror(error), fw_rt_strerror());
}

void await(sem_t *s)
{
    while (sem_wait(s) != 0)
        continue;
}

static void *act(void *arg)
{
    struct actor *a = arg;
    struct sched_param param;

    a->task = begin_task(group, a->name, a->cpu, a->priority, a->opens);
    __atomic_store_n(&a->is_ready, true, __ATOMIC_RELEASE);
    await(&a->cue);
    a->play(a);
    CHECK(a->task->record->held == 0 && a->task->record->boost == 0 &&
          a->task->record->request == 0);
    CHECK(sched_getparam(0, &param) == 0 && param.sched_priority == a->priority);
    pthread_barrier_wait(&end);
    CHECK(fw_rt_task_end(a->task) == 0);
    return NULL;
}

void fixture_start(const struct actor *from, unsigned n)
{
    n_played = 0;
    memset(played, 0, sizeof played);
    CHECK(fw_rt_group_open(&group, NULL, FW_RT_TIER_A) == 0);
    state = group->state;
    actors = n;
    CHECK(pthread_barrier_init(&end, NULL, n) == 0);
    for (unsigned i = 0; i < n; i++) {
        tasks_of_test[i] = from[i];
        CHECK(sem_init(&tasks_of_test[i].cue, 0, 0) == 0);
        CHECK(pthread_create(&tasks_of_test[i].thread, NULL, act, &tasks_of_test[i]) == 0);
        while (!__atomic_load_n(&tasks_of_test[i].is_ready, __ATOMIC_ACQUIRE))
            usleep(LOOK_US);
    }
}

void fixture_finish(const char *expected)
{
    for (unsigned i = 0; i < actors; i++) {
        CHECK(pthread_join(tasks_of_test[i].thread, NULL) == 0);
        sem_destroy(&tasks_of_test[i].cue);
    }
    if (strcmp(played, expected) != 0)
        fail("%s: played %s, not %s", fw_rt_protocol_name(protocol), played, expected);
    for (unsigned d = 0; d < state->locks; d++)
        CHECK(state->lock[d].counter == 0 && state->lock[d].waiters == 0 &&
              state->lock[d].pi_word == 0 && state->lock[d].queue_lock == 0);
    pthread_barrier_destroy(&end);
    CHECK(fw_rt_group_close(group) == 0);
}

void cue(unsigned actor)
{
    sem_post(&tasks_of_test[actor].cue);
}

void until_waiting(char lock, unsigned n)
{
    while ((unsigned)__builtin_popcountll(
               __atomic_load_n(&record(lock)->waiters, __ATOMIC_ACQUIRE)) != n)
        usleep(LOOK_US);
}

void until_played(unsigned n)
{
    while (__atomic_load_n(&n_played, __ATOMIC_ACQUIRE) < n)
        usleep(LOOK_US);
}

void fixture_begin(void)
{
    choose_cpus();
    CHECK(sem_init(&told, 0, 0) == 0);
    become_director();
}
