/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_API_H
#define FURWOCK_BITS_API_H

/*
 * Linkage: everything that is not marked FW_API is hidden in the shared library.  A library that
 * shares a source with this one, and not its interface, defines it otherwise.
 */
#ifndef FW_API
#define FW_API __attribute__((visibility("default")))
#endif

/*
 * A call whose result says whether the caller now holds something, or has it: to ignore it is an
 * error.  (In C, gcc warns of a cast to void, too.)
 */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define FW_NODISCARD [[nodiscard]]
#else
#define FW_NODISCARD __attribute__((warn_unused_result))
#endif

/*
 * A fast path that is compiled into the caller.  The library defines this as FW_API in the one file
 * that gives the function a linkable copy, for callers that do not compile the header.  A program
 * that is compiled with -DFURWOCK_CALLED calls that copy, so that `furwock run --check` sees it.
 */
#ifndef FW_INLINE
#ifdef FURWOCK_CALLED
#define FW_INLINE FW_API
#define FW_CALLED_
#else
#define FW_INLINE static inline
#endif
#endif

/* C linkage from C++, and nothing from C. */
#ifdef __cplusplus
#define FW_BEGIN_DECLS extern "C" {
#define FW_END_DECLS }
#else
#define FW_BEGIN_DECLS
#define FW_END_DECLS
#endif

#endif
