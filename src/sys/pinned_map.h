/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PINNED_MAP_H
#define FW_SYS_PINNED_MAP_H

#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/*
 * Opens a BPF map by the name of its file: a file descriptor, or -errno.  For reading and writing,
 * since the kernel lets nobody map one that is open for reading only.
 */
static inline long fw_pinned_map_open_(const char *path)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.pathname = (uintptr_t)path;
    return fw_system_call_(SYS_bpf, BPF_OBJ_GET, (long)(intptr_t)&attr, sizeof attr, 0, 0, 0);
}

#endif
