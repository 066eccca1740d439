/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_LIBATOMICS_H
#define FW_ADAPTERS_LIBATOMICS_H

#include <stdbool.h>
#include <stddef.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * Implementations of the compilers' library for generic atomics, side by side in one process.
 *
 * Each is opened with dlopen(RTLD_LOCAL), so that neither sees the other, whatever the program
 * itself is linked with.  The functions keep the compilers' signatures and order of arguments.
 *
 * An object belongs to the library that was first used on it: two libraries keep different locks.
 */
__extension__ typedef unsigned __int128 libatomics_u128;

struct libatomics {
    const char *name; /* as given to libatomics_open */
    const char *path; /* the file that it was found in */
    void (*load)(size_t size, const void *object, void *out, int order);
    void (*store)(size_t size, void *object, const void *value, int order);
    void (*exchange)(size_t size, void *object, const void *value, void *out, int order);
    bool (*compare_exchange)(size_t size, void *object, void *expected, const void *desired,
                             int success, int failure);
    bool (*is_lock_free)(size_t size, const void *object);
    libatomics_u128 (*load_16)(const void *object, int order);
    void (*store_16)(void *object, libatomics_u128 value, int order);
    libatomics_u128 (*exchange_16)(void *object, libatomics_u128 value, int order);
    bool (*compare_exchange_16)(void *object, void *expected, libatomics_u128 desired, int success,
                                int failure);
    void *handle; /* of dlopen */
};

/*
 * Opens a library by name:
 *   furwock     this build's libfurwock-atomic.so, or $LIBATOMICS_FURWOCK
 *   libatomic   the system's libatomic.so.1, or $LIBATOMICS_LIBATOMIC
 *   ipc         this build's libfurwock-atomic-ipc.so, or $LIBATOMICS_IPC
 *   furwock-clang   furwock's, compiled by clang where that is installed beside gcc, or
 *               $LIBATOMICS_CLANG
 * Answers NULL where it is not there, and leaves in *why (unless that is NULL) what is missing.
 * The answer is good for the rest of the process; asking again gives the same one.
 * Not safe in several threads at once: open before starting them.
 */
const struct libatomics *libatomics_open(const char *name, const char **why);

/* The names, in the order above, ended by NULL. */
extern const char *const libatomics_names[];

/* Any other function of that library ("__atomic_fetch_add_8"), or NULL. */
void *libatomics_symbol(const struct libatomics *library, const char *symbol);

FW_END_DECLS

#endif
