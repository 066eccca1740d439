/* SPDX-License-Identifier: MIT */
#include "ipc_head_check.h"

#include "../engine/report.h"

struct fw_ipc_head_ *head;

void head_check_make(const struct model_part *parts)
{
    head = model_object("head", sizeof *head, parts, NULL);
}

void head_check_joined(unsigned self, uint64_t *joined, uint64_t size)
{
    report_remark(self, "has joined");
    if (*joined != 0 && *joined != size)
        model_thread_fail("answer", "regions of %llu and of %llu bytes", *joined, size);
    *joined = size;
}

void head_check_changed(unsigned thread, uint64_t addr, uint64_t before)
{
    uint64_t now = *(const uint64_t *)(uintptr_t)addr;

    if (before != 0 && now != before)
        model_fail("word", "thread %llu changes what follows from the plan, to 0x%llx", thread,
                   now);
    else if (addr == (uint64_t)(uintptr_t)&head->magic && now != 0 && head->check == 0)
        model_fail("half made", "thread %llu says that it is made, and it is not", thread, 0);
}
