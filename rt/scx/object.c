/* SPDX-License-Identifier: MIT */
/* The compiled sched.bpf.c, as it is, in this program. */
#include "rt/scx/program.h"

__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".global fw_rt_scx_object, fw_rt_scx_object_end\n"
        "fw_rt_scx_object:\n"
        ".incbin \"" FW_RT_SCX_OBJECT "\"\n"
        "fw_rt_scx_object_end:\n"
        ".popsection\n");
