/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_BARRIER_CHECK_H
#define MODEL_IPC_BARRIER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/barrier.h>

/*
 * What must hold of a barrier between processes, whoever its parties are and in whatever epoch.
 *
 * At each change of a party's word: it is that party's own; or nobody alive has it in the present
 * epoch.
 *
 * At each change of the round's word, it is one of those of the table in src/ipc/barrier.c, and
 * IBAR2 and IBAR3 hold of the parties' words at that moment: a round ends where none is vacant, and
 * nobody alive has still to arrive (except one that came or withdrew, and has not told the round's
 * word yet: IBAR4); it fails where somebody died who has not arrived.
 *
 * What a thread is told is what became of the round in which it arrived; and of those who wait for
 * a round to its end exactly one is told that it is the serial one, unless one was killed over it.
 */
void barrier_check_begin(fw_ipc_barrier *b, uint32_t parties, bool is_to_fail);

/* The program makes the barrier fail, as if a party had died. */
void barrier_check_spoil(void);

/* Around a thread's calls: before it arrives; with each answer, by what the call does. */
enum barrier_call { CALL_ARRIVES, CALL_AWAITS, CALL_WAITS };
void barrier_check_comes(unsigned thread);
void barrier_check_told(unsigned thread, int error, enum barrier_call call);

/* For the hooks of these names. */
void barrier_check_changed(unsigned thread, uint64_t addr, uint64_t before);
void barrier_check_killed(unsigned thread);
void barrier_check_finished(void);

#endif
