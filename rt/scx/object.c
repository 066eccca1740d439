/* SPDX-License-Identifier: MIT */
/* The compiled sched.bpf.c, as it is, in this program. */
#include "rt/scx/program.h"

#define OBJECT(n)                                     \
    __asm__(".pushsection .rodata\n"                  \
            ".balign 8\n"                             \
            "fw_rt_scx_object_" #n ":\n"              \
            ".incbin \"" FW_RT_SCX_OBJECT #n ".o\"\n" \
            "fw_rt_scx_object_" #n "_end:\n"          \
            ".popsection\n");                         \
    extern const unsigned char fw_rt_scx_object_##n[], fw_rt_scx_object_##n##_end[]

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
