/* SPDX-License-Identifier: MIT */
/* Contract: kernel_module.h.  Linked into the program furwock, not into the libraries. */
#include "sys/kernel_module.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

int fw_kernel_module_load_(int fd, const char *parameters)
{
    return (int)-fw_system_call_(SYS_finit_module, fd, (long)(intptr_t)parameters, 0, 0, 0, 0);
}

int fw_kernel_module_unload_(const char *name)
{
    return (int)-fw_system_call_(SYS_delete_module, (long)(intptr_t)name, O_NONBLOCK, 0, 0, 0, 0);
}
