/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_TSAN_FORKS_H
#define FW_TEST_TSAN_FORKS_H

/* For one source of a test whose children, forked with threads, start threads: TSan allows it. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#endif
