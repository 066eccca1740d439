/* SPDX-License-Identifier: MIT */
/*
 * An object in memory that processes share.  Contract: guard.h.
 *
 * Origin: a redo log, as databases keep one: the new value is written beside the object and
 * declared valid by one store; what has been declared is written to the object, by the writer or by
 * the next holder of the lock.  (The locks between processes have an undo log:
 * src/ipc/region/journal.c. doc/design/crash-safety.md, "Two logs", compares them.)
 *
 *   logged  sequence  object          the holder is             if it dies there, the next holder
 *   0       even      old             writing the log           does nothing: not happened
 *   0       odd       old             about to declare it       makes it even: not happened
 *   n       odd       old to new      writing the object        writes it again, 0, even: happened
 *   0       odd       new             done                      makes it even: happened
 *   0       even      new             about to unlock           does nothing: happened
 *
 *   ALOG1  All of these are changed by the holder of the lock only.
 *   ALOG2  The order of the stores is: log and offset, odd, logged = n, object, logged = 0, even,
 *          unlock.  Each but the first and the object's is a release store, and a fence comes
 *          before the object's, so the compiler keeps the order; and a thread that is killed has
 *          carried out its program up to some instruction.
 *   ALOG3  Whether an operation happened is decided by the store to `logged`.  The sequence is odd
 *          then and until that is carried out, so no thread reads the old value any more (object.c,
 *          AOBJ3): a reader takes the lock, and repairs first.
 *   ALOG4  To repair twice, or to die during a repair, does no harm: it writes what the log says,
 *          and clears the log last.
 *   ALOG5  Whatever the table holds, a repair writes to the objects of the region only.
 */
#include "guard.h"

#include "sys/panic.h"

_Noreturn void fw_guard_refuse_(const void *object, size_t n)
{
    struct fw_region_ region = {.largest = 0};
    size_t offset;

    fw_region_of_(object, &region);
    offset = (size_t)((const char *)object - region.base);
    if (fw_region_is_foreign_() && region.largest == 0)
        fw_panic_object_("the process was forked into another pid namespace than its region's",
                         object, n);
    if (offset < fw_region_space_(&region))
        fw_panic_object_("an atomic object lies in the table of its region", object, n);
    if (n > region.size - offset)
        fw_panic_object_("an atomic object crosses the end of its region", object, n);
    fw_panic_object_("an atomic object is larger than its region was created for", object, n);
}

/* Can the log be carried out?  Of `n` bytes, in this region. */
static bool is_log_valid(const struct fw_region_ *region, const struct fw_table_stripe_ *stripe,
                         uint64_t offset, uint32_t n)
{
    return (fw_load64_relaxed(&stripe->sequence) & 1) != 0 && n <= region->largest &&
           offset >= fw_region_space_(region) && offset <= region->size - n &&
           fw_table_stripe_(region->base, region->stripe_size, fw_table_index_(offset)) == stripe;
}

__attribute__((cold, noinline)) void fw_guard_repair_(struct fw_table_stripe_ *stripe)
{
    uint32_t n = fw_load32_relaxed(&stripe->logged);
    uint64_t offset = fw_load64_relaxed(&stripe->offset);
    struct fw_region_ region;

    if (n != 0) {
        if (!fw_region_of_(stripe, &region) || !is_log_valid(&region, stripe, offset, n))
            fw_panic_object_("the table of a region of atomic objects has been written over",
                             stripe, sizeof *stripe);
        fw_copy_in_(region.base + offset, stripe->log, n); /* F:ipc-atomic-repair-nothing */
        fw_store32_release(&stripe->logged, 0);            /* F:ipc-atomic-repair-keeps */
    }
    if ((fw_load64_relaxed(&stripe->sequence) & 1) != 0) /* F:ipc-atomic-repair-odd */
        fw_table_step_(stripe);
}
