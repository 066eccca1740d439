/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_VM_SCX_H
#define FW_TEST_VM_SCX_H

/*
 * Tasks of tier B without the library: they speak to the scheduler as rt/scx/page.h has it, so that
 * what fails here is the scheduler's.  Whatever goes wrong ends the program with a line.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

/* A map of the scheduler's, by its path: a descriptor, or -1 with errno. */
int scx_get(const char *path);

/* No task that is there: its last trace is gone. */
bool scx_is_clear(void);

/* No page has the leave to lock: once the scheduler says that it has ended (SCX2). */
void scx_check_no_leave(void);

/* The kernel ends it (sysrq). */
void scx_throw_out(void);
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

/* Takes a lock with a ceiling without a call, if the page has the leave to. */
bool scx_take(struct scx_task *t, unsigned d);

/* Threads and processes. */
pthread_t scx_thread(void *(*run)(void *), uintptr_t argument);
void *scx_shared_memory(size_t size);
void scx_pin(pid_t thread, unsigned cpu); /* 0: the calling one */
void scx_become_urgent(void);             /* SCHED_FIFO, and its children not */
void scx_finish(pid_t child);             /* it ends well */
void scx_kill(pid_t child);
void scx_write_file(const char *path, const char *text);

/* Uses so much of the CPU, or none of it: others, which are not above, are to run. */
void scx_burn_ms(unsigned ms);
void scx_sleep_ms(unsigned ms);

/* Flags in shared memory; awaits one asleep, 10 s at most. */
void scx_set(uint32_t *flag);
bool scx_is_set(const uint32_t *flag);
void scx_await(const uint32_t *flag, const char *what);

/* Waits, without sleeping, until the condition holds; 10 s at most. */
#define SCX_UNTIL(condition)                                           \
    do {                                                               \
        for (unsigned round_ = 0; !(condition); round_++) {            \
            scx_check(round_ < 10000, "without success: " #condition); \
            scx_burn_ms(1);                                            \
        }                                                              \
    } while (0)

/* The events that have happened, a letter each. */
void scx_say(char event);
const char *scx_said(void);
void scx_forget(void);
bool scx_has_said(char event);

#endif
