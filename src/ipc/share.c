/* SPDX-License-Identifier: MIT */
/*
 * Shares.  Contract, states of a record, SHR1 to SHR3: share.h.
 */
#include "ipc/share.h"

#include "ipc/wait.h"

/* No slot beyond was ever taken; and never more than the process has checked. */
static uint32_t slots_used(const struct fw_ipc_mapping_ *mapping)
{
    uint32_t used = fw_load32_acquire(&mapping->head->participants_used);

    return used < mapping->participant_count ? used : mapping->participant_count;
}

static void begin_group(struct fw_ipc_walk_ *k)
{
    k->slot = k->groups != 0 ? (uint32_t)__builtin_ctzll(k->groups) : 0;
    k->index = 0;
}

void fw_ipc_walk_begin_(struct fw_ipc_walk_ *k, const struct fw_ipc_mapping_ *mapping,
                        const void *lock, uint64_t groups)
{
    *k = (struct fw_ipc_walk_){.mapping = mapping,
                               .groups = groups,
                               .key = fw_ipc_share_key_(mapping, lock),
                               .used = groups != 0 ? slots_used(mapping) : 0};
    begin_group(k);
}

/* The next record in the present slot; all orders sequential: rwlock.c, IRW2. */
static bool next_in_slot(struct fw_ipc_walk_ *k)
{
    struct fw_ipc_participant_ *m = &k->mapping->participants[k->slot];

    while (k->index < FW_IPC_SHARES) {
        uint64_t *record = &m->shares[k->index++];
        uint64_t seen = fw_load64_seq_cst(record);
        if ((uint32_t)seen - k->key - 1 < FW_IPC_SHARE_STATE) {
            k->record = record;
            k->seen = seen;
            k->holder = (seen & FW_IPC_SLOT_GENERATION_) | (k->slot + 1);
            return true;
        }
    }
    return false;
}

bool fw_ipc_walk_next_(struct fw_ipc_walk_ *k)
{
    while (k->groups != 0) {
        for (; k->slot < k->used; k->slot += FW_IPC_GROUPS_, k->index = 0)
            if (next_in_slot(k))
                return true;
        k->groups &= k->groups - 1;
        begin_group(k);
    }
    return false;
}

void fw_ipc_shares_grant_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t groups)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, mapping, lock, groups);
    while (fw_ipc_walk_next_(&k)) {
        uint64_t seen = k.seen;
        uint64_t held = (seen & ~(uint64_t)FW_IPC_SHARE_STATE) | FW_IPC_SHARE_HELD;
        while (fw_ipc_share_state_(seen) >= FW_IPC_SHARE_WAITS && (seen ^ held) >> 2 == 0) {
            if (!fw_cas64_acq_rel(k.record, &seen, held)) /* WAITS, SLEEPS -> HELD */
                continue;
            if (fw_ipc_share_state_(seen) == FW_IPC_SHARE_SLEEPS)
                fw_ipc_wake_(fw_ipc_share_half_(k.record), 1);
            break;
        }
    }
}

void fw_ipc_shares_wake_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t groups)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, mapping, lock, groups);
    while (fw_ipc_walk_next_(&k)) {
        uint64_t waits = (k.seen & ~(uint64_t)FW_IPC_SHARE_STATE) | FW_IPC_SHARE_WAITS;
        /* F:ipc-rw-wakes-unsaid */
        if (fw_ipc_share_state_(k.seen) == FW_IPC_SHARE_SLEEPS &&
            fw_cas64_acq_rel(k.record, &k.seen, waits)) /* SLEEPS -> WAITS */
            fw_ipc_wake_(fw_ipc_share_half_(k.record), 1);
    }
}

void fw_ipc_shares_tidy_(const struct fw_ipc_mapping_ *mapping, const void *lock, uint64_t *hint)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, mapping, lock, fw_xchg64_seq_cst(hint, 0));
    while (fw_ipc_walk_next_(&k))
        fw_or64_seq_cst(hint, fw_ipc_group_of_(k.holder));
}
