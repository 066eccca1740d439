/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_FIXTURE_H
#define FW_TEST_IPC_FIXTURE_H

#include <stddef.h>

#include "ipc/region/layout.h"
#include "ipc/region/mapping.h"
#include "ipc/region/participant.h"
#include "test/support/child.h"

/* A region for unit tests of what lies below fw_region: anonymous, inherited by forked children. */
struct fixture {
    char *base;
    size_t size;
    size_t objects_at;
    const struct fw_ipc_mapping_ *mapping;
};

enum { FIXTURE_SIZE = 65536 };

/* Most tests have one, made before each of them; this is what ends it. */
extern struct fixture fixture;
void fixture_end(void);

/* With slots for that many participants. */
struct fixture fixture_make(unsigned participants);
void fixture_unmake(struct fixture *g);

/* The n-th of the objects, 256 bytes each, zeroes. */
void *fixture_object(const struct fixture *g, unsigned n);

#endif
