/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_KILL_AT_STEP_CALLS_H
#define FW_TEST_SUPPORT_KILL_AT_STEP_CALLS_H

/*
 * Put before each source of the library (-include): whatever it does that another process can see
 * is a step, announced right before by fw_step_, where the test may end the process.
 *
 *  - writes to shared words: all that furwock/bits/atomic.h has, since its operations are these
 *    builtins; a compare-and-swap that fails is a step too, which does no harm
 *  - the robust list: its owner writes it with fences between, for the kernel to read
 *  - bytes that are copied: a step before, one in the middle
 *  - system calls
 *
 * What it only looks at is announced by fw_look_: there, others may come before the look.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys_call_arch.h>
#include <unistd.h>

void fw_step_(void);
void fw_look_(void);

static inline void *fw_step_copy_(void *to, const void *from, size_t n)
{
    size_t half = n / 2;

    fw_step_();
    memmove(to, from, half);
    fw_step_();
    memmove((char *)to + half, (const char *)from + half, n - half);
    return to;
}

#define __atomic_load_n(...) (fw_look_(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...) (fw_step_(), __atomic_store_n(__VA_ARGS__))
#define __atomic_exchange_n(...) (fw_step_(), __atomic_exchange_n(__VA_ARGS__))
#define __atomic_fetch_add(...) (fw_step_(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_fetch_sub(...) (fw_step_(), __atomic_fetch_sub(__VA_ARGS__))
#define __atomic_fetch_and(...) (fw_step_(), __atomic_fetch_and(__VA_ARGS__))
#define __atomic_fetch_or(...) (fw_step_(), __atomic_fetch_or(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (fw_step_(), __atomic_compare_exchange_n(__VA_ARGS__))
#define __atomic_signal_fence(...) (fw_step_(), __atomic_signal_fence(__VA_ARGS__))

#define memcpy(...) fw_step_copy_(__VA_ARGS__)

#define fw_system_call_(...) (fw_step_(), fw_system_call_(__VA_ARGS__))
#define open(...) (fw_step_(), open(__VA_ARGS__))
#define openat(...) (fw_step_(), openat(__VA_ARGS__))
#define shm_open(...) (fw_step_(), shm_open(__VA_ARGS__))
#define ftruncate(...) (fw_step_(), ftruncate(__VA_ARGS__))
#define posix_fallocate(...) (fw_step_(), posix_fallocate(__VA_ARGS__))
#define fallocate(...) (fw_step_(), fallocate(__VA_ARGS__))
#define fcntl(...) (fw_step_(), fcntl(__VA_ARGS__))
#define flock(...) (fw_step_(), flock(__VA_ARGS__))
#define mmap(...) (fw_step_(), mmap(__VA_ARGS__))
#define munmap(...) (fw_step_(), munmap(__VA_ARGS__))
#define close(...) (fw_step_(), close(__VA_ARGS__))

#endif
