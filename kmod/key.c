/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "module.h"

/*
 * The identity of a word, [B, O] in Franke, Russell, Kirkwood, section 2, as their ulocks have it:
 * the mapping is looked up, and the word named by the file behind it and the offset there, if the
 * mapping is shared, and else by the address space and the address.  No page has a part in it, so
 * none is pinned, and truncation, swapping, migration, huge pages change nothing.
 *
 * What is named is held while it is: the open file (so that its address_space lives; a file system
 * with a sleeper cannot be unmounted, which is the truth) or the mm_struct (not its memory).
 */

enum { HOLD_FILE, HOLD_MM, HOLD_PAGE };

void fwk_hold_take(const struct fwk_hold *hold)
{
    switch (hold->kind) {
    case HOLD_FILE:
        get_file(hold->object);
        break;
    case HOLD_MM:
        mmgrab(hold->object);
        break;
    default:
        get_page(hold->object);
    }
}

void fwk_hold_release(const struct fwk_hold *hold)
{
    switch (hold->kind) {
    case HOLD_FILE:
        fput(hold->object);
        break;
    case HOLD_MM:
        mmdrop(hold->object);
        break;
    default:
        put_page(hold->object);
    }
}

static void by_address(struct fwk_key *key, unsigned long address)
{
    mmgrab(current->mm);
    key->object = (unsigned long)current->mm;
    key->offset = address;
    key->hold.object = current->mm;
    key->hold.kind = HOLD_MM;
}

/* As Linux 2.5.7 did it: the page stays where it is as long as somebody sleeps. */
static int by_page(struct fwk_key *key, unsigned long address, bool writes)
{
    struct page *page;
    int n = get_user_pages_fast(address & PAGE_MASK, 1, writes ? FOLL_WRITE : 0, &page);

    if (n != 1)
        return -EFAULT;
    key->object = (unsigned long)page;
    key->offset = offset_in_page(address);
    key->hold.object = page;
    key->hold.kind = HOLD_PAGE;
    return 0;
}

static int by_mapping(struct fwk_key *key, unsigned long address, bool writes)
{
    struct vm_area_struct *vma;
    int error = 0;

    if (mmap_read_lock_killable(current->mm) != 0)
        return -EINTR;
    vma = find_vma(current->mm, address);
    if (vma == NULL || vma->vm_start > address || (vma->vm_flags & (VM_IO | VM_PFNMAP)) != 0 ||
        (vma->vm_flags & (writes ? VM_WRITE : VM_READ)) == 0) {
        error = -EFAULT;
    } else if (vma->vm_file != NULL && (vma->vm_flags & VM_MAYSHARE) != 0) {
        key->object = (unsigned long)vma->vm_file->f_mapping;
        key->offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
        key->hold.object = get_file(vma->vm_file);
        key->hold.kind = HOLD_FILE;
    } else {
        by_address(key, address);
    }
    mmap_read_unlock(current->mm);
    return error;
}

int fwk_key_make(struct fwk_key *key, u64 address, u32 flags, u64 kind, bool writes)
{
    if (address % sizeof(u32) != 0 || (flags & FWK_KEY_FLAGS) == FWK_KEY_FLAGS)
        return -EINVAL;
    if (address != (unsigned long)address || !access_ok(fwk_word_at(address), sizeof(u32)))
        return -EFAULT;
    key->kind = kind;
    if ((flags & FW_KERNEL_PRIVATE) != 0)
        by_address(key, (unsigned long)address);
    else if ((flags & FW_KERNEL_PAGE) != 0)
        return by_page(key, (unsigned long)address, writes);
    else
        return by_mapping(key, (unsigned long)address, writes);
    return 0;
}

/* The program may take the memory away again at once: the caller comes back, until a signal. */
int fwk_fault_in(fwk_word word, bool writes)
{
    u32 value;

    if (signal_pending(current))
        return -ERESTARTSYS;
    if (writes)
        return fault_in_safe_writeable((char __user *)word, sizeof value) == 0 ? 0 : -EFAULT;
    return get_user(value, word);
}
