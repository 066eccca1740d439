/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_PROCESSES_H
#define FW_TEST_SUPPORT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "deadline.h"

/*
 * What tests with several processes share: children that die with their parent, and can be killed.
 * Whatever fails ends the program with a line.
 */

/* Under a sanitizer or an emulator everything takes longer: a part of the work is enough. */
extern const bool is_constrained;

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition)                                       \
    do {                                                       \
        if (!(condition))                                      \
            fail("%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* Says why and ends the program as skipped. */
_Noreturn void skip(const char *why);

/* A child process; it dies with its parent. */
pid_t start(void (*body)(void *), void *arg);

/* Waits for it; fails unless it ended with status 0. */
void finish(pid_t child);

/* Kills it with SIGKILL and waits for it; fails if it had ended before. */
void kill_and_wait(pid_t child);

/* Zeroes, for this process and its children to come. */
void *share(size_t n);

/* If that many seconds pass, the program ends with a line that says what hung. */
void limit(unsigned seconds, const char *what);

/* Random numbers: xorshift of a state that is not 0. */
uint64_t draw(uint64_t *state);

#endif
