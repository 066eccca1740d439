/* SPDX-License-Identifier: MIT */
#ifndef FW_RWLOCK_LINE_H
#define FW_RWLOCK_LINE_H

#include <stdbool.h>

#include <furwock/rwlock.h>

#include "wait.h"

/* What happens when a read-write lock has to wait, or somebody waits for it. */

enum rw_want { RW_READ, RW_WRITE, RW_UPREAD, RW_UPGRADE };

/* What a holder does with its hold. */
enum rw_change {
    RW_NOTHING,
    RW_READER_LEAVES,
    RW_WRITER_LEAVES,
    RW_UPREADER_LEAVES,
    RW_WRITER_READS,
    RW_WRITER_UPREADS,
    RW_UPREADER_READS
};

/* Stands in line until the lock is granted or taken (0), or the time is over (ETIMEDOUT). */
int fw_rw_stand_in_line_(fw_rwlock *l, enum rw_want want, struct fw_wait_ *wait);

/*
 * Makes the change, which the caller may make, and gives the line what is due to it.  A writer that
 * is on the way is not waited for if hand_over is set: the first is handed the lock.
 */
void fw_rw_let_go_(fw_rwlock *l, enum rw_change change, bool hand_over);

#endif
