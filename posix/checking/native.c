/* SPDX-License-Identifier: MIT */
/* Contract: native.h. */
#include "native.h"

#include <furwock/await.h>
#include <link.h>
#include <string.h>

#include "lock.h"

struct fw_check_code_ fw_check_code_[FW_CHECK_CODES];
uint32_t fw_check_code_count_;
__thread fw_task fw_check_acts_as_;

static int see_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *name = strrchr(info->dlpi_name, '/');
    uint32_t *count = arg;

    (void)size;
    if (name == NULL || (strncmp(name, "/libfurwock.so", strlen("/libfurwock.so")) != 0 &&
                         strncmp(name, "/libfurwock-pthread-check.so",
                                 strlen("/libfurwock-pthread-check.so")) != 0))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && *count < FW_CHECK_CODES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        fw_store64_relaxed(&fw_check_code_[*count].begin, info->dlpi_addr + part->p_vaddr);
        fw_store64_relaxed(&fw_check_code_[(*count)++].size, part->p_memsz);
        break;
    }
    return *count == FW_CHECK_CODES;
}

/* Threads that come here at once find the same. */
void fw_check_find_code_(void)
{
    uint32_t count = 0;

    dl_iterate_phdr(see_module, &count);
    fw_store32_release(&fw_check_code_count_, count);
}

/* As whom it acts is the library's business; here only that it does. */
static fw_task checked_fw_task_switch(fw_task task)
{
    fw_check_acts_as_ = task;
    return FW_NATIVE_(fw_task_switch)(task);
}
FW_CHECKED_(fw_task_switch);

void fw_check_native_made_(const void *lock, const void *site)
{
    fw_check_reused_(lock, site);
    fw_check_forget_(lock);
    fw_check_is_found_(lock);
}

void fw_check_now_reads_(const void *lock)
{
    struct fw_check_thread_ *t = fw_check_me_;
    struct fw_check_held_ *h = t != NULL && !t->is_busy ? fw_check_find_(t, lock) : NULL;

    if (h != NULL)
        fw_check_mark_(t, h, h->mark | 1);
}

uint32_t fw_check_native_owner_(bool is_mine, int owner)
{
    const struct fw_check_thread_ *t = fw_check_me_;

    if (is_mine)
        return t != NULL ? t->thread : FW_CHECK_UNKNOWN;
    return (uint32_t)owner;
}
