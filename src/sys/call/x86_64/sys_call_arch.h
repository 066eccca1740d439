/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CALL_ARCH_H
#define FW_SYS_CALL_ARCH_H

/*
 * A system call, without the C library's errno in between: the result, or -errno.  The kernel
 * overwrites rcx and r11.
 */
static inline long fw_system_call_(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ __volatile__("syscall"
                         : "=a"(result)
                         : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                         : "rcx", "r11", "memory");
    return result;
}

#endif
