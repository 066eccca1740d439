/* SPDX-License-Identifier: MIT */
#include "bpf/lib/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char message[200];

__attribute__((format(printf, 2, 0))) static int keep_first(enum libbpf_print_level level,
                                                            const char *format, va_list list)
{
    if (level != LIBBPF_WARN || message[0] != '\0')
        return 0;
    vsnprintf(message, sizeof message, format, list);
    message[strcspn(message, "\n")] = '\0';
    return 0;
}

libbpf_print_fn_t fw_bpf_log_begin(void)
{
    fw_bpf_log_forget();
    return libbpf_set_print(keep_first);
}

void fw_bpf_log_end(libbpf_print_fn_t previous)
{
    libbpf_set_print(previous);
}

void fw_bpf_log_forget(void)
{
    message[0] = '\0';
}

fw_bpf_result fw_bpf_log_failed(const char *what, int error, char *text, size_t size)
{
    const char *said = strncmp(message, "libbpf: ", 8) == 0 ? message + 8 : message;

    snprintf(text, size, "%s: %s%s%s%s", what, strerror(error), *said ? " (" : "", said,
             *said ? ")" : "");
    return fw_bpf_result_of(error);
}
