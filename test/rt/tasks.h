/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_TASKS_H
#define FW_TEST_RT_TASKS_H

#include <stdbool.h>

#include "processes.h"
#include "rt/internal.h"

/* What tests with tasks of several processes, or with a director above them, share. */
enum { LONGEST_S = 60, LOOK_US = 100 };

extern fw_rt_protocol protocol;
extern int cpus[2];     /* the same twice if there is one only */
extern char doing[100]; /* for messages */

void choose_cpus(void);

bool has_two_cpus(void);
void move_to(int cpu); /* the caller, as if somebody else did it */

/* Skips the test without the right to SCHED_FIFO. */
void need_priorities(void);

/* The caller is above all tasks; skips the test if that is not permitted. */
void become_director(void);

/* Runs it under each protocol of tier A, or that one; `protocol` is that. */
void under_each_protocol(const char *only, void (*run)(void));

/* Opens a group; `what` is done in it, for LONGEST_S at most (NULL: the caller sees to that). */
fw_rt_group *open_group_for(const char *name, const char *what);

/* The same, by a name that nobody else has; which is removed. */
fw_rt_group *open_shared_group_for(const char *what);

/*
 * The calling thread becomes a task, and opens locks that are named by a letter each, "abc", which
 * have the numbers 0, 1, 2; skips the test without the right to a priority.
 */
fw_rt_task *begin_task(fw_rt_group *group, const char *name, int cpu, int priority,
                       const char *locks);

/* The call must answer that error. */
#define EXPECT(call, error) expect_((call), (error), #call, __FILE__, __LINE__)
void expect_(int got, int wanted, const char *call, const char *file, int line);

/* Who locks is told of a death, and unlocks. */
void expect_death(fw_rt_task *task, int error);

/* Does a task of that name (NULL: any) wait, or is it about to sleep? */
bool is_task_waiting(const struct fw_rt_state *state, const char *name);

bool is_set(const bool *flag);
void set(bool *flag);
void await_flag(const bool *flag);

#endif
