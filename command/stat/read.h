/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_READ_H
#define FW_COMMAND_STAT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/inspect.h"

/* What the processes of a run have counted (posix/stat_file.h), as it is at that moment. */

struct stat_process {
    struct fw_stat_file_ *file; /* a copy; the last wait of each thread is in the tables */
    char *name;                 /* of the file */
    char *maps;                 /* path of the copies of its memory map */
    uint64_t waits, ns;         /* of threads, for locks: not for conditions and barriers */
    uint16_t *locks;            /* indices of those that were waited for, most time first */
    unsigned lock_count;
};

struct stat_reading {
    uint64_t at;                    /* CLOCK_MONOTONIC */
    struct stat_process *processes; /* those that waited, most time first */
    unsigned count;
    unsigned quiet; /* how many others never did */
};

/* Reads what is in the directory. */
void stat_read(const char *directory, struct stat_reading *r);
void stat_free(struct stat_reading *r);

/* Leaves in `now` what has come since `before`; of the longest waits, a bound is known then. */
void stat_subtract(struct stat_reading *now, const struct stat_reading *before);

/* Is it a lock?  For a condition or a barrier one waits until something happens. */
bool stat_is_lock(uint64_t key);

/* The time that the share (0 to 1) of the waits did not exceed, by the histogram. */
uint64_t stat_percentile(const struct fw_stat_lock_ *l, double share);

uint64_t stat_object(uint64_t key);

/* The name of the thread, where it has ever waited; "". */
const char *stat_thread_name(const struct stat_process *p, uint32_t thread);

/* Indices of the lock's locations, most time first; at most n of them.  Answers how many. */
unsigned stat_sites(const struct stat_process *p, unsigned lock, uint16_t *found, unsigned n);
unsigned stat_holders(const struct stat_process *p, unsigned lock, uint16_t *found, unsigned n);

/* The chain of calls that most often led to that wait; NULL: none was taken. */
const struct fw_stat_chain_ *stat_chain(const struct stat_process *p, unsigned lock,
                                        uint64_t waiter);

#endif
