/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_API_H
#define FURWOCK_BITS_API_H

/* Linkage: everything that is not marked FW_API is hidden in the shared library. */
#define FW_API __attribute__((visibility("default")))

/* C linkage from C++, and nothing from C. */
#ifdef __cplusplus
#define FW_BEGIN_DECLS extern "C" {
#define FW_END_DECLS }
#else
#define FW_BEGIN_DECLS
#define FW_END_DECLS
#endif

#endif
