/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_WAIT_FIXTURE_H
#define FW_TEST_IPC_WAIT_FIXTURE_H

#include <stdint.h>

#include "fixture.h"
#include "ipc/wait.h"
#include "unit.h"

/* A region in which the calling thread is a participant, and a word of it to wait for. */
static uint32_t *word;
static struct fw_ipc_me_ me;

static int make(void)
{
    fixture = fixture_make(4);
    word = fixture_object(&fixture, 0);
    return fw_ipc_enter_(word, &me);
}

/* A wait for the word, which the caller ends. */
static struct fw_ipc_wait_ begin(const fw_wait_policy *policy, const fw_deadline *deadline)
{
    struct fw_ipc_wait_ w;

    assert_int_equal(fw_ipc_wait_begin_(&w, &me, word, FW_IPC_WAITS_ELSE, policy, deadline), 0);
    return w;
}

#endif
