/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_REGION_WORD_H
#define FW_AWAIT_REGION_WORD_H

#include <stdint.h>

#include <furwock/await.h>

/*
 * For objects of the bindings: ends (0) when the word, aligned to 8 bytes, is no longer as
 * expected, or somebody was woken there.  It takes nothing; what to do about the wake that it may
 * have been given is the caller's business, and so is the waiters flag of the word.  Returns what
 * fw_await_ipc_mutex does; 0: it is not as expected already.
 */
int fw_await_ipc_word_(fw_await *op, const uint32_t *word, uint32_t expected,
                       const fw_deadline *deadline);

#endif
