/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_LIB_LOG_H
#define FW_BPF_LIB_LOG_H

#include <stddef.h>

#include <bpf/libbpf.h>

#include "bpf/lib/result.h"

/*
 * What libbpf has to say while programs are loaded: its first warning is the one that matters.  One
 * thread at a time loads.
 */

/* From here on the first warning is kept, and nothing is printed; returns who printed before. */
libbpf_print_fn_t fw_bpf_log_begin(void);
void fw_bpf_log_end(libbpf_print_fn_t previous);

/* Before another attempt, whose own first warning is kept. */
void fw_bpf_log_forget(void);

/* As fw_bpf_failed, with libbpf's warning in brackets, if there is one. */
fw_bpf_result fw_bpf_log_failed(const char *what, int error, char *text, size_t size);

#endif
