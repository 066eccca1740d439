/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_VM_SCX_H
#define FW_TEST_VM_SCX_H

/*
 * Tasks of tier B without the library: they speak to the scheduler as rt/scx/page.h has it, so that
 * what fails here is the scheduler's.  Whatever goes wrong ends the program with a queue.
 */
#include <stdbool.h>
#include <stdint.h>

#include "rt/scx/page.h"

struct scx_task {
    volatile struct fw_rt_scx_page *page;
    volatile struct fw_rt_scx_shared *shared;
    uint32_t slot;
    uint32_t asked; /* requests that took a call */
};

enum { SCX_SKIPPED = 77 };

/* Skips outside of a virtual machine of tools/vm, where the system's scheduler is not ours. */
void scx_need_vm(void);

/* Starts the scheduler, and maps its memory; skips where the kernel has no sched_ext. */
void scx_start(void);
struct fw_rt_scx_options;
void scx_start_for(const struct fw_rt_scx_options *options);
void scx_stop(void);
const volatile struct fw_rt_scx_state *scx_state(void);

void scx_check(bool good, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* The calling thread becomes a task on the CPU; `key` is its group. */
void scx_join(struct scx_task *t, uint64_t key, const char *name, unsigned cpu, unsigned base);
void scx_leave(struct scx_task *t);
unsigned scx_ask(struct scx_task *t, enum fw_rt_scx_op op, unsigned d);
unsigned scx_open(struct scx_task *t, const char *name, enum fw_rt_kind kind, unsigned ceiling,
                  unsigned *d);

/* 0 or EOWNERDEAD. */
unsigned scx_lock(struct scx_task *t, enum fw_rt_kind kind, unsigned d);
void scx_unlock(struct scx_task *t, enum fw_rt_kind kind, unsigned d);

/* Uses so much of the CPU. */
void scx_burn_ms(unsigned ms);

/* Waits, without sleeping, until the condition holds; 10 s at most. */
#define SCX_UNTIL(condition)                                           \
    do {                                                               \
        for (unsigned round_ = 0; !(condition); round_++) {            \
            scx_check(round_ < 10000, "without success: " #condition); \
            scx_burn_ms(1);                                            \
        }                                                              \
    } while (0)

/* The queue of events that have happened, a letter each. */
void scx_say(char event);
const char *scx_said(void);
void scx_forget(void);
bool scx_has_said(char event);

#endif
