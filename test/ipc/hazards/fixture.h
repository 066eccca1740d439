/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_HAZARDS_FIXTURE_H
#define FW_TEST_IPC_HAZARDS_FIXTURE_H

#include <stdint.h>
#include <sys/types.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>
#include <furwock/ipc/rwlock.h>

#include "processes.h"
#include "test/support/deadline.h"

/*
 * What tests of hazards share: a region with some objects, of which a process holds some, and
 * something happens to that process.
 */
enum { LOCKS = 4, FLAGS = 16, LONG_MS = 100000, SHORT_MS = 150 };

struct fixture {
    fw_region *region;
    fw_ipc_mutex *m[LOCKS];
    fw_ipc_rwlock *rw;
    uint32_t *flags; /* shared */
    int fd;          /* of the region */
};
extern struct fixture fixture;

/* A region of that many bytes. */
void fixture_make(size_t size);

/* A child's own mapping of it instead of the one that it inherited. */
void fixture_remap(void);

/* Flags that processes raise for each other; await fails after LONG_MS. */
void flag_raise(unsigned i);
void flag_await(unsigned i);

/* lock, within LONG_MS. */
int lock_soon(fw_ipc_mutex *m);

/* Somebody who lives has it, and keeps it: nobody gets it for 150 ms. */
void expect_held(fw_ipc_mutex *m);

/* Its holder is dead, and was that thread (0: whichever): had with EOWNERDEAD, and repaired. */
void expect_left(fw_ipc_mutex *m, pid_t process, pid_t thread);

/* It is free, and whole. */
void expect_free(fw_ipc_mutex *m);

/* A child that takes m[i], raises flag i, and stays. */
pid_t start_holder(unsigned i);

/* A case: says its name, and has three times LONG_MS. */
void run_case(const char *name, void (*body)(void));
#define CASE(body) run_case(#body, body)

#endif
