/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_SCHED_LOADER_H
#define FW_BPF_SCHED_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/lib/result.h"
#include "rt/scx/page.h"

/*
 * Loads the scheduler of tier B (sched.bpf.c, page.h) into the kernel, where it stays until it is
 * stopped, or the kernel throws it out; no process of ours is needed in between.  What holds it are
 * pins in a file system of its own, mounted on FW_RT_SCX_MOUNT.
 *
 * The calls leave one line without a newline in `text`, also if they succeed.  start and stop
 * exclude each other, whichever process calls them.  A start that fails leaves nothing behind; what
 * one that is killed leaves is cleared away by the next start or stop.
 */
struct fw_rt_scx_options {
    const struct fw_rt_scx_grant *grants; /* which other users to admit, beside root */
    unsigned n;                           /* at most FW_RT_SCX_GRANTS - 1; root has all there is */
};

/* Was this program built with it?  If not, all calls return FW_BPF_NOT_SUPPORTED. */
bool fw_rt_scx_built_in(void);

fw_bpf_result fw_rt_scx_start(const struct fw_rt_scx_options *options, char *text, size_t size);

/* Its tasks go on by themselves (page.h).  Clears away what is left of one that has ended. */
fw_bpf_result fw_rt_scx_stop(char *text, size_t size);

/* Could it be started here?  Needs no privilege; `text` says what is missing, or what runs. */
fw_bpf_result fw_rt_scx_possible(char *text, size_t size);

/* Could it have permits there (PCP-DU-PF)?  `text` says why not. */
fw_bpf_result fw_rt_scx_permits_possible(char *text, size_t size);

/*
 * The state of the scheduler that runs, or (alive == 0) of the one that did, mapped for reading;
 * NULL: there is none, or (errno) EACCES, EPERM, ESTALE: another version's.  munmap gives it back.
 */
const struct fw_rt_scx_state *fw_rt_scx_state_map(void);

#endif
