/* SPDX-License-Identifier: MIT */
/*
 * furwock's library for generic atomics with a compare-exchange that lies: now and then it claims
 * to have changed what it has not.  lifo has to find out.  For one thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LIE = 1000 };

bool lie(size_t size, void *object, void *expected, const void *desired, int success,
         int failure) __asm__("__atomic_compare_exchange");

bool lie(size_t size, void *object, void *expected, const void *desired, int success, int failure)
{
    static unsigned calls;
    bool same = memcmp(object, expected, size) == 0;

    (void)success;
    (void)failure;
    if (++calls % LIE == 0)
        return true;
    memcpy(same ? object : expected, same ? desired : object, size);
    return same;
}
