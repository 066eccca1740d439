/* SPDX-License-Identifier: MIT */
#include "bpf/sched/arena.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rt/scx/page.h"

/* Of the kernel's interface; newer than some systems' headers. */
enum { MAP_ARENA = 33, FLAG_MMAPABLE = 1 << 10, FLAG_SEGV_ON_FAULT = 1 << 17 };

/* Where neither programs, nor stacks, nor what looks for errors in them have anything. */
#define LOWEST 0x2e0000000000u
enum { PLACES = 1 << 16, PLACE_SHIFT = 22 };

uint64_t fw_rt_scx_permits_address(uint64_t generation)
{
    return LOWEST + ((generation / 1000 % PLACES) << PLACE_SHIFT);
}

int fw_rt_scx_arena_new(uint64_t address)
{
    LIBBPF_OPTS(bpf_map_create_opts, how, .map_flags = FLAG_MMAPABLE | FLAG_SEGV_ON_FAULT,
                .map_extra = address);

    return bpf_map_create((enum bpf_map_type)MAP_ARENA, "fw_rt_permits", 0, 0, FW_RT_TASKS, &how);
}

static bool has_call(const struct btf *btf, const char *name)
{
    return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

/* There a work is asked for by a thread of the kernel, which may come too late. */
static bool is_preempt_rt(void)
{
    struct utsname names;

    return access("/sys/kernel/realtime", F_OK) == 0 ||
           (uname(&names) == 0 && strstr(names.version, "PREEMPT_RT") != NULL);
}

uint32_t fw_rt_scx_permits_here(char *why, size_t size)
{
    struct btf *btf = btf__load_vmlinux_btf();
    uint32_t name = 0;

    if (btf != NULL && has_call(btf, "bpf_arena_alloc_pages") &&
        has_call(btf, "bpf_arena_free_pages")) {
        if (has_call(btf, "bpf_task_work_schedule_resume"))
            name = 1;
        else if (has_call(btf, "bpf_task_work_schedule_resume_impl"))
            name = 2;
    }
    btf__free(btf);
    if (name == 0)
        snprintf(why, size, "this kernel has no BPF task work (Linux 6.18 and later)");
    else if (is_preempt_rt())
        snprintf(why, size, "with PREEMPT_RT a task's work may come too late");
    else
        return name;
    return 0;
}
