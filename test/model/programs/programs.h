/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PROGRAMS_H
#define MODEL_PROGRAMS_H

#include <furwock/mutex.h>

#include "../engine/model.h"

/* A group of programs, in one file. */
struct program_group {
    const char *name;
    const struct model_program *programs;
    unsigned count;
};

extern const struct program_group litmus_programs;
extern const struct program_group sleeper_programs;
extern const struct program_group mutex_programs;

/* The functions of one build of the mutex: the shipped one, or a faulty copy. */
struct mutex_calls {
    int (*trylock)(fw_mutex *m);
    void (*lock)(fw_mutex *m);
    int (*timedlock)(fw_mutex *m, const fw_deadline *deadline);
    int (*lock_policy)(fw_mutex *m, const fw_wait_policy *policy, const fw_deadline *deadline);
    void (*unlock)(fw_mutex *m);
    void (*unlock_fair)(fw_mutex *m);
    pid_t (*owner)(const fw_mutex *m);
};

extern const struct mutex_calls mutex_shipped;

/* The one that the mutex programs use. */
extern const struct mutex_calls *mutex_in_use;

#endif
