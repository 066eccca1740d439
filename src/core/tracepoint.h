/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_TRACEPOINT_H
#define FW_CORE_TRACEPOINT_H

#include <stdint.h>

/*
 * Static tracepoints, for gdb, perf, bpftrace and SystemTap: a nop, and a note in .note.stapsdt
 * that says where it is, what it is called, and where its argument is, the address of the lock.
 * The format: "UserSpaceProbeImplementation" in SystemTap's wiki; it is what <sys/sdt.h> writes,
 * which is not needed to build this.
 *
 *     furwock:mutex_wait       a thread is about to wait for an fw_mutex
 *     furwock:mutex_handoff    it has got one that its owner handed to it
 *     furwock:owner_died       it has taken a lock between processes, whose owner was killed
 *
 * The symbol _.stapsdt.base tells tools by how much a file was moved (prelink).
 */
#define FW_TRACEPOINT_(name, lock)                                                             \
    __asm__ volatile("990:\tnop\n"                                                             \
                     "\t.pushsection .note.stapsdt,\"\",\"note\"\n"                            \
                     "\t.balign 4\n"                                                           \
                     "\t.4byte 992f-991f, 994f-993f, 3\n" /* stapsdt's type */                 \
                     "991:\t.asciz \"stapsdt\"\n"                                              \
                     "992:\t.balign 4\n"                                                       \
                     "993:\t.8byte 990b\n"                                                     \
                     "\t.8byte _.stapsdt.base\n"                                               \
                     "\t.8byte 0\n" /* no semaphore */                                         \
                     "\t.asciz \"furwock\"\n"                                                  \
                     "\t.asciz \"" #name "\"\n"                                                \
                     "\t.asciz \"8@%0\"\n"                                                     \
                     "994:\t.balign 4\n"                                                       \
                     "\t.popsection\n"                                                         \
                     "\t.ifndef _.stapsdt.base\n"                                              \
                     "\t.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
                     "\t.weak _.stapsdt.base\n"                                                \
                     "\t.hidden _.stapsdt.base\n"                                              \
                     "_.stapsdt.base:\t.space 1\n"                                             \
                     "\t.size _.stapsdt.base, 1\n"                                             \
                     "\t.popsection\n"                                                         \
                     "\t.endif\n"                                                              \
                     :                                                                         \
                     : "r"((uint64_t)(uintptr_t)(lock)))

#endif
