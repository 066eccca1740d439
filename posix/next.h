/* SPDX-License-Identifier: MIT */
#ifndef FW_POSIX_NEXT_H
#define FW_POSIX_NEXT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * The function of that name behind the library that asks: the next one that the program would have
 * found.  There is always one: the C library's, or the one that the program was linked with.
 * NEXT(name) has its type.
 */
static inline void *fw_next_(void **known, const char *name)
{
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (__builtin_expect(found == NULL, 0)) {
        found = dlsym(RTLD_NEXT, name);
        if (found == NULL)
            abort();
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

#define NEXT(name)                            \
    __extension__({                           \
        static void *known_;                  \
        union {                               \
            void *address;                    \
            __typeof__(&(name)) function;     \
        } next_ = {fw_next_(&known_, #name)}; \
        next_.function;                       \
    })

#endif
