/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_ENVIRONMENT_H
#define FW_SYS_ENVIRONMENT_H

#include <stddef.h>
#include <string.h>

/*
 * The value of NAME ("NAME="), or NULL.  `environment` is what the loader passes to constructors as
 * their third argument: those of this library run before the C library has seen it (they are linked
 * with -z initfirst), so getenv finds nothing there.
 */
static inline const char *fw_environment_(char *const *environment, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;

    for (; *environment != NULL; environment++)
        if (strncmp(*environment, name, length) == 0)
            value = *environment + length;
    return value;
}

#endif
