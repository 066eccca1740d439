/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_VERSION_H
#define FURWOCK_VERSION_H

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * version: of these headers, when a program is compiled; of the library, when it runs.
 *
 * Versions are MAJOR.MINOR.PATCH, as semver.org has them.  What stays the same from one to the next
 * and what is checked when a program is linked and loaded: doc/guide/versions.md.  For that nothing
 * here need be called.
 *
 * Example: for newer calls a newer library, where there is one
 *
 *     #if FURWOCK_VERSION < FURWOCK_VERSION_NUMBER(0, 2, 0)
 *     #error furwock 0.2 or later is needed
 *     #endif
 *
 *     int describe(char *text, size_t size)
 *     {
 *         return snprintf(text, size, "compiled with furwock %s, running with %s%s",
 *                         FURWOCK_VERSION_STRING, fw_version_string(),
 *                         fw_version() < FURWOCK_VERSION ? ", which is older" : "");
 *     }
 */
#define FURWOCK_VERSION_MAJOR 0
#define FURWOCK_VERSION_MINOR 2
#define FURWOCK_VERSION_PATCH 0
#define FURWOCK_VERSION_STRING "0.2.0"

/* A version as one number, to compare, in the preprocessor too.  (MINOR and PATCH: 999 at most.) */
#define FURWOCK_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define FURWOCK_VERSION \
    FURWOCK_VERSION_NUMBER(FURWOCK_VERSION_MAJOR, FURWOCK_VERSION_MINOR, FURWOCK_VERSION_PATCH)

/* FURWOCK_VERSION of the library that the program runs with.  Safe anywhere. */
FW_API int fw_version(void);

/* FURWOCK_VERSION_STRING of that library: "0.2.0".  The text is never freed.  Safe anywhere. */
FW_API const char *fw_version_string(void);

FW_END_DECLS

#endif
