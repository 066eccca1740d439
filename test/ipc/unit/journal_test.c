/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/journal.h>

#include "fixture.h"
#include "ipc/region/journal.h"
#include "unit.h"

/*
 * src/ipc/region/journal.c: what is recorded comes back, whatever the journal's bytes are; and
 * whose journal it is.
 */

enum { CAPACITY = 160, DATA = 64 };

static fw_ipc_mutex *mutex;
static fw_ipc_journal *journal;
static unsigned char *data; /* 256 bytes */
static unsigned char before[DATA];

static int make(void)
{
    fixture = fixture_make(8);
    mutex = fixture_object(&fixture, 0);
    journal = fixture_object(&fixture, 1);
    data = fixture_object(&fixture, 2);
    for (unsigned i = 0; i < DATA; i++)
        before[i] = data[i] = (unsigned char)(i + 1);
    return fw_ipc_journal_init(journal, CAPACITY);
}

static void change(unsigned at, unsigned n)
{
    assert_int_equal(fw_ipc_journal_record(journal, data + at, n), 0);
    memset(data + at, 0xcc, n);
}

static uint64_t offset_of(const void *p)
{
    return fw_ipc_offset_(fixture.mapping, p);
}

TEST(is_made_once)
{
    assert_int_equal(sizeof *journal + CAPACITY, fw_ipc_journal_size(CAPACITY));
    change(0, 8);
    assert_int_equal(fw_ipc_journal_init(journal, CAPACITY), 0);
    assert_int_equal(fw_ipc_journal_init(journal, CAPACITY + 8), EBUSY);
    assert_int_equal(fw_ipc_journal_undo(journal), 0);
    assert_memory_equal(data, before, DATA);
}

TEST(is_not_made_elsewhere)
{
    fw_ipc_journal outside = {0, 0, 0};

    assert_int_equal(fw_ipc_journal_init(&outside, 64), EINVAL);
    assert_int_equal(fw_ipc_journal_init((fw_ipc_journal *)(void *)(data + 4), 64), EINVAL);
    assert_int_equal(fw_ipc_journal_init((fw_ipc_journal *)(void *)(data + 64), 0), EINVAL);
    assert_int_equal(fw_ipc_journal_init((fw_ipc_journal *)(void *)(data + 64), SIZE_MAX), EINVAL);
    assert_int_equal(fw_ipc_journal_init((fw_ipc_journal *)(void *)(data + 64), fixture.size),
                     EINVAL);
    assert_int_equal(fw_ipc_journal_init((fw_ipc_journal *)(void *)fixture.base, 64), EINVAL);
    assert_int_equal(fw_ipc_journal_record(&outside, data, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_undo(&outside), EINVAL);
    assert_int_equal(fw_ipc_journal_commit(&outside), EINVAL);
}

TEST(undoes_in_reverse_order)
{
    change(3, 1);
    change(8, 16);
    change(0, 10); /* over both */
    change(8, 8);
    change(17, 13);
    assert_int_equal(fw_ipc_journal_undo(journal), 0);
    assert_memory_equal(data, before, DATA);
    assert_int_equal(journal->used_, 0);
    memset(data, 1, DATA);
    assert_int_equal(fw_ipc_journal_undo(journal), 0);
    assert_int_equal(data[0], 1); /* nothing was left to undo */
}

TEST(keeps_what_is_committed)
{
    change(0, 8);
    assert_int_equal(fw_ipc_journal_commit(journal), 0);
    change(8, 8);
    assert_int_equal(fw_ipc_journal_undo(journal), 0);
    assert_int_equal(data[0], 0xcc);
    assert_memory_equal(data + 8, before + 8, DATA - 8);
}

TEST(notes_nothing_when_full)
{
    uint64_t used;

    change(0, 32);
    change(32, 32); /* 48 each: 64 are left */
    used = journal->used_;
    assert_int_equal(fw_ipc_journal_record(journal, data, 49), ENOSPC);
    assert_int_equal(fw_ipc_journal_record(journal, data, SIZE_MAX), EINVAL);
    assert_int_equal(journal->used_, used);
    assert_int_equal(fw_ipc_journal_record(journal, data, 48), 0);
    assert_int_equal(journal->used_, CAPACITY);
    assert_int_equal(fw_ipc_journal_record(journal, data, 1), ENOSPC);
    assert_int_equal(fw_ipc_journal_undo(journal), 0);
    assert_memory_equal(data, before, DATA);
}

TEST(notes_objects_of_the_region_only)
{
    assert_int_equal(fw_ipc_journal_record(journal, data, 0), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, before, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, fixture.base + 8, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, fixture.mapping->participants, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, &fixture.mapping->participants[7].life, 8),
                     EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, fixture.base + fixture.size - 4, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, journal, 8), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, (char *)journal - 4, 8), EINVAL);
    assert_int_equal(
        fw_ipc_journal_record(journal, (char *)journal + sizeof *journal + CAPACITY - 1, 2),
        EINVAL);
    assert_int_equal(
        fw_ipc_journal_record(journal, (char *)journal + sizeof *journal + CAPACITY, 2), 0);
    assert_int_equal(fw_ipc_journal_record(journal, (char *)journal - 8, 8), 0);
    assert_int_equal(fw_ipc_journal_commit(journal), 0);
}

/* --- With a mutex ----------------------------------------------------------------------------- */

static void attach(void)
{
    assert_int_equal(fw_ipc_mutex_lock(mutex), 0);
    assert_int_equal(fw_ipc_mutex_journal(mutex, journal), 0);
    assert_int_equal(fw_ipc_mutex_unlock(mutex), 0);
}

TEST(is_attached_by_the_holder)
{
    fw_ipc_journal outside = {0, 0, 0};
    fw_ipc_journal *other = (fw_ipc_journal *)(void *)(data + 128);

    assert_int_equal(fw_ipc_mutex_journal(mutex, journal), EPERM);
    attach();
    (void)!fw_ipc_mutex_lock(mutex);
    assert_int_equal(fw_ipc_mutex_journal(mutex, other), EUCLEAN); /* not made */
    assert_int_equal(fw_ipc_journal_init(other, 64), 0);
    assert_int_equal(fw_ipc_mutex_journal(mutex, &outside), EINVAL);
    change(0, 8);
    assert_int_equal(fw_ipc_mutex_journal(mutex, journal), 0);
    assert_int_equal(fw_ipc_mutex_journal(mutex, other), EBUSY);
    assert_int_equal(fw_ipc_mutex_journal(mutex, NULL), EBUSY);
    fw_ipc_journal_undo(journal);
    assert_int_equal(fw_ipc_mutex_journal(mutex, other), 0);
    assert_int_equal(fw_ipc_mutex_journal(mutex, NULL), 0);
    assert_int_equal(mutex->history_.journal_, 0);
    fw_ipc_mutex_unlock(mutex);
}

static bool is_attached(const fw_ipc_mutex *m)
{
    return m->history_.journal_ == offset_of(journal) &&
           journal->owner_ == (offset_of(m) << 8 | sizeof *m);
}

/* Their words would come back as they were when the dead one had the lock. */
TEST(covers_no_part_of_its_lock)
{
    const char *first = (const char *)mutex, *end = (const char *)(mutex + 1);

    assert_int_equal(fw_ipc_journal_record(journal, mutex, 8), 0); /* not yet its lock */
    (void)!fw_ipc_mutex_lock(mutex);
    assert_int_equal(fw_ipc_mutex_journal(mutex, journal), EBUSY);
    assert_int_equal(fw_ipc_journal_commit(journal), 0);
    assert_int_equal(fw_ipc_mutex_journal(mutex, journal), 0);
    assert_int_equal(fw_ipc_journal_record(journal, mutex, sizeof *mutex), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, first, 1), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, end - 1, 2), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, first - 8, 128), EINVAL);
    assert_int_equal(fw_ipc_journal_record(journal, end, 8), 0); /* what lies beside it */
    assert_int_equal(fw_ipc_mutex_unlock(mutex), 0);
}

TEST(does_not_overlap_with_its_lock)
{
    fw_ipc_mutex *inside = (fw_ipc_mutex *)(void *)((char *)(journal + 1) + 8);

    assert_int_equal(fw_ipc_mutex_lock(inside), 0);
    assert_int_equal(fw_ipc_mutex_journal(inside, journal), EINVAL);
    assert_int_equal(fw_ipc_mutex_unlock(inside), 0);
}

TEST(goes_back_to_a_lock_made_anew)
{
    attach();
    assert_int_equal(fw_ipc_mutex_init(mutex), 0);
    attach();
    assert_true(is_attached(mutex));
}

/* --- Written over ----------------------------------------------------------------------------- */

static void expect_unclean(void)
{
    uint64_t at = offset_of(journal);

    assert_int_equal(fw_ipc_journal_undo_at_(fixture.mapping, at, mutex), EUCLEAN);
    assert_int_equal(fw_ipc_journal_undo(journal), EUCLEAN);
}

TEST(sees_that_its_head_makes_no_sense)
{
    static const uint64_t used[] = {CAPACITY + 8, 7, 8, 16, UINT64_MAX, UINT64_MAX - 7};
    static const uint64_t owner[] = {1, 64, 8 << 8 | 48, UINT64_C(0x8000) << 8, UINT64_MAX};
    static const uint64_t capacity[] = {0, CAPACITY + 4, 1 << 20, UINT64_MAX - 7, UINT64_MAX};

    attach();
    for (unsigned i = 0; i < sizeof used / sizeof *used; i++) {
        journal->used_ = used[i];
        expect_unclean();
    }
    journal->used_ = 0;
    for (unsigned i = 0; i < sizeof owner / sizeof *owner; i++) {
        journal->owner_ = owner[i];
        expect_unclean();
        assert_int_equal(fw_ipc_journal_record(journal, data, 8), EUCLEAN);
    }
    journal->owner_ = offset_of(mutex) << 8 | sizeof *mutex;
    for (unsigned i = 0; i < sizeof capacity / sizeof *capacity; i++) {
        journal->capacity_ = capacity[i];
        expect_unclean();
        assert_int_equal(fw_ipc_journal_record(journal, data, 8), EUCLEAN);
        assert_int_equal(fw_ipc_journal_commit(journal), EUCLEAN);
        assert_int_equal(fw_ipc_journal_commit_at_(fixture.mapping, offset_of(journal), mutex),
                         EUCLEAN);
    }
}

TEST(sees_that_a_record_makes_no_sense)
{
    uint64_t *trailer = (uint64_t *)(void *)(journal + 1) + 1;
    const uint64_t wrong[][2] = {
        {0, 8},
        {offset_of(data), 0},
        {offset_of(data), 9},
        {offset_of(data), UINT64_MAX},
        {offset_of(data), UINT64_MAX - 14},
        {8, 8},
        {offset_of(fixture.mapping->participants), 8},
        {fixture.size - 4, 8},
        {fixture.size + 8, 8},
        {UINT64_MAX - 3, 8},
        {offset_of(journal), 8},
        {offset_of(journal) + 40, 1},
        {offset_of(mutex), 8},
        {offset_of(mutex) - 8, 9},
        {offset_of(mutex) + sizeof *mutex - 1, 1},
    };

    attach();
    change(0, 8);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trailer[0] = wrong[i][0];
        trailer[1] = wrong[i][1];
        expect_unclean();
        assert_int_equal(data[0], 0xcc);
        assert_int_equal(journal->used_, FW_IPC_JOURNAL_RECORD(8));
    }
    assert_int_equal(fw_ipc_journal_commit(journal), 0);
}

TEST(is_no_journal)
{
    const uint64_t wrong[] = {0, 8, 3, fixture.size - 8, fixture.size, UINT64_MAX - 7, UINT64_MAX};

    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(fw_ipc_journal_undo_at_(fixture.mapping, wrong[i], mutex), EUCLEAN);
        assert_int_equal(fw_ipc_journal_commit_at_(fixture.mapping, wrong[i], mutex), EUCLEAN);
    }
}

/* Random bytes in head and records: an answer, and nothing outside of the objects is changed. */
TEST(stands_any_bytes)
{
    size_t objects_at = (size_t)fixture.mapping->head->objects_at;
    char *copy = malloc(objects_at);

    memcpy(copy, fixture.base, objects_at);
    srand(1);
    for (unsigned turn = 0; turn < 20000; turn++) {
        uint64_t *word = (uint64_t *)(void *)(journal + 1);
        for (unsigned i = 0; i < CAPACITY / 8; i++)
            word[i] = rand() % 3 != 0 ? (uint64_t)(rand() % 0x14000) : (uint64_t)rand() << 33;
        journal->capacity_ = rand() % 8 != 0 ? CAPACITY : (uint64_t)rand();
        journal->used_ = (uint64_t)(rand() % (CAPACITY / 8 + 2)) * 8;
        journal->owner_ = offset_of(mutex) << 8 | sizeof *mutex;
        (void)fw_ipc_journal_undo_at_(fixture.mapping, offset_of(journal), mutex);
        assert_memory_equal(copy, fixture.base, objects_at);
    }
    free(copy);
}

UNIT_MAIN(make, fixture_end)
