/* SPDX-License-Identifier: MIT */
/* The compiled assist.bpf.c, as it is, in this program. */
#include "assist/program.h"

__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".global fw_assist_object, fw_assist_object_end\n"
        "fw_assist_object:\n"
        ".incbin \"" FW_ASSIST_OBJECT "\"\n"
        "fw_assist_object_end:\n"
        ".popsection\n");
