/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_KERNEL_H
#define FW_BPF_SCHED_KERNEL_H

/* As much of the kernel's types and calls as the scheduler uses, beside what all programs do. */
#include "bpf/lib/kernel.h"

typedef __s32 s32;
typedef __u32 u32;
typedef __u64 u64;
typedef __u8 uint8_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
typedef __s64 int64_t;

#define NULL ((void *)0)
enum { false, true };

struct bpf_timer {
    __u64 opaque[2];
} __attribute__((aligned(8)));

struct bpf_task_work {
    __u64 opaque;
} __attribute__((aligned(8)));

/* Of the kernel's interface. */
enum {
    BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
    BPF_MAP_TYPE_TASK_STORAGE = 29,
    BPF_F_NO_PREALLOC = 1 << 0,
    BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
    CLOCK_MONOTONIC = 1
};
enum {
    EPERM = 1,
    EAGAIN = 11,
    EBUSY = 16,
    EEXIST = 17,
    EXDEV = 18,
    EINVAL = 22,
    ENOSPC = 28,
    EDEADLK = 35,
    ENOTSUP = 95,
    EOWNERDEAD = 130
};

/* Inside of the kernel; the same in all that have these schedulers. */
#define TASK_DEAD 0x80u
#define SCX_TASK_QUEUED 1u
#define SCX_OPS_ENQ_LAST (1ull << 1)
#define SCX_OPS_ENQ_EXITING (1ull << 2)
#ifdef FW_RT_SCX_OLDER
#define SCX_OPS_ENQ_MIGRATION_DISABLED 0 /* unknown there, and what is always done */
#else
#define SCX_OPS_ENQ_MIGRATION_DISABLED (1ull << 4)
#endif
#define SCX_KICK_IDLE 1ull
#define SCX_KICK_PREEMPT 2ull

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct bpf_map {
    __u32 id;
};

struct cpumask {
    unsigned long bits[1];
};
struct scx_init_task_args;
struct scx_exit_task_args;

typedef struct {
    unsigned int val;
} kuid_t;

struct cred {
    kuid_t euid;
};

struct sched_ext_entity {
    __u32 flags;
    __u64 slice;
};

struct task_struct {
    unsigned int __state;
    unsigned int flags, on_cpu; /* unsigned: of any size */
    int pid, nr_cpus_allowed;
    const void *cpus_ptr; /* a struct cpumask; said so, clang 14 would keep its name alone */
    const struct cred *cred;
    struct pid *thread_pid;
    struct sched_ext_entity scx;
    __u64 start_boottime, self_exec_id;
};

enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
    enum scx_exit_kind kind;
    __s64 exit_code;
    const char *reason;
    char *msg;
};

#pragma clang attribute pop

/* What a scheduler consists of; only what all kernels from 6.12 on have, and this one uses. */
struct sched_ext_ops {
    __s32 (*select_cpu)(struct task_struct *p, __s32 previous, __u64 flags);
    void (*enqueue)(struct task_struct *p, __u64 flags);
    void (*dispatch)(__s32 cpu, struct task_struct *previous);
    void (*runnable)(struct task_struct *p, __u64 flags);
    void (*running)(struct task_struct *p);
    void (*stopping)(struct task_struct *p, bool runnable);
    void (*quiescent)(struct task_struct *p, __u64 flags);
    bool (*yield)(struct task_struct *from, struct task_struct *to);
    void (*set_cpumask)(struct task_struct *p, const struct cpumask *mask);
    void (*exit_task)(struct task_struct *p, struct scx_exit_task_args *args);
    void (*disable)(struct task_struct *p);
    void (*cpu_online)(__s32 cpu);
    void (*cpu_offline)(__s32 cpu);
    __s32 (*init)(void);
    void (*exit)(struct scx_exit_info *info);
    __u64 flags;
    __u32 timeout_ms;
    char name[128];
};

/* The kernel's calls, beside those that several parts use (calls.h). */
#define FW_KFUNC extern __attribute__((section(".ksyms")))
FW_KFUNC __s32 scx_bpf_create_dsq(__u64 dsq, __s32 node);
FW_KFUNC __s32 scx_bpf_dsq_nr_queued(__u64 dsq);
FW_KFUNC __s32 scx_bpf_select_cpu_dfl(struct task_struct *p, __s32 previous, __u64 flags,
                                      bool *is_idle);
FW_KFUNC __s32 scx_bpf_pick_idle_cpu(const struct cpumask *allowed, __u64 flags);
FW_KFUNC bool scx_bpf_task_set_slice(struct task_struct *p, __u64 slice) __attribute__((weak));

/* For permits: from Linux 6.18 on; the first one's name and arguments changed with 7.0. */
typedef int fw_task_work(struct bpf_map *map, void *key, void *value);
FW_KFUNC int bpf_task_work_schedule_resume(struct task_struct *p, struct bpf_task_work *work,
                                           void *map, fw_task_work *callback);
FW_KFUNC int bpf_task_work_schedule_resume_impl(struct task_struct *p, struct bpf_task_work *work,
                                                void *map, fw_task_work *callback, void *program);
#ifdef FW_RT_SCX_TASK_WORK_IMPL
#define fw_schedule_work(p, work, map, callback) \
    bpf_task_work_schedule_resume_impl(p, work, map, callback, NULL)
#else
#define fw_schedule_work(p, work, map, callback) \
    bpf_task_work_schedule_resume(p, work, map, callback)
#endif
FW_KFUNC void *bpf_arena_alloc_pages(void *map, void *address, __u32 pages, int node, __u64 flags);
FW_KFUNC void bpf_arena_free_pages(void *map, void *address, __u32 pages);
FW_KFUNC void scx_bpf_error_bstr(char *format, unsigned long long *data, __u32 size);

#endif
