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

/* All groups, as --list shows them. */
#define PROGRAM_GROUPS(GROUP)                                                                      \
    GROUP(litmus), GROUP(sleepers), GROUP(mutex), GROUP(queue), GROUP(condition), GROUP(cond),     \
        GROUP(rwlock), GROUP(sem), GROUP(await), GROUP(note), GROUP(barrier), GROUP(latch),        \
        GROUP(once), GROUP(atomic), GROUP(ipc_mutex), GROUP(ipc_rwlock), GROUP(ipc_rwlock_task),   \
        GROUP(ipc_permits), GROUP(ipc_barrier), GROUP(ipc_once), GROUP(ipc_journal),               \
        GROUP(ipc_cond), GROUP(ipc_await), GROUP(ipc_await_permits), GROUP(ipc_await_rwlock),      \
        GROUP(posix_sem), GROUP(posix_cond), GROUP(posix_rwlock), GROUP(posix_barrier),            \
        GROUP(posix_mutex), GROUP(rt), GROUP(scx), GROUP(bucket), GROUP(ipc_sem), GROUP(ipc_head), \
        GROUP(ipc_directory), GROUP(ipc_join), GROUP(ipc_participant), GROUP(ipc_deaths),          \
        GROUP(ipc_atomic), GROUP(ipc_stripe), GROUP(ipc_table), GROUP(kmod)

#define PROGRAM_GROUP_(file) file##_programs
extern const struct program_group PROGRAM_GROUPS(PROGRAM_GROUP_);

/* Behind a file's table of programs, and its hooks. */
#define GROUP(file, called)                                         \
    const struct program_group file##_programs = {called, programs, \
                                                  sizeof programs / sizeof *programs}

/* What a file's programs share: the fields of struct model_hooks. */
#define HOOKS(name, ...) const struct model_hooks name = {__VA_ARGS__}

/* A program: its hooks, its name, its threads' script (script.h); and other fields. */
#define SCRIPTED(hooks_, called, ...)                             \
    {                                                             \
        .name = called, .hooks = &(hooks_), .script = __VA_ARGS__ \
    }

/* A program of its own, without a script, and what it is to show, or NULL. */
#define PLAIN(called, what, n, setup_, thread_, finished_, ...)                                   \
    {                                                                                             \
        .name = called, .about = what, .threads = n,                                              \
        .hooks = &(                                                                               \
            const struct model_hooks){.setup = setup_, .thread = thread_, .finished = finished_}, \
        .expects = __VA_ARGS__                                                                    \
    }

#define WITH_OPTIONS(type, ...) \
    .arg = &(const struct type) \
    {                           \
        __VA_ARGS__             \
    }

/* Parts of a program.  BOUND: explored with at most n preemptions, by --deep with more; 0: any. */
#define BOUND(n, deep) .preemptions = (n), .deep_preemptions = (deep)
#define ABOUT(what) .about = what /* what the script and the other fields do not tell */
#define KILLS(n) .budget.kills = (n)
#define CANCELS(n) .budget.cancels = (n)
#define TICKS(n) .budget.ticks = (n)
#define REFUSALS(n) .budget.refusals = (n)
#define INTERRUPTED .budget.spurious = 1, .budget.eintr = 1
/* Waits that may find nothing: a thread that sleeps in the end must not have been to be woken. */
#define MAY_SLEEP .leaves_asleep = true
#define FROM(word) .initial = (word)

#endif
