/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_GROUND_H
#define FW_TEST_IPC_GROUND_H

#include <stddef.h>

#include "ipc/region/layout.h"
#include "ipc/region/mapping.h"
#include "ipc/region/member.h"

/* A region for unit tests of what lies below fw_region: anonymous, inherited by forked children. */
struct ground {
    char *base;
    size_t size;
    size_t objects_at;
    const struct fw_ipc_mapping_ *mapping;
};

enum { GROUND_SIZE = 65536 };

/* With lines for so many members. */
struct ground ground_make(unsigned members);
void ground_unmake(struct ground *g);

/* The n-th of the objects, 256 bytes each, zeroes. */
void *ground_object(const struct ground *g, unsigned n);

/* Runs body in a forked child, which then exits; returns its process id. */
int ground_fork(void (*body)(void *), void *arg);

/* Waits for a child: its exit status, or -signal. */
int ground_reap(int child);

/* Kills it, and waits until it is gone. */
void ground_kill(int child);

#endif
