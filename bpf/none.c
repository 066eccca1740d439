/* SPDX-License-Identifier: MIT */
/* All loaders, if what they are built with is missing. */
#include <errno.h>
#include <stdio.h>

#include "bpf/running/loader.h"
#include "bpf/sched/loader.h"
#include "bpf/waits/program.h"

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

/* ---- What threads wait for ---- */

bool fw_waits_built_in(void)
{
    return false;
}

fw_bpf_result fw_waits_possible(char *text, size_t size)
{
    return missing("what watches locks", text, size);
}

fw_bpf_result fw_waits_open(struct fw_waits **waits, bool all, char *text, size_t size)
{
    (void)all;
    *waits = NULL;
    return missing("what watches locks", text, size);
}

/* Of the rest nothing is called, since nothing has been opened. */

void fw_waits_close(struct fw_waits *waits)
{
    (void)waits;
}

fw_bpf_result fw_waits_attach(struct fw_waits *waits, char *text, size_t size)
{
    (void)waits;
    return missing("what watches locks", text, size);
}

void fw_waits_detach(struct fw_waits *waits)
{
    (void)waits;
}

int fw_waits_find_present(struct fw_waits *waits)
{
    (void)waits;
    return ENOSYS;
}

void fw_waits_observe(struct fw_waits *waits, pid_t pid, bool is_observed)
{
    (void)waits, (void)pid, (void)is_observed;
}

bool fw_waits_is_observed(const struct fw_waits *waits, pid_t pid)
{
    (void)waits, (void)pid;
    return false;
}

void fw_waits_forget(struct fw_waits *waits, pid_t pid)
{
    (void)waits, (void)pid;
}

void fw_waits_set_interval(struct fw_waits *waits, uint32_t ns)
{
    (void)waits, (void)ns;
}

unsigned fw_waits_read(struct fw_waits *waits, fw_waits_take *take, void *context)
{
    (void)waits, (void)take, (void)context;
    return 0;
}

struct fw_waits_lock *fw_waits_locks(struct fw_waits *waits)
{
    (void)waits;
    return NULL;
}

const struct fw_waits_slot *fw_waits_slots(struct fw_waits *waits)
{
    (void)waits;
    return NULL;
}

const struct fw_waits_control *fw_waits_control(struct fw_waits *waits)
{
    (void)waits;
    return NULL;
}

void fw_waits_cost(struct fw_waits *waits, uint64_t *ns, uint64_t *runs)
{
    (void)waits;
    *ns = *runs = 0;
}
