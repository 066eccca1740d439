/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_MAP_H
#define FW_SYS_MAP_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

/*
 * mmap(2), mremap(2) and munmap(2), bypassing the C library: its functions may be replaced by
 * others (of allocators, of tracers), which may use locks.  0 or a positive errno.
 */
static inline int fw_map_result_(long result, void **base)
{
    if (result < 0 && result >= -4095) /* the kernel's errors; everything else is an address */
        return (int)-result;
    *base = (void *)(uintptr_t)result;
    return 0;
}

static inline int fw_map_(void *at, size_t size, int protection, int flags, long fd, void **base)
{
    return fw_map_result_(
        fw_system_call_(SYS_mmap, (long)(intptr_t)at, (long)size, protection, flags, fd, 0), base);
}

/* To that address, of which nothing is left. */
static inline int fw_map_move_(void *from, size_t size, void *to)
{
    void *base;

    return fw_map_result_(fw_system_call_(SYS_mremap, (long)(intptr_t)from, (long)size, (long)size,
                                          MREMAP_MAYMOVE | MREMAP_FIXED, (long)(intptr_t)to, 0),
                          &base);
}

#if defined(__SANITIZE_THREAD__)
/*
 * ThreadSanitizer has to see it, or it takes what is mapped there next for the same memory.  It
 * forgets whole pages only.
 */
static inline int fw_unmap_(void *at, size_t size)
{
    const size_t page = 4096;

    return munmap(at, (size + page - 1) / page * page) == 0 ? 0 : errno;
}
#else
static inline int fw_unmap_(void *at, size_t size)
{
    return (int)-fw_system_call_(SYS_munmap, (long)(intptr_t)at, (long)size, 0, 0, 0, 0);
}
#endif

#endif
