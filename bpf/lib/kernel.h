/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_LIB_KERNEL_H
#define FW_BPF_LIB_KERNEL_H

/*
 * As much of the kernel's types as all programs use; a program's own kernel.h has the rest.  Where
 * the fields are in the kernel at hand is put in when a program is loaded, from what that kernel
 * tells of its types; so nothing here depends on a version of it, nor on the machine that compiles.
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

/* Of the kernel's interface. */
enum { BPF_MAP_TYPE_ARRAY = 2, BPF_F_MMAPABLE = 1 << 10, BPF_ANY = 0 };

/* Inside of the kernel, and the same for longer than there have been programs like these. */
#define PF_EXITING 0x4u

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
    unsigned int inum;
};

struct pid_namespace {
    struct ns_common ns;
};

struct upid {
    int nr;
    struct pid_namespace *ns;
};

struct pid {
    unsigned int level;
    struct upid numbers[1]; /* level + 1 of them */
};

#pragma clang attribute pop

#endif
