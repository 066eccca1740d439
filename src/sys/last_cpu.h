/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_LAST_CPU_H
#define FW_SYS_LAST_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Was a thread last seen on the CPU on which the caller runs?  Then it does not run now, whatever
 * else is true: the caller does, in its place.  The kernel keeps the number of each thread's CPU in
 * that thread's struct rseq; here others look it up, without a system call and without privileges.
 *
 * The build picks the implementation: src/sys/x86_64/ or src/sys/generic/ (nothing is known).
 * Nothing is known either where the C library has registered no restartable sequences (before glibc
 * 2.35, under valgrind, by the user's wish), of threads that have not joined, and of some that
 * found no place.
 *
 *     void fw_last_cpu_join_(void);
 *
 * From now on, until it ends, others may ask for the calling thread.  Called at the beginning of
 * each wait, and after each sleep in it: the caller's own next question is answered afresh.  Costs
 * two stores, except the first time.  Allocates nothing; may be called in a signal handler.
 *
 *     bool fw_last_cpu_is_mine_(uint32_t tid);
 *
 * Is that where the thread is that has this number in its identity (thread.h; 0: nobody)?  May be
 * asked at each look: as long as the caller has not lost its CPU since it last asked for the same
 * thread, the answer stands, and is given without a look at memory that others write.  A guess,
 * and right except for the time that the thread needs to get out of the kernel on another CPU.
 * False where nothing is known.  In a forked child threads of the parent are unknown.  Asked about
 * the caller itself, which makes no sense, it says true.
 */
#include <sys_last_cpu_arch.h>

#endif
