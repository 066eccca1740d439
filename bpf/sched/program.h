/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_SCHED_PROGRAM_H
#define FW_BPF_SCHED_PROGRAM_H

#include "bpf/sched/loader.h"

/* The scheduler: sched.bpf.c, loaded and running. */

/*
 * object.c: sched0.o to sched3.o (CMakeLists.txt).  1 and 2 have permits; FW_RT_SCX_OLDER: without
 * permits, for kernels that know other names.
 */
enum { FW_RT_SCX_OLDER = 3 };
const unsigned char *fw_rt_scx_object(unsigned kind, size_t *size);

struct fw_rt_scx_program {
    struct bpf_object *object;
    struct bpf_link *link;
    int state, link_fd, works;
    int pages[FW_RT_SCX_GRANTS];
    int permits[FW_RT_SCX_GRANTS]; /* -1: there are none */
    uint32_t uid[FW_RT_SCX_GRANTS];
    unsigned grants;
};

/* Loads it, and makes it the system's scheduler.  If this fails, nothing is held. */
fw_bpf_result fw_rt_scx_program_run(struct fw_rt_scx_program *p,
                                    const struct fw_rt_scx_options *options, char *text,
                                    size_t size);

/* Lets go of all: without a pin the scheduler ends. */
void fw_rt_scx_program_close(struct fw_rt_scx_program *p);

/* The name of the sched_ext scheduler that runs; "" if there is none. */
void fw_rt_scx_who_runs(char *name, size_t size);

#endif
