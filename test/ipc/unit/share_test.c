/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "fixture.h"
#include "ipc/share.h"
#include "unit.h"

/* src/ipc/share.c, by records that are written by hand. */

enum { SLOTS = 130 };

static uint64_t *lock, *other;
static uint64_t hint;

static int make(void)
{
    fixture = fixture_make(SLOTS);
    lock = fixture_object(&fixture, 0);
    other = fixture_object(&fixture, 1);
    fixture.mapping->head->participants_used = SLOTS;
    hint = 0;
    return 0;
}

static uint64_t *record(unsigned slot, unsigned index)
{
    return &fixture.mapping->participants[slot].shares[index];
}

static uint64_t says(const void *object, uint64_t generation, uint64_t state)
{
    return generation << 32 | fw_ipc_share_key_(fixture.mapping, object) | state;
}

static struct fw_ipc_walk_ walk(uint64_t groups)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, fixture.mapping, lock, groups);
    return k;
}

TEST(a_walk_finds_the_records_of_one_lock)
{
    struct fw_ipc_walk_ k = walk(UINT64_MAX);

    assert_false(fw_ipc_walk_next_(&k));
    *record(3, 0) = says(other, 1, FW_IPC_SHARE_HELD);
    *record(3, 1) = says(lock, 7, FW_IPC_SHARE_HELD);
    *record(3, FW_IPC_SHARES - 1) = says(lock, 7, FW_IPC_SHARE_WAITS);
    *record(5, 0) = says(lock, 1, FW_IPC_SHARE_NONE); /* not a record */
    *record(67, 0) = says(lock, 2, FW_IPC_SHARE_SLEEPS);
    k = walk(UINT64_MAX);
    assert_true(fw_ipc_walk_next_(&k));
    assert_ptr_equal(k.record, record(3, 1));
    assert_int_equal(k.holder, UINT64_C(7) << 32 | 4);
    assert_int_equal(fw_ipc_share_state_(k.seen), FW_IPC_SHARE_HELD);
    assert_true(fw_ipc_walk_next_(&k));
    assert_ptr_equal(k.record, record(3, FW_IPC_SHARES - 1));
    assert_true(fw_ipc_walk_next_(&k));
    assert_ptr_equal(k.record, record(67, 0));
    assert_int_equal(k.holder, UINT64_C(2) << 32 | 68);
    assert_false(fw_ipc_walk_next_(&k));
}

TEST(a_walk_goes_where_the_hint_says)
{
    struct fw_ipc_walk_ k;

    *record(0, 0) = *record(1, 0) = *record(65, 0) = *record(129, 0) =
        says(lock, 1, FW_IPC_SHARE_HELD);
    k = walk(0);
    assert_false(fw_ipc_walk_next_(&k));
    k = walk(UINT64_C(1) << 1);
    for (unsigned slot = 1; slot < SLOTS; slot += 64) {
        assert_true(fw_ipc_walk_next_(&k));
        assert_ptr_equal(k.record, record(slot, 0));
        assert_int_equal(fw_ipc_group_of_(k.holder), 2);
    }
    assert_false(fw_ipc_walk_next_(&k));
}

TEST(only_slots_that_exist_are_looked_at)
{
    struct fw_ipc_walk_ k;

    *record(1, 0) = says(lock, 1, FW_IPC_SHARE_HELD);
    fixture.mapping->head->participants_used = 1;
    k = walk(UINT64_MAX);
    assert_false(fw_ipc_walk_next_(&k));
    fixture.mapping->head->participants_used = UINT32_MAX; /* written over */
    k = walk(UINT64_MAX);
    assert_int_equal(k.used, SLOTS);
}

TEST(waiters_are_let_in)
{
    *record(0, 0) = says(lock, 1, FW_IPC_SHARE_WAITS);
    *record(0, 1) = says(other, 1, FW_IPC_SHARE_WAITS);
    *record(2, 0) = says(lock, 1, FW_IPC_SHARE_SLEEPS);
    *record(2, 1) = says(lock, 1, FW_IPC_SHARE_HELD);
    *record(4, 0) = says(lock, 1, FW_IPC_SHARE_WAITS);      /* not in the hint */
    fw_ipc_shares_wake_(fixture.mapping, lock, UINT64_MAX); /* who is about to sleep does not */
    assert_int_equal(*record(0, 0), says(lock, 1, FW_IPC_SHARE_WAITS));
    assert_int_equal(*record(2, 0), says(lock, 1, FW_IPC_SHARE_WAITS));
    assert_int_equal(*record(2, 1), says(lock, 1, FW_IPC_SHARE_HELD));
    *record(2, 0) = says(lock, 1, FW_IPC_SHARE_SLEEPS);
    fw_ipc_shares_grant_(fixture.mapping, lock, 1 | 4);
    assert_int_equal(*record(0, 0), says(lock, 1, FW_IPC_SHARE_HELD));
    assert_int_equal(*record(0, 1), says(other, 1, FW_IPC_SHARE_WAITS));
    assert_int_equal(*record(2, 0), says(lock, 1, FW_IPC_SHARE_HELD));
    assert_int_equal(*record(2, 1), says(lock, 1, FW_IPC_SHARE_HELD));
    assert_int_equal(*record(4, 0), says(lock, 1, FW_IPC_SHARE_WAITS));
}

TEST(the_hint_is_made_anew)
{
    hint = UINT64_MAX;
    *record(3, 5) = says(lock, 1, FW_IPC_SHARE_WAITS);
    *record(64, 0) = says(lock, 1, FW_IPC_SHARE_HELD);
    *record(9, 0) = says(other, 1, FW_IPC_SHARE_HELD);
    fw_ipc_shares_tidy_(fixture.mapping, lock, &hint);
    assert_int_equal(hint, UINT64_C(1) << 3 | 1);
    hint = 2; /* what it does not have, it does not get */
    fw_ipc_shares_tidy_(fixture.mapping, lock, &hint);
    assert_int_equal(hint, 0);
}

TEST(a_record_of_a_former_owner_is_free)
{
    struct fw_ipc_participant_ *m = &fixture.mapping->participants[0];
    struct fw_ipc_me_ me = {
        .mapping = fixture.mapping, .participant = m, .id = UINT64_C(5) << 32 | 1};
    uint64_t mine = fw_ipc_share_of_(&me, lock) | FW_IPC_SHARE_HELD;

    assert_int_equal(mine, says(lock, 5, FW_IPC_SHARE_HELD));
    assert_null(fw_ipc_share_find_(&me, mine));
    *record(0, 0) = says(other, 5, FW_IPC_SHARE_WAITS);
    *record(0, 1) = says(lock, 4, FW_IPC_SHARE_HELD); /* a former owner's: SHR1 */
    assert_ptr_equal(fw_ipc_share_free_record_(&me), record(0, 1));
    for (unsigned i = 1; i < FW_IPC_SHARES; i++)
        *record(0, i) = mine;
    assert_null(fw_ipc_share_free_record_(&me));
    assert_ptr_equal(fw_ipc_share_find_(&me, mine), record(0, 1)); /* the first: SHR2 */
    *record(0, 7) = 0;
    assert_ptr_equal(fw_ipc_share_free_record_(&me), record(0, 7));
}

UNIT_MAIN(make, fixture_end)
