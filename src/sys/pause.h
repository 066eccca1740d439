/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PAUSE_H
#define FW_SYS_PAUSE_H

/* The CPU's own way of saying that a thread spins; nothing where it has none. */
#if defined(__x86_64__) || defined(__i386__)
#define FW_CPU_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define FW_CPU_PAUSE() __asm__ __volatile__("isb" ::: "memory") /* "yield" is often a no-op */
#else
#define FW_CPU_PAUSE() __asm__ __volatile__("" ::: "memory")
#endif

#endif
