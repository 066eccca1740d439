/* SPDX-License-Identifier: MIT */
/*
 * The sentence for a thread's last error.
 */
#include <stdarg.h>
#include <stdio.h>

#include "rt/internal.h"

enum { LONGEST = 256 };

static _Thread_local char why[LONGEST];
_Thread_local bool fw_rt_has_failed_ __attribute__((tls_model("initial-exec")));

int fw_rt_fail_(int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    fw_rt_has_failed_ = true;
    return error;
}

void fw_rt_forget_(void)
{
    why[0] = '\0';
    fw_rt_has_failed_ = false;
}

const char *fw_rt_strerror(void)
{
    return why;
}
