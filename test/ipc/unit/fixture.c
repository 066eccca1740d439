/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <sys/mman.h>

#include "ipc/region/head.h"
#include "test/support/testing.h"

struct fixture fixture;

enum { PARTICIPANTS_AT = 8192, OBJECT = 256 };

struct fixture fixture_make(unsigned participants)
{
    struct fw_ipc_plan_ plan = {.size = FIXTURE_SIZE + participants * FW_IPC_PARTICIPANT_SIZE,
                                .participant_count = participants,
                                .participants_at = PARTICIPANTS_AT,
                                .objects_at =
                                    PARTICIPANTS_AT + participants * FW_IPC_PARTICIPANT_SIZE};
    struct fixture g = {.size = plan.size, .objects_at = plan.objects_at};

    g.base = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.base, MAP_FAILED);
    assert_int_equal(fw_ipc_mapping_add_(g.base, &plan, &g.mapping), 0);
    return g;
}

void fixture_unmake(struct fixture *g)
{
    fw_ipc_leave_(g->mapping);
    fw_ipc_mapping_remove_(g->mapping);
    munmap(g->base, g->size);
}

void fixture_end(void)
{
    fixture_unmake(&fixture);
}

void *fixture_object(const struct fixture *g, unsigned n)
{
    return g->base + g->objects_at + n * (size_t)OBJECT;
}
