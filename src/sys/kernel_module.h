/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_KERNEL_MODULE_H
#define FW_SYS_KERNEL_MODULE_H

/* finit_module(2): loads what the descriptor is of, with these parameters.  0, or an errno. */
int fw_kernel_module_load_(int fd, const char *parameters);

/* delete_module(2), not forced.  0, or an errno: EWOULDBLOCK if it is in use. */
int fw_kernel_module_unload_(const char *name);

#endif
