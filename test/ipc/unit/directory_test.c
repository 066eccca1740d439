/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <furwock/ipc/region.h>

#include "ipc/region/directory.h"
#include "unit.h"

/* src/ipc/region/directory.c: entries are whole or not there; what was written over is told. */

enum { SIZE = 65536 };

static struct fw_ipc_plan_ plan;

static void *blank(void)
{
    void *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(m, MAP_FAILED);
    assert_int_equal(fw_ipc_plan_(SIZE, 0, &plan), 0);
    return m;
}

static int add(void *base, const char *name, uint64_t size, struct fw_ipc_entry_ *e)
{
    uint32_t index;
    int error;

    *e = (struct fw_ipc_entry_){.state = FW_REGION_DATA, .size = size};
    strcpy(e->name, name);
    error = fw_ipc_directory_find_space_(base, &plan, &index, e);
    if (error == 0)
        fw_ipc_directory_enter_(base, &plan, index, e);
    return error;
}

static struct fw_ipc_entry_ *entry(void *base, unsigned n)
{
    return (struct fw_ipc_entry_ *)((char *)base + plan.entries_at) + n;
}

TEST(found_where_it_was_put)
{
    void *base = blank();
    struct fw_ipc_entry_ a, b, found;

    assert_int_equal(fw_ipc_directory_find_(base, &plan, "a", &found), ENOENT);
    assert_int_equal(add(base, "a", 1, &a), 0);
    assert_int_equal(add(base, "b", 100, &b), 0);
    assert_int_equal(a.at, plan.objects_at);
    assert_int_equal(b.at, plan.objects_at + 64);
    assert_int_equal(fw_ipc_directory_find_(base, &plan, "b", &found), 0);
    assert_memory_equal(&found, &b, sizeof b);
    assert_int_equal(fw_ipc_directory_find_(base, &plan, "c", &found), ENOENT);
    munmap(base, SIZE);
}

TEST(full)
{
    void *base = blank();
    struct fw_ipc_entry_ e;
    char name[16];

    assert_int_equal(add(base, "too large", SIZE - plan.objects_at + 1, &e), ENOSPC);
    assert_int_equal(add(base, "huge", UINT64_MAX, &e), ENOSPC);
    for (unsigned i = 0; i < plan.entry_count; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(add(base, name, 1, &e), 0);
    }
    assert_int_equal(add(base, "one more", 1, &e), ENOSPC);
    munmap(base, SIZE);
    base = blank();
    assert_int_equal(add(base, "all", SIZE - plan.objects_at, &e), 0);
    assert_int_equal(add(base, "no space", 1, &e), ENOSPC);
    munmap(base, SIZE);
}

TEST(a_mark_that_was_written_over_does_no_harm)
{
    void *base = blank();
    struct fw_ipc_entry_ e;

    ((struct fw_ipc_head_ *)base)->dirty_to = UINT64_MAX;
    assert_int_equal(add(base, "a", SIZE - plan.objects_at, &e), 0);
    munmap(base, SIZE);
}

static void expect_unclean(void *base)
{
    struct fw_ipc_entry_ e, keep = *entry(base, 0);

    assert_int_equal(fw_ipc_directory_read_(base, &plan, 0, &e), EUCLEAN);
    assert_int_equal(fw_ipc_directory_find_(base, &plan, "none", &e), EUCLEAN);
    assert_int_equal(add(base, "new", 1, &e), EUCLEAN);
    assert_memory_equal(entry(base, 0), &keep, sizeof keep);
}

TEST(what_contradicts_the_plan_is_unclean)
{
    static const uint64_t offsets[] = {0, 63, SIZE, SIZE + 64, UINT64_MAX - 63};
    static const uint64_t sizes[] = {0, SIZE, UINT64_MAX, UINT64_MAX - 63};
    void *base = blank();
    struct fw_ipc_entry_ sound;

    assert_int_equal(add(base, "a", 8, &sound), 0);
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        *entry(base, 0) = sound;
        entry(base, 0)->at = offsets[i];
        expect_unclean(base);
    }
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *entry(base, 0) = sound;
        entry(base, 0)->size = sizes[i];
        expect_unclean(base);
    }
    *entry(base, 0) = sound;
    entry(base, 0)->at += 8;
    expect_unclean(base);
    *entry(base, 0) = sound;
    entry(base, 0)->state = FW_REGION_JOURNAL + 1;
    expect_unclean(base);
    *entry(base, 0) = sound;
    memset(entry(base, 0)->name, 'x', FW_IPC_NAME_SIZE);
    expect_unclean(base);
    entry(base, 0)->name[0] = '\0';
    expect_unclean(base);
    munmap(base, SIZE);
}

UNIT_MAIN(NULL, NULL)
