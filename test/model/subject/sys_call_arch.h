/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CALL_ARCH_H
#define FW_SYS_CALL_ARCH_H

/* Stands in for src/sys/call/: the calls of src/sys/x86_64/release.c (release.c). */
long subject_system_call(long number, long a);

static inline long fw_system_call_(long number, long a, long b, long c, long d, long e, long f)
{
    (void)b, (void)c, (void)d, (void)e, (void)f;
    return subject_system_call(number, a);
}

#endif
