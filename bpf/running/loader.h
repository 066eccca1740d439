/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_RUNNING_LOADER_H
#define FW_BPF_RUNNING_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/lib/result.h"

/*
 * Loads the program that keeps the page (running.bpf.c, page.h) into the kernel, where it stays
 * until it is stopped: no process of ours is needed in between.  What holds it are pins in a file
 * system of its own, mounted on FW_ASSIST_MOUNT.
 *
 * The calls leave one line without a newline in `text`, also if they succeed.  start and stop
 * exclude each other, whichever process calls them.  A start that fails leaves nothing behind, and
 * one that is killed nothing except empty directories; what a stop that is killed leaves is cleared
 * away by the next start or stop.
 *
 * Only the program in the kernel can write to the page, not even root: it is frozen.  Still its pin
 * carries the right to write for those that may read it: the kernel maps no other.
 */
/* Which users may map the page beside root: none, a group, or all. */
typedef enum fw_assist_readers {
    FW_ASSIST_READ_BY_ROOT,
    FW_ASSIST_READ_BY_GROUP,
    FW_ASSIST_READ_BY_ANYBODY
} fw_assist_readers;

struct fw_assist_options {
    fw_assist_readers readers;
    gid_t group; /* FW_ASSIST_READ_BY_GROUP */
    uint32_t
        registration; /* 0: the best that the kernel has, FW_ASSIST_ALL excluded; or that one */
};

struct fw_assist_status {
    bool running;     /* the rest is filled in only then */
    uint32_t version; /* of the page; if it is not FW_ASSIST_VERSION, the rest is not filled in */
    uint32_t registration; /* FW_ASSIST_BY_RING ... */
    uint32_t participants; /* processes */
    uint64_t switches;     /* to threads of participants, since the start; modulo 2^32 for a CPU */
    fw_assist_readers readers;  /* as the pin's mode has it */
    gid_t group;                /* FW_ASSIST_READ_BY_GROUP */
    uint64_t run_count, run_ns; /* of the switch program, where kernel.bpf_stats_enabled; or 0 */
};

/* Was this program built with the assist?  If not, all calls return FW_BPF_NOT_SUPPORTED. */
bool fw_assist_built_in(void);

fw_bpf_result fw_assist_start(const struct fw_assist_options *options, char *text, size_t size);

/*
 * The readers are told first, in the page; then all is taken away.  Stops any version, and clears
 * away what is left of one that has ended.
 */
fw_bpf_result fw_assist_stop(char *text, size_t size);

/*
 * FW_BPF_DONE also if nothing runs.  FW_BPF_NOT_PERMITTED to those who may not read the
 * page: they are told only that it runs, and who may.  Only root is told the counts of runs.
 */
fw_bpf_result fw_assist_status(struct fw_assist_status *status, char *text, size_t size);

#endif
