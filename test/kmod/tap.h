/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_KMOD_TAP_H
#define FW_TEST_KMOD_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Tests of the kernel module, which say how they went as the kernel's own do (kselftest: the Test
 * Anything Protocol).  Each is a process of its own, and ends by itself or by a limit that only
 * what hangs reaches.
 *
 *     CASE(wakes_one)
 *     {
 *         CHECK(call(...) == 0);
 *     }
 */
struct tap_case {
    const char *name;
    void (*run)(void);
    struct tap_case *next;
};

void tap_add(struct tap_case *c);

/* Of all cases, or those with `part` in their name, each after `begin` in its process; the exit
 * status of the program. */
int tap_run(const char *part, void (*begin)(void));

#define CASE(name)                                                  \
    static void case_##name(void);                                  \
    static struct tap_case tap_##name = {#name, case_##name, NULL}; \
    __attribute__((constructor)) static void add_##name(void)       \
    {                                                               \
        tap_add(&tap_##name);                                       \
    }                                                               \
    static void case_##name(void)

/* Ends the case, which has failed. */
#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            fflush(stdout);                                          \
            _Exit(1);                                                \
        }                                                            \
    } while (0)

/* The same, of a number: says what it is. */
#define CHECK_IS(value, wanted)                                                                \
    do {                                                                                       \
        long is_ = (long)(value), wanted_ = (long)(wanted);                                    \
        if (is_ != wanted_) {                                                                  \
            printf("# %s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #value, is_, wanted_); \
            fflush(stdout);                                                                    \
            _Exit(1);                                                                          \
        }                                                                                      \
    } while (0)

/* Ends the case: it cannot be done here. */
#define SKIP(why)                \
    do {                         \
        printf("# %s\n", (why)); \
        fflush(stdout);          \
        _Exit(77);               \
    } while (0)

#endif
