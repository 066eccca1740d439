/* SPDX-License-Identifier: MIT */
/* All loaders, if what they are built with is missing. */
#include <errno.h>
#include <stdio.h>

#include "bpf/running/loader.h"
#include "bpf/sched/loader.h"

static fw_bpf_result missing(const char *what, char *text, size_t size)
{
    snprintf(text, size,
             "this furwock was built without %s: clang with its BPF target, or libbpf 1.0, was "
             "missing",
             what);
    return FW_BPF_NOT_SUPPORTED;
}

/* ---- Which threads run ---- */

bool fw_assist_built_in(void)
{
    return false;
}

fw_bpf_result fw_assist_start(const struct fw_assist_options *options, char *text, size_t size)
{
    (void)options;
    return missing("the assist", text, size);
}

fw_bpf_result fw_assist_stop(char *text, size_t size)
{
    return missing("the assist", text, size);
}

fw_bpf_result fw_assist_status(struct fw_assist_status *status, char *text, size_t size)
{
    *status = (struct fw_assist_status){.running = false};
    return missing("the assist", text, size);
}

/* ---- The scheduler ---- */

bool fw_rt_scx_built_in(void)
{
    return false;
}

fw_bpf_result fw_rt_scx_start(const struct fw_rt_scx_options *options, char *text, size_t size)
{
    (void)options;
    return missing("its scheduler", text, size);
}

fw_bpf_result fw_rt_scx_stop(char *text, size_t size)
{
    return missing("its scheduler", text, size);
}

fw_bpf_result fw_rt_scx_possible(char *text, size_t size)
{
    return missing("its scheduler", text, size);
}

fw_bpf_result fw_rt_scx_permits_possible(char *text, size_t size)
{
    return missing("its scheduler", text, size);
}

const struct fw_rt_scx_state *fw_rt_scx_state_map(void)
{
    errno = ENOENT;
    return NULL;
}
