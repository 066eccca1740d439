/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ASSIST_FORGER_H
#define FW_TEST_ASSIST_FORGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/running_page.h"

/*
 * Pages that say whatever a test likes, in a memfd: no privileges needed, and no BPF.  How often
 * the page is rung for is counted; the kernel is not told.
 */
struct forged {
    int fd;
    struct fw_assist_page *page; /* writable, and shared */
};

/* A page as an assist has it that has just been started: no thread is known. */
struct forged forge_page(void);

/* From now on the library reads this page.  False: it does not want it. */
bool forge_use(const struct forged *f);

/* From now on it reads none. */
void forge_vanish(void);

/* The thread of this pid namespace does so, the page says; its switches: `switches`. */
void forge_thread(const struct forged *f, uint32_t tid, uint64_t state, unsigned switches);

/* It says that n threads are runnable on each CPU. */
void forge_runnable(const struct forged *f, uint32_t n);

/* How often this process and those that it was forked from have rung. */
unsigned forge_rung(void);

/* The number of the pid namespace, as entries have it. */
uint32_t forge_namespace(void);

#endif
