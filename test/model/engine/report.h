/* SPDX-License-Identifier: MIT */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "perform.h"

/*
 * The readable side: while a schedule is replayed with tracing on, every step is a line.
 * All of these do nothing while tracing is off.
 */
extern bool report_on;

void report_begin(void);
void report_step(unsigned step, struct model_choice choice); /* before it is performed */
void report_end_step(void);

/* What a step did; may be called several times in one step. */
void report_value(uint64_t addr, uint64_t size, uint64_t value);
void report_buffered(uint64_t addr, uint64_t size, uint64_t value);
void report_change(uint64_t addr, uint64_t size, uint64_t value);
void report_arrival(unsigned thread, uint64_t addr, uint64_t size, uint64_t value);
void report_plain(uint64_t addr, uint64_t size);
void report_result(const char *text);
void report_woken(unsigned thread);
void report_moved(unsigned thread);
void report_aborted(unsigned thread);

/* Remarks of programs and checks: "locked", "in the critical section"; `text` is a constant. */
void report_remark(unsigned thread, const char *text);

/* What is in the objects, where it is not zero. */
void report_memory(void);

/* What went wrong, in a line; also while tracing is off. */
void report_failure(const struct model_failure *f);

#endif
