/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CALL_WAITV_H
#define FW_SYS_CALL_WAITV_H

#include <sys/syscall.h>
#include <sys_call_arch.h>

/* futex_waitv(2) is younger (Linux 5.16) than many sets of headers; one number on all machines. */
enum { FW_CALL_FUTEX_WAITV_ = 449 };

/*
 * For whoever looks at another thread's calls; futex_wait(2) is of Linux 6.7.  A wait with a
 * time-out that was interrupted goes on as restart_syscall, with its arguments in place.
 */
enum {
    FW_CALL_FUTEX_ = SYS_futex,
    FW_CALL_RESTART_ = SYS_restart_syscall,
    FW_CALL_FUTEX_WAIT_ = 455
};

/* Asks for a sleep on no words: EINVAL if there is the call, else another positive errno. */
static inline int fw_ask_waitv_(void)
{
    return -(int)fw_system_call_(FW_CALL_FUTEX_WAITV_, 0, 0, 0, 0, 0, 0);
}

#endif
