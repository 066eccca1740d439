/* SPDX-License-Identifier: MIT */
#include "wait_fixture.h"
#include "test/support/testing.h"

struct ground ground;
uint32_t *word;
struct fw_ipc_me_ me;

int make(void **state)
{
    (void)state;
    ground = ground_make(4);
    word = ground_object(&ground, 0);
    return fw_ipc_enter_(word, &me);
}

int unmake(void **state)
{
    (void)state;
    ground_unmake(&ground);
    return 0;
}

struct fw_ipc_wait_ begin(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;

    assert_int_equal(fw_ipc_wait_begin_(&w, &me, word, FW_IPC_WAITS_ELSE, policy, deadline), 0);
    return w;
}
