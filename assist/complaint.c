/* SPDX-License-Identifier: MIT */
#include "assist/complaint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char complaint[200];

__attribute__((format(printf, 2, 0))) static int keep_first(enum libbpf_print_level level,
                                                            const char *format, va_list list)
{
    if (level != LIBBPF_WARN || complaint[0] != '\0')
        return 0;
    vsnprintf(complaint, sizeof complaint, format, list);
    complaint[strcspn(complaint, "\n")] = '\0';
    return 0;
}

libbpf_print_fn_t fw_complaint_begin_(void)
{
    fw_complaint_forget_();
    return libbpf_set_print(keep_first);
}

void fw_complaint_end_(libbpf_print_fn_t previous)
{
    libbpf_set_print(previous);
}

void fw_complaint_forget_(void)
{
    complaint[0] = '\0';
}

void fw_complaint_put_(const char *what, int error, char *text, size_t size)
{
    const char *said = strncmp(complaint, "libbpf: ", 8) == 0 ? complaint + 8 : complaint;

    snprintf(text, size, "%s: %s%s%s%s", what, strerror(error), *said ? " (" : "", said,
             *said ? ")" : "");
}
