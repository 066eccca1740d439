/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PROGRAMS_H
#define MODEL_PROGRAMS_H

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
extern const struct program_group bucket_programs;
extern const struct program_group cond_programs;
extern const struct program_group rwlock_programs;
extern const struct program_group sem_programs;
extern const struct program_group barrier_programs;
extern const struct program_group latch_programs;
extern const struct program_group once_programs;
extern const struct program_group atomic_programs;
extern const struct program_group ipc_mutex_programs;
extern const struct program_group ipc_rwlock_programs;
extern const struct program_group ipc_permits_programs;
extern const struct program_group ipc_barrier_programs;
extern const struct program_group ipc_once_programs;
extern const struct program_group ipc_sem_programs;
extern const struct program_group ipc_journal_programs;
extern const struct program_group ipc_cond_programs;
extern const struct program_group ipc_head_programs;
extern const struct program_group ipc_directory_programs;
extern const struct program_group ipc_join_programs;
extern const struct program_group ipc_member_programs;
extern const struct program_group ipc_deaths_programs;
extern const struct program_group ipc_atomic_programs;
extern const struct program_group ipc_stripe_programs;
extern const struct program_group ipc_table_programs;
extern const struct program_group posix_sem_programs;
extern const struct program_group posix_cond_programs;
extern const struct program_group posix_rwlock_programs;
extern const struct program_group posix_barrier_programs;
extern const struct program_group posix_mutex_programs;
extern const struct program_group rt_programs;
extern const struct program_group scx_programs;

#endif
