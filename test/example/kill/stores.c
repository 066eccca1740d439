/* SPDX-License-Identifier: MIT */
/*
 * An example is compiled so that it calls these before each access to memory (what
 * -fsanitize=kernel-address emits): a store is a step, as the library's own stores are, so its
 * process dies between any two lines of it.
 */
#include <stddef.h>

#include "region.h"

#define LOAD(n)                                \
    void __asan_load##n##_noabort(void *);     \
    void __asan_load##n##_noabort(void *where) \
    {                                          \
        (void)where;                           \
    }
#define STORE(n)                                \
    void __asan_store##n##_noabort(void *);     \
    void __asan_store##n##_noabort(void *where) \
    {                                           \
        (void)where;                            \
        fw_step_();                             \
    }

LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)
STORE(1)
STORE(2)
STORE(4)
STORE(8)
STORE(16)

void __asan_loadN_noabort(void *, size_t);
void __asan_storeN_noabort(void *, size_t);
void __asan_handle_no_return(void);

void __asan_loadN_noabort(void *where, size_t n)
{
    (void)where;
    (void)n;
}

void __asan_storeN_noabort(void *where, size_t n)
{
    (void)where;
    (void)n;
    fw_step_();
}

void __asan_handle_no_return(void) {}
