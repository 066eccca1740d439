/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_WHY_H
#define FW_COMMAND_RT_RUN_WHY_H

#include <furwock/rt.h>
#include <jansson.h>
#include <stdint.h>

#include "run.h"

/*
 * furwock rt run in tier B: what the scheduler has noted (rt/scx/page.h) while a job was there that
 * was blocked for longer than its limit; so that it can be seen why.
 */

/* When the thread could run again last, by the scheduler; 0: tier A, where nobody says. */
uint64_t rt_run_woken(const fw_rt_task *task);

struct run_notes {
    struct fw_rt_scx_note *note;
    size_t count;
    uint64_t seen, lost; /* numbers up to that one; those that were overwritten before */
};

/* Takes over what the scheduler has noted since the last call.  In tier A there is nothing. */
void rt_run_notes_read(struct run_notes *notes);
void rt_run_notes_free(struct run_notes *notes);

/* Of the jobs in `kept`. */
void rt_run_why_print(const struct run_notes *notes, const struct taskset *set,
                      const struct run_result *result);
json_t *rt_run_why_json(const struct run_notes *notes, const struct taskset_task *task,
                        const struct run_result *result);

#endif
