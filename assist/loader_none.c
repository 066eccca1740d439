/* SPDX-License-Identifier: MIT */
/* In the place of all the others, where what they are built with was missing. */
#include <stdio.h>

#include "assist/loader.h"

static fw_assist_result say(char *text, size_t size)
{
    snprintf(text, size,
             "this furwock was built without the assist: clang with its BPF target, or libbpf 1.0, "
             "was missing");
    return FW_ASSIST_NOT_SUPPORTED;
}

bool fw_assist_built_in(void)
{
    return false;
}

fw_assist_result fw_assist_start(const struct fw_assist_options *options, char *text, size_t size)
{
    (void)options;
    return say(text, size);
}

fw_assist_result fw_assist_stop(char *text, size_t size)
{
    return say(text, size);
}

fw_assist_result fw_assist_status(struct fw_assist_status *status, char *text, size_t size)
{
    *status = (struct fw_assist_status){.running = false};
    return say(text, size);
}
