/* SPDX-License-Identifier: MIT */
/* The programs for the condition variable; their scripts are explained in cond_script.h. */
#include "cond_script.h"
#include "programs.h"

#define PROGRAM(called, what, n, ...)                                                        \
    {                                                                                        \
        .name = called, .about = what, .threads = n, .rooms = 1, .setup = cond_script_setup, \
        .thread = cond_script_thread, .finished = cond_script_finished,                      \
        .changed = cond_watch_changed, .describe = cond_watch_describe, __VA_ARGS__          \
    }
#define SCRIPT(...)                \
    &(const struct cond_script)    \
    {                              \
        .threads = { __VA_ARGS__ } \
    }

static const struct model_program programs[] = {
    PROGRAM("cond-signal", "a waiter, a signal with the mutex held", 2,
            .arg = SCRIPT("lock wait unlock", "lock put signal unlock")),
    PROGRAM("cond-signal-after", "a signal without the mutex", 2,
            .arg = SCRIPT("lock wait unlock", "lock put unlock signal")),
    PROGRAM(
        "cond-signal-two", "two waiters, two signals", 3, .generic = true,
        .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put signal signal unlock")),
    PROGRAM("cond-signal-any", "a signal meets what waiters there are", 3, .leaves_asleep = true,
            .arg = SCRIPT("lock once unlock", "lock once unlock", "signal signal")),
    PROGRAM("cond-broadcast", "a broadcast with the mutex held", 3, .generic = true,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put broadcast unlock")),
    PROGRAM("cond-broadcast-after", "a broadcast without the mutex", 3,
            .arg = SCRIPT("lock wait unlock", "lock wait unlock", "lock put put unlock broadcast")),
};

const struct program_group cond_programs = {"cond", programs, sizeof programs / sizeof *programs};
