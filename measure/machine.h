/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_MACHINE_H
#define FW_MEASURE_MACHINE_H

#include <stdbool.h>

/* Where and when a measurement was made: printed with every result. */
struct machine {
    char cpu[96];      /* the CPU's model name */
    unsigned cpus;     /* that this process may use */
    char kernel[96];   /* "Linux 6.1.0 x86_64" */
    char libc[32];     /* "glibc 2.36" */
    char compiler[64]; /* that built this program */
    bool virtual_;     /* on a hypervisor: times wander more */
    char date[32];     /* ISO 8601, UTC */
    char assist[8];    /* "on", "off", "unknown" */
};

void machine_describe(struct machine *m);

/*
 * Is the assist (bpf/running/) on for programs of this user?  "unknown": something is there that
 * they may not open.
 */
const char *machine_assist(void);

#endif
