/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_EMBED_H
#define FW_BPF_LIB_EMBED_H

/*
 * FW_BPF_EMBED(name, "file"); puts a file, as it is, into this program: from `name` to `name_end`.
 * (Names that assembler defines are not seen by link-time optimisation: compile with -fno-lto.)
 */
#define FW_BPF_EMBED(name, file)                             \
    __asm__(".pushsection .rodata\n"                         \
            ".balign 8\n"                                    \
            ".global " #name ", " #name "_end\n" #name ":\n" \
            ".incbin \"" file "\"\n" #name "_end:\n"         \
            ".popsection\n");                                \
    extern const unsigned char name[], name##_end[]

#endif
