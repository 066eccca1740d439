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

/*
 * The number of the ABI: of what programs have compiled in, that is the layouts of objects and what
 * the fast paths do to them.  With these headers only a library of this number works, and it is the
 * one in its SONAME.  What a fast path calls or reads in the library has the number in its name
 * there, so that another library is refused when a program is linked and when it is loaded:
 * doc/guide/versions.md.
 */
#define FURWOCK_ABI 1

/* Behind a declaration: that name, with the number.  (Two steps: for the number, not the word.) */
#define FW_TEXT_(x) FW_TEXT_OF_(x)
#define FW_TEXT_OF_(x) #x
#define FW_ABI_TEXT_(name) #name "_abi" FW_TEXT_(FURWOCK_ABI) "_"
#ifndef FW_ABI_NAME_ /* sources that are tested have several copies, by other names */
#define FW_ABI_NAME_(name) __asm__(#name "_abi" FW_TEXT_(FURWOCK_ABI) "_")
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
