/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_WAIT_FIXTURE_H
#define FW_TEST_IPC_WAIT_FIXTURE_H

#include <stdint.h>

#include "fixture.h"
#include "ipc/wait.h"

/* A region in which the calling thread is a member, and a word of it to wait for. */
extern struct ground ground;
extern uint32_t *word;
extern struct fw_ipc_me_ me;

int make(void **state);
int unmake(void **state);

/* A wait for the word, which the caller ends. */
struct fw_ipc_wait_ begin(const fw_wait_policy *policy, const fw_deadline *deadline);

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

#endif
