/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_FOREIGN_H
#define FW_PRELOAD_FOREIGN_H

/*
 * An object in shared memory that carries no mark of this library: it was made by a process that
 * runs without it.  Aborts the program, with a line that says so.
 */
_Noreturn void fw_posix_foreign_(const char *what, const void *object);

#endif
