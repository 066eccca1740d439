/* SPDX-License-Identifier: MIT */
/* The version of the library.  Contract: furwock/version.h. */
#include <furwock/version.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

_Static_assert(__builtin_strcmp(FURWOCK_VERSION_STRING,
                                TEXT(FURWOCK_VERSION_MAJOR) "." TEXT(
                                    FURWOCK_VERSION_MINOR) "." TEXT(FURWOCK_VERSION_PATCH)) == 0,
               "one version");
_Static_assert(FURWOCK_VERSION_MINOR < 1000 && FURWOCK_VERSION_PATCH < 1000, "a number of digits");

int fw_version(void)
{
    return FURWOCK_VERSION;
}

const char *fw_version_string(void)
{
    return FURWOCK_VERSION_STRING;
}
