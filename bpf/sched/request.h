/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_REQUEST_H
#define FW_BPF_SCHED_REQUEST_H

#include "bpf/sched/memory.h"

/* What a page asks for, read once: its user may write at any time. */
struct request {
    uint32_t op, desc, cpu, base, kind, protocol, ceiling;
    uint64_t group;
};

static __always_inline struct request read_request(const volatile struct fw_rt_scx_page *page)
{
    return (struct request){.op = page->op,
                            .desc = page->desc,
                            .cpu = page->cpu,
                            .base = page->base,
                            .kind = page->kind,
                            .protocol = page->protocol,
                            .ceiling = page->ceiling,
                            .group = page->group};
}

#endif
