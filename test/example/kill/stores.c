/* SPDX-License-Identifier: MIT */
/*
 * An example is compiled so that it calls these before each access to memory (what
 * -fsanitize=kernel-address emits), and each is a step, as the library's own stores are: so its
 * process dies between any two lines of it.  A load is a step as well, since the compiler announces
 * only the load of an object that is then written (count++).
 */
#include <stddef.h>

#include "region.h"

#define ACCESS(kind, n)                            \
    void __asan_##kind##n##_noabort(void *);       \
    void __asan_##kind##n##_noabort(void *address) \
    {                                              \
        (void)address;                             \
        fw_step_();                                \
    }

ACCESS(load, 1)
ACCESS(load, 2)
ACCESS(load, 4)
ACCESS(load, 8)
ACCESS(load, 16)
ACCESS(store, 1)
ACCESS(store, 2)
ACCESS(store, 4)
ACCESS(store, 8)
ACCESS(store, 16)

void __asan_loadN_noabort(void *, size_t);
void __asan_storeN_noabort(void *, size_t);
void __asan_handle_no_return(void);

void __asan_loadN_noabort(void *address, size_t n)
{
    (void)address;
    (void)n;
    fw_step_();
}

void __asan_storeN_noabort(void *address, size_t n)
{
    (void)address;
    (void)n;
    fw_step_();
}

void __asan_handle_no_return(void) {}
