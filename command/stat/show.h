/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_SHOW_H
#define FW_COMMAND_STAT_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "read.h"

/* What is shown of a reading. */
struct stat_about {
    char *const *words; /* the program's */
    uint64_t began;     /* CLOCK_MONOTONIC; of this reading: the run, or the second */
    bool is_over;       /* the program has ended */
    bool is_brief;      /* some lines only */
    bool shows_waiting; /* also who waits right now, or waited at the end */
    int status;         /* exit status, where it is over */
    unsigned going_on;  /* processes that go on without it */
};

void stat_print(const struct stat_reading *r, const struct stat_about *about, FILE *out);
json_t *stat_json(const struct stat_reading *r, const struct stat_about *about);

/* Does the thread wait, at the moment of the reading (or at the end)? */
bool stat_waits(const struct stat_process *p, const struct fw_stat_thread_ *t, bool is_over);

#endif
