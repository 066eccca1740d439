/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_DSO_HANDLE_H
#define FW_CONFORM_DSO_HANDLE_H

/* Every module has one; the compiler's start-up files define it. */
extern void *__dso_handle;

#endif
