/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_PROCESSES_H
#define FW_TEST_SUPPORT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "child.h"
#include "deadline.h"

/*
 * What tests with several processes share, beside child.h.  Whatever fails ends the program with a
 * line.
 */

/* Under a sanitizer or an emulator everything takes longer: a part of the work is enough. */
extern const bool is_constrained;

/*
 * The same elsewhere, in a run of the tests that is not in full: TESTS_IN_FULL is not in the
 * environment.
 */
bool is_brief(void);

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition)                                       \
    do {                                                       \
        if (!(condition))                                      \
            fail("%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* Says why and ends the program as skipped. */
_Noreturn void skip(const char *why);

/* If that many seconds pass, the program ends with a line that says what hung. */
void limit(unsigned seconds, const char *what);

/* Random numbers: xorshift of a state that is not 0. */
uint64_t draw(uint64_t *state);

#endif
