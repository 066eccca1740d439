/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_AGENT_FIXTURE_H
#define FW_TEST_AGENT_FIXTURE_H

#include <furwock/ipc/mutex.h>

#include "fixture.h"
#include "ipc/region/agent.h"
#include "ipc/task.h"
#include "test/support/unit.h"

/* A region with a mutex that tasks take, for whom the agent has it. */
#define TASK(n) ((UINT32_C(1) << 22 | (n)) << FW_ID_SHIFT | FW_ID_HELD)
enum { PARTICIPANTS = 8 };

static fw_ipc_mutex *m;
static struct fw_ipc_me_ agent;

static int make(void)
{
    fixture = fixture_make(PARTICIPANTS);
    m = fixture_object(&fixture, 0);
    return fw_ipc_mutex_init(m);
}

static void unmake(void)
{
    fw_ipc_agent_stop_(fixture.mapping);
    fixture_unmake(&fixture);
}

static void take(unsigned task)
{
    uint64_t now;

    assert_int_equal(fw_ipc_agent_(fixture.mapping, &agent), 0);
    assert_int_equal(fw_ipc_mutex_attempt_(m, &agent, fw_ipc_task_bits_(TASK(task)), &now), 0);
    fw_ipc_agent_note_(m, TASK(task));
    fw_ipc_agent_use_(fixture.mapping);
}

#endif
