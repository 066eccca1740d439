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

const unsigned char *fw_rt_scx_object(unsigned gates, size_t *size)
{
    const unsigned char *begin = fw_rt_scx_object_0, *end = fw_rt_scx_object_0_end;

    if (gates == 1) {
        begin = fw_rt_scx_object_1;
        end = fw_rt_scx_object_1_end;
    } else if (gates == 2) {
        begin = fw_rt_scx_object_2;
        end = fw_rt_scx_object_2_end;
    }
    *size = (size_t)(end - begin);
    return begin;
}
