/* SPDX-License-Identifier: MIT */
#ifndef FW_LINKABLE_H
#define FW_LINKABLE_H

#include <furwock/bits/api.h>

/*
 * Behind the definition of a public call whose name in the library has the ABI's number
 * (FW_ABI_NAME_): its plain name, too, for those who do not compile the header.
 */
#ifndef FW_LINKABLE_
#define FW_LINKABLE_(name)                                      \
    FW_API extern __typeof__(name) name##_plain_ __asm__(#name) \
        __attribute__((alias(#name "_abi" FW_TEXT_(FURWOCK_ABI) "_")))
#endif

#endif
