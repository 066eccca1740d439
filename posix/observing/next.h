/* SPDX-License-Identifier: MIT */
#ifndef FW_OBSERVING_NEXT_H
#define FW_OBSERVING_NEXT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * libfurwock-pthread-observe.so, for `furwock run --observe`: the C library's own locks, with the
 * counting of --stat (counting/) around each wait.  A call is tried first; only if it would wait,
 * it is counted, and made as the program has made it.
 *
 * NEXT(name) is the function of that name behind this library, with its type.  There is always one:
 * the program was linked with it.
 */
static inline void *fw_observe_next_(void **known, const char *name)
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

#define NEXT(name)                                    \
    __extension__({                                   \
        static void *known_;                          \
        union {                                       \
            void *address;                            \
            __typeof__(&(name)) function;             \
        } next_ = {fw_observe_next_(&known_, #name)}; \
        next_.function;                               \
    })

#endif
