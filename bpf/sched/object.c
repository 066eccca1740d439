/* SPDX-License-Identifier: MIT */
/* The compiled scheduler. */
#include "bpf/lib/embed.h"
#include "bpf/sched/program.h"

#define OBJECT(n) FW_BPF_EMBED(fw_rt_scx_object_##n, FW_BPF_SCHED_OBJECT #n ".o")

OBJECT(0);
OBJECT(1);
OBJECT(2);
OBJECT(3);

const unsigned char *fw_rt_scx_object(unsigned kind, size_t *size)
{
    static const struct {
        const unsigned char *begin, *end;
    } all[] = {
        {fw_rt_scx_object_0, fw_rt_scx_object_0_end},
        {fw_rt_scx_object_1, fw_rt_scx_object_1_end},
        {fw_rt_scx_object_2, fw_rt_scx_object_2_end},
        {fw_rt_scx_object_3, fw_rt_scx_object_3_end},
    };

    *size = (size_t)(all[kind].end - all[kind].begin);
    return all[kind].begin;
}
