/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_WAITS_PROGRAM_H
#define FW_BPF_WAITS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/lib/result.h"
#include "bpf/waits/waits.h"

/*
 * The program that watches waits in futex calls (waits.bpf.c), loaded and attached.  Nothing of it
 * is pinned: it ends with the process that has loaded it, however that ends.
 *
 * One thread at a time may use it.  The tables are the program's own, mapped: they change at any
 * time.
 */
struct fw_waits;

/* Was this program built with it?  If not, fw_waits_open returns FW_BPF_NOT_SUPPORTED. */
bool fw_waits_built_in(void);

/* Can it be loaded here, by this process?  Loads it, and lets go of it. */
fw_bpf_result fw_waits_possible(char *text, size_t size);

/*
 * Loads it, and watches nothing yet, or all processes.  FW_BPF_DONE: *waits is to be closed.
 * Otherwise `text` has one line that says why not.
 */
fw_bpf_result fw_waits_open(struct fw_waits **waits, bool all, char *text, size_t size);
void fw_waits_close(struct fw_waits *waits);

/* Attaches it: from here on it counts. */
fw_bpf_result fw_waits_attach(struct fw_waits *waits, char *text, size_t size);

/* It counts no longer; what it has counted, and the events that were not read yet, are there. */
void fw_waits_detach(struct fw_waits *waits);

/* Finds the threads that sleep in a futex call already.  Returns 0, or an errno. */
int fw_waits_find_present(struct fw_waits *waits);

/* Watches the process, or no longer. */
void fw_waits_observe(struct fw_waits *waits, pid_t pid, bool is_observed);
bool fw_waits_is_observed(const struct fw_waits *waits, pid_t pid);

/* Forgets all locks of a process that has ended. */
void fw_waits_forget(struct fw_waits *waits, pid_t pid);

/* How far apart samples of a lock shall be, about, in ns.  0: all waits. */
void fw_waits_set_interval(struct fw_waits *waits, uint32_t ns);

/* Calls `take` for each event that has come.  Returns their number. */
typedef void fw_waits_take(void *context, const struct fw_waits_event *event);
unsigned fw_waits_read(struct fw_waits *waits, fw_waits_take *take, void *context);

/* The tables. */
struct fw_waits_lock *fw_waits_locks(struct fw_waits *waits);       /* FW_WAITS_LOCKS */
const struct fw_waits_slot *fw_waits_slots(struct fw_waits *waits); /* FW_WAITS_SLOTS */
const struct fw_waits_control *fw_waits_control(struct fw_waits *waits);

/* How long the programs in the kernel ran, and how often; 0, unless kernel.bpf_stats_enabled. */
void fw_waits_cost(struct fw_waits *waits, uint64_t *ns, uint64_t *runs);

#endif
