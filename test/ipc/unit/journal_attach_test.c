/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include <furwock/ipc/journal.h>

#include "fixture.h"
#include "ipc/region/journal.h"
#include "unit.h"

/* src/ipc/region/journal.c: whose journal it is. */

enum { CAPACITY = 160 };

static fw_ipc_mutex *mutex;
static fw_ipc_journal *journal;
static unsigned char *data; /* 256 bytes */

static int make(void)
{
    fixture = fixture_make(8);
    mutex = fixture_object(&fixture, 0);
    journal = fixture_object(&fixture, 1);
    data = fixture_object(&fixture, 2);
    return fw_ipc_journal_init(journal, CAPACITY);
}

static uint64_t offset_of(const void *p)
{
    return fw_ipc_offset_(fixture.mapping, p);
}

static void change(unsigned at, unsigned n)
{
    assert_int_equal(fw_ipc_journal_record(journal, data + at, n), 0);
    memset(data + at, 0xcc, n);
}

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
    fw_ipc_mutex_lock(mutex);
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
    fw_ipc_mutex_lock(mutex);
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

UNIT_MAIN(make, fixture_end)
