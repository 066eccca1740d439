/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_VDSO_H
#define FW_SYS_VDSO_H

/*
 * The address of a function in the library that the kernel maps into each process (vdso(7)), or
 * NULL: it has none of this name, or there is no such library (valgrind hides it, for one).
 *
 * Not by the C library, whose functions of these names others may have replaced.
 */
void *fw_vdso_(const char *name);

#endif
