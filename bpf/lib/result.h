/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_RESULT_H
#define FW_BPF_LIB_RESULT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the calls that load programs into the kernel return.  Each leaves one line without a newline
 * in `text`, also if it succeeds.
 */
typedef enum fw_bpf_result {
    FW_BPF_DONE,
    FW_BPF_NOTHING_TO_DO, /* start: it runs already; stop: nothing does */
    FW_BPF_NOT_PERMITTED, /* needs root: CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON */
    FW_BPF_NOT_SUPPORTED, /* by this kernel, or this program was built without it */
    FW_BPF_IN_THE_WAY,    /* another version, another program, or a file that is not ours */
    FW_BPF_FAILED,
    FW_BPF_BAD_GRANT /* of the scheduler: no such priorities or CPUs; two for a user; too many */
} fw_bpf_result;

/* May this process load programs? */
bool fw_bpf_may_load(void);

/* The line for a process that may not, and the result. */
fw_bpf_result fw_bpf_not_permitted(char *text, size_t size);

/* The same for a kernel without BTF. */
fw_bpf_result fw_bpf_no_types(char *text, size_t size);

/* "what: errno's text", and the result for that errno. */
fw_bpf_result fw_bpf_failed(const char *what, char *text, size_t size);

/* FW_BPF_NOT_PERMITTED or FW_BPF_FAILED. */
fw_bpf_result fw_bpf_result_of(int error);

#endif
