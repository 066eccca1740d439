/* SPDX-License-Identifier: MIT */
#ifndef FW_ASSIST_COMPLAINT_H
#define FW_ASSIST_COMPLAINT_H

#include <stddef.h>

#include <bpf/libbpf.h>

/*
 * What libbpf has to say while programs are loaded: its first complaint is the one that matters.
 * One thread at a time loads.
 */

/* From here on complaints are kept, and nothing is printed; returns who printed before. */
libbpf_print_fn_t fw_complaint_begin_(void);
void fw_complaint_end_(libbpf_print_fn_t previous);

/* For another attempt, whose first complaint is the one then. */
void fw_complaint_forget_(void);

/* "what: error", with libbpf's complaint behind it if there is one. */
void fw_complaint_put_(const char *what, int error, char *text, size_t size);

#endif
