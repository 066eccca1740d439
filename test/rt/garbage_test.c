/* SPDX-License-Identifier: MIT */
/*
 * Something has written over what a group knows: all except the caller's own record, and what the
 * locks are.  Every call comes back, with the lock, or with an error and a sentence.
 *
 *     test_rt_garbage [SEED]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/internal.h"
#include "test/rt/scenario.h"
#include "test/support/now.h"

enum { ROUNDS = 40, OTHER = 5 };

static fw_rt_group *group;
static fw_rt_task *task;
static struct fw_rt_state saved;
static uint64_t random_state;

static void restore(void)
{
    memcpy(group->state, &saved, sizeof saved);
}

static void says(int error, int expected, const char *part)
{
    EXPECT(error, expected);
    if (strstr(fw_rt_strerror(), part) == NULL)
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", fw_rt_strerror(), part);
    CHECK(strstr(fw_rt_strerror(), part) != NULL);
}

/* Others have begun and have had locks since: it looks around. */
static void need_a_look(void)
{
    static uint32_t looks;

    group->state->begun += ++looks;
    group->state->cpu[task->record->cpu].last = OTHER + 1;
}

/* In the way is a section of a record that is no task's. */
static void records(unsigned lock)
{
    struct fw_rt_task_record *c = &group->state->task[OTHER];

    need_a_look();
    memset(c, 0xff, sizeof *c);
    c->cpu = task->record->cpu;
    says(fw_rt_lock(task, lock), EUCLEAN, "written over: record 5");
    says(fw_rt_trylock(task, lock), EUCLEAN, "written over: record 5");
    restore();
    need_a_look();
    c->held = fw_rt_bit(lock);
    c->cpu = task->record->cpu;
    c->state = FW_RT_JOINING;
    says(fw_rt_lock(task, lock), EUCLEAN, "no task's");
    restore();
    need_a_look();
    *c = *task->record; /* and of another thread */
    c->held = fw_rt_bit(lock);
    c->tid = 1;
    says(fw_rt_lock(task, lock), EUCLEAN, "no task's");
    restore();
    EXPECT(fw_rt_lock(task, lock), 0);
    EXPECT(fw_rt_unlock(task, lock), 0);
}

/* The word of a lock with a queue names nobody. */
static void words(unsigned lock)
{
    static const uint32_t nonsense[] = {0x80, 0x80000080, OTHER + 1, 0xff};

    for (unsigned i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        group->state->lock[lock].counter = nonsense[i];
        says(fw_rt_lock(task, lock), EUCLEAN, "the word of");
        says(fw_rt_trylock(task, lock), EUCLEAN, "the word of");
        restore();
    }
    EXPECT(fw_rt_lock(task, lock), 0);
    EXPECT(fw_rt_unlock(task, lock), 0);
}

static void write_over(void *memory, size_t size)
{
    unsigned char *p = memory;
    unsigned kind = draw(&random_state) % 4;

    for (size_t i = 0; i < size; i++)
        p[i] = (unsigned char)(kind == 0 ? 0xff : kind == 1 ? 1 : draw(&random_state));
}

static void anything(unsigned lock)
{
    struct fw_rt_state *w = group->state;
    int error;

    for (unsigned i = 0; i < FW_RT_TASKS; i++) {
        if (i == task->slot || draw(&random_state) % 4 == 0)
            continue;
        write_over(&w->task[i], sizeof w->task[i]);
        if (draw(&random_state) % 2 == 0)
            w->task[i].cpu = task->record->cpu;
        if (draw(&random_state) % 2 == 0)
            w->task[i].state = FW_RT_LIVE;
    }
    write_over(w->proxy, sizeof w->proxy);
    write_over(&w->lock[lock].pi_word, sizeof w->lock[lock].pi_word);
    write_over(&w->lock[lock].queue_lock, sizeof w->lock[lock].queue_lock);
    write_over(&w->lock[lock].counter, sizeof w->lock[lock].counter);
    write_over(&w->lock[lock].waiters, sizeof w->lock[lock].waiters);
    write_over(&task->record->record_lock, sizeof task->record->record_lock);
    task->record->unlock_call = 1;
    need_a_look();
    error = draw(&random_state) % 4 == 0 ? fw_rt_trylock(task, lock) : fw_rt_lock(task, lock);
    CHECK((error == 0) == (fw_rt_strerror()[0] == '\0'));
    if (error == 0 || error == EOWNERDEAD)
        EXPECT(fw_rt_unlock(task, lock), 0);
    fw_rt_resumed(task);
    restore();
}

int main(int argc, char **argv)
{
    struct fw_rt_task_options options = {.priority = 10};
    unsigned lock[FW_RT_PROTOCOLS + 1];

    scenario_begin();
    random_state = argc > 1 ? strtoull(argv[1], NULL, 10) : now_ns() | 1;
    printf("seed %llu\n", (unsigned long long)random_state);
    fflush(stdout);
    options.cpu = cpus[0];
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    for (fw_rt_protocol p = FW_RT_PIP; p <= FW_RT_FMLP_DU; p++)
        if (p != FW_RT_PCP_DU_PF)
            EXPECT(fw_rt_open(task, fw_rt_protocol_name(p), p, 0, &lock[p]), 0);
    memcpy(&saved, group->state, sizeof saved);
    for (fw_rt_protocol p = FW_RT_PIP; p <= FW_RT_FMLP_DU; p++) {
        if (p == FW_RT_PCP_DU_PF)
            continue;
        if (p >= FW_RT_MPCP)
            words(lock[p]);
        else if (p != FW_RT_PIP)
            records(lock[p]);
        for (unsigned i = 0; i < ROUNDS; i++)
            anything(lock[p]);
    }
    EXPECT(fw_rt_task_end(task), 0);
    EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
