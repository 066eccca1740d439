/* SPDX-License-Identifier: MIT */
/* Acquisitions and releases that are not the usual case.  Contract: check.h. */
#include <string.h>

#include "check.h"

static uint32_t node_of(const struct fw_check_target_ *target, const void *site, bool exact)
{
    uint32_t known = target->node != NULL ? fw_load32_relaxed(target->node) : 0;
    uint32_t node;

    if (target->node == NULL)
        return fw_check_node_by_address_(target->object, site);
    node = fw_check_node_(target->object, known, site, exact);
    if (node != known)
        fw_store32_relaxed(target->node, node);
    return node;
}

static void note_kind(const struct fw_check_target_ *target, uint32_t node)
{
    struct fw_check_node_ *n = &fw_check_nodes_[node];

    if (target->blocks_readers && n->blocks_readers == 0)
        fw_store32_relaxed(&n->blocks_readers, 1);
    if (target->is_left_by_fork && n->is_left_by_fork == 0)
        fw_store32_relaxed(&n->is_left_by_fork, 1);
    if (!target->reads && n->is_written == 0)
        fw_store32_relaxed(&n->is_written, 1);
}

static void relock(const struct fw_check_target_ *target, const struct fw_check_held_ *h,
                   enum fw_check_ask_ ask, const void *site)
{
    bool is_harmless = ask == FW_CHECK_TRIES || target->is_recursive || target->refuses_relock ||
                       (target->reads && fw_check_reads_(h->mark) && !target->blocks_readers);

    if (!is_harmless)
        fw_check_report_one_(FW_CHECK_RELOCK, target->object, site, 0, h);
}

/* What was known to be in order is known no longer: two threads, or a class that was split. */
static void refresh(struct fw_check_thread_ *t)
{
    uint32_t epoch = fw_load32_acquire(&fw_check_epoch_);

    if (t->epoch != epoch)
        memset(t->cache, 0, sizeof t->cache);
    t->epoch = epoch;
    fw_check_rename_(t);
}

void fw_check_before_(const struct fw_check_target_ *target, enum fw_check_ask_ ask,
                      const void *site)
{
    struct fw_check_thread_ *t = fw_check_thread_here_();
    const struct fw_check_held_ *h;
    uint32_t mark, node;
    uint64_t hash;

    if (t == NULL)
        return;
    t->is_busy = 1;
    refresh(t);
    node = node_of(target, site, t->count != 0);
    note_kind(target, node);
    mark = node << 1 | target->reads;
    h = fw_check_find_(t, target->object);
    if (h != NULL) {
        relock(target, h, ask, site);
    } else if (ask == FW_CHECK_WAITS && t->count != 0 && node != 0) {
        mark = fw_check_order_(t, target->object, mark, site);
        if (target->node != NULL)
            fw_store32_relaxed(target->node, mark >> 1);
        hash = fw_check_mix_(t->hash, mark);
        if (t->epoch == fw_load32_relaxed(&fw_check_epoch_))
            *fw_check_slot_(t, hash) = hash;
    }
    t->is_busy = 0;
}

static void lose(struct fw_check_thread_ *t)
{
    struct fw_check_ *file = fw_check_file_();

    t->beyond++;
    if (file != NULL)
        fw_add64_release(&file->lost_locks, 1);
}

void fw_check_got_(const struct fw_check_target_ *target, const void *site)
{
    struct fw_check_thread_ *t = fw_check_thread_here_();
    struct fw_check_held_ *h = t != NULL ? fw_check_find_(t, target->object) : NULL;
    uint32_t mark;

    if (t == NULL)
        return;
    if (h != NULL) {
        h->again++;
        return;
    }
    if (t->count == FW_CHECK_DEPTH) {
        lose(t);
        return;
    }
    mark = node_of(target, site, t->count != 0) << 1 | target->reads;
    fw_check_push_(t, target->object, mark, site, fw_check_mix_(t->hash, mark));
}

/* --- Releases --------------------------------------------------------------------------------- */

static void release_foreign(struct fw_check_thread_ *t, const void *object, uint32_t owner,
                            const void *site)
{
    uint32_t thread = 0;
    const struct fw_check_held_ *h = owner != t->thread ? fw_check_holder_(object, &thread) : NULL;

    if (owner == t->thread) /* it was taken by what does not come here */
        return;
    if (h != NULL && thread != t->thread) {
        fw_check_report_one_(FW_CHECK_STRANGER, object, site, thread, h);
        fw_check_take_from_(object);
    } else if (owner == 0) {
        fw_check_report_one_(FW_CHECK_FREE, object, site, 0, NULL);
    } else if (owner != FW_CHECK_UNKNOWN) {
        fw_check_report_one_(FW_CHECK_STRANGER, object, site, owner, NULL);
    }
}

void fw_check_release_(const void *object, uint32_t owner, const void *site)
{
    struct fw_check_thread_ *t = fw_check_thread_here_();
    struct fw_check_held_ *h = t != NULL ? fw_check_find_(t, object) : NULL;

    if (t == NULL)
        return;
    if (h != NULL) {
        if (h->again != 0)
            h->again--;
        else
            fw_check_drop_(t, h);
    } else if (t->beyond != 0) {
        t->beyond--;
    } else {
        release_foreign(t, object, owner, site);
    }
}
