/* SPDX-License-Identifier: MIT */
/* In the place of all the others, where what they are built with was missing. */
#include <errno.h>
#include <stdio.h>

#include "rt/scx/loader.h"

static fw_rt_scx_outcome say(char *text, size_t size)
{
    snprintf(text, size,
             "this furwock was built without its scheduler: clang with its BPF target, or libbpf "
             "1.0, was missing");
    return FW_RT_SCX_NOT_SUPPORTED;
}

bool fw_rt_scx_built_in(void)
{
    return false;
}

fw_rt_scx_outcome fw_rt_scx_start(const struct fw_rt_scx_options *options, char *text, size_t size)
{
    (void)options;
    return say(text, size);
}

fw_rt_scx_outcome fw_rt_scx_stop(char *text, size_t size)
{
    return say(text, size);
}

fw_rt_scx_outcome fw_rt_scx_possible(char *text, size_t size)
{
    return say(text, size);
}

fw_rt_scx_outcome fw_rt_scx_permits_possible(char *text, size_t size)
{
    return say(text, size);
}

const struct fw_rt_scx_state *fw_rt_scx_state_map(void)
{
    errno = ENOENT;
    return NULL;
}
