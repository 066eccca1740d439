/* SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include <furwock/bits/self.h>

#include "forger.h"
#include "in_child.h"
#include "sys/running.h"

/* The reader of the assist's page, with pages of the tests' own. */

/* The id of no thread of this process, so that nothing is known of it but what the page says. */
enum { SOMEBODY = (1 << 22) - 77 };

static struct forged page;

static uint32_t own_tid(void)
{
    return (uint32_t)gettid();
}

static int setup(void)
{
    page = forge_page();
    return 0;
}

static void teardown(void)
{
    forge_vanish();
    munmap(page.page, sizeof *page.page);
    close(page.fd);
}

TEST(knows_nothing_without_a_page)
{
    forge_vanish();
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    assert_int_equal(fw_running_in_(SOMEBODY, forge_namespace()), FW_RUNNING_UNKNOWN);
    assert_false(fw_cpu_is_wanted_());
    fw_running_slept_();
}

TEST(tells_the_states_apart)
{
    static const struct {
        uint64_t says;
        int means;
    } cases[] = {{FW_ASSIST_RUNS, FW_RUNNING_YES},
                 {FW_ASSIST_SLEEPS, FW_RUNNING_NO},
                 {FW_ASSIST_PREEMPTED, FW_RUNNING_NO},
                 {0, FW_RUNNING_UNKNOWN}};

    assert_true(forge_use(&page));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge_thread(&page, SOMEBODY, cases[i].says, i * 5000);
        assert_int_equal(fw_running_(SOMEBODY), cases[i].means);
        assert_int_equal(fw_running_in_(SOMEBODY, forge_namespace()), cases[i].means);
    }
    assert_int_equal(fw_running_(0), FW_RUNNING_UNKNOWN);
    assert_int_equal(fw_running_in_(0, 0), FW_RUNNING_UNKNOWN);
    assert_int_equal(fw_running_in_(0, forge_namespace()), FW_RUNNING_UNKNOWN);
}

/* Its entry is taken by a thread with another id, or with the same id in another namespace. */
TEST(does_not_take_others_for_it)
{
    uint32_t ns = forge_namespace();
    uint64_t *entry = &page.page->threads[fw_assist_index(SOMEBODY, ns)];

    assert_true(forge_use(&page));
    *entry = fw_assist_tag(SOMEBODY + 1, ns) | FW_ASSIST_RUNS;
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    *entry = fw_assist_tag(SOMEBODY, ns + 1) | FW_ASSIST_RUNS;
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    assert_int_equal(fw_running_in_(SOMEBODY, forge_namespace()), FW_RUNNING_UNKNOWN);
    *entry = FW_ASSIST_RUNS;
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
}

/* The same id in another pid namespace is another thread. */
TEST(looks_into_other_namespaces)
{
    uint32_t ns = forge_namespace() + 12345;

    assert_true(forge_use(&page));
    page.page->threads[fw_assist_index(SOMEBODY, ns)] =
        fw_assist_tag(SOMEBODY, ns) | FW_ASSIST_RUNS;
    assert_int_equal(fw_running_in_(SOMEBODY, ns), FW_RUNNING_YES);
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    forge_thread(&page, SOMEBODY, FW_ASSIST_SLEEPS, 0);
    assert_int_equal(fw_running_in_(SOMEBODY, ns), FW_RUNNING_YES);
    assert_int_equal(fw_running_in_(SOMEBODY, 0), FW_RUNNING_NO);
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_NO);
}

TEST(refuses_what_is_no_page)
{
    page.page->magic++;
    assert_false(forge_use(&page));
    page.page->magic--;
    page.page->version++;
    assert_false(forge_use(&page));
    page.page->version--;
    page.page->stopped = 1;
    assert_false(forge_use(&page));
    page.page->stopped = 0;
    assert_int_equal(ftruncate(page.fd, 4096), 0);
    assert_false(forge_use(&page));
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    assert_int_equal(ftruncate(page.fd, sizeof *page.page), 0);
    assert_true(forge_use(&page));
}

TEST(rings_for_each_page)
{
    unsigned before = forge_rung();

    assert_true(forge_use(&page));
    assert_int_equal(forge_rung(), before + 1);
    for (int i = 0; i < 10; i++)
        fw_running_begin_();
    assert_int_equal(forge_rung(), before + 1);
    page.page->stopped = 1;
    assert_false(forge_use(&page));
    assert_int_equal(forge_rung(), before + 1); /* nobody would hear it */
}

TEST(leaves_a_page_that_was_stopped)
{
    assert_true(forge_use(&page));
    forge_thread(&page, SOMEBODY, FW_ASSIST_RUNS, 0);
    forge_runnable(&page, 9);
    assert_true(fw_cpu_is_wanted_());
    page.page->stopped = 1;
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
    assert_false(fw_cpu_is_wanted_());
    page.page->stopped = 0; /* it does not come back: others may be there by now */
    assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_UNKNOWN);
}

/* Nobody has stopped it; but the caller has slept, often, and the page has not seen it. */
TEST(leaves_a_page_that_nobody_writes)
{
    unsigned sleeps = 0;

    assert_true(forge_use(&page));
    forge_thread(&page, own_tid(), FW_ASSIST_RUNS, 3);
    while (fw_running_(own_tid()) == FW_RUNNING_YES && sleeps < 10000) {
        fw_running_begin_();
        fw_running_slept_();
        sleeps++;
    }
    assert_in_range(sleeps, 2, 1000);
}

TEST(keeps_a_page_that_sees_its_sleeps)
{
    assert_true(forge_use(&page));
    for (unsigned i = 0; i < 10000; i++) {
        fw_running_begin_();
        forge_thread(&page, own_tid(), FW_ASSIST_RUNS, i + 1);
        fw_running_slept_();
    }
    assert_int_equal(fw_running_(own_tid()), FW_RUNNING_YES);
}

TEST(asks_whether_the_cpu_is_wanted)
{
    assert_true(forge_use(&page));
    forge_runnable(&page, 0);
    assert_false(fw_cpu_is_wanted_()); /* not known */
    forge_runnable(&page, 1);
    assert_false(fw_cpu_is_wanted_()); /* only the caller */
    forge_runnable(&page, 2);
    assert_true(fw_cpu_is_wanted_());
    forge_runnable(&page, UINT32_MAX);
    assert_true(fw_cpu_is_wanted_());
}

static uint32_t parent_tid;

/*
 * The thread has its parent's name in locks, and an id of its own: where the lock says that the
 * parent's name holds it, the child is asked about its own thread.
 */
static int by_its_own_id(void)
{
    unsigned before = forge_rung();

    if (!forge_use(&page) || forge_rung() != before + 1)
        return 2;
    forge_thread(&page, parent_tid, FW_ASSIST_RUNS, 0);
    forge_thread(&page, own_tid(), FW_ASSIST_SLEEPS, 0);
    if (fw_running_in_(own_tid(), forge_namespace()) != FW_RUNNING_NO)
        return 3;
    if (fw_running_(fw_self_() >> FW_ID_SHIFT) != FW_RUNNING_NO)
        return 4;
    return 0;
}

TEST(begins_anew_in_a_child)
{
    fw_self_();
    parent_tid = own_tid();
    assert_true(forge_use(&page));
    forge_thread(&page, parent_tid, FW_ASSIST_RUNS, 0);
    forge_thread(&page, SOMEBODY, FW_ASSIST_RUNS, 0);
    forge_runnable(&page, 5);
    /* It is no participant: what the page tells is of others. */
    assert_in_child(fw_running_(SOMEBODY) == FW_RUNNING_UNKNOWN && !fw_cpu_is_wanted_());
    assert_int_equal(in_child(by_its_own_id), 0);
    forge_thread(&page, parent_tid, FW_ASSIST_RUNS, 0); /* another's entry may be the same */
    assert_int_equal(fw_running_(parent_tid), FW_RUNNING_YES);
}

/* Pages come and go; what a late reader finds is a page or zeroes, and the file is not kept. */
TEST(takes_one_page_after_another)
{
    struct forged other = forge_page();

    forge_thread(&page, SOMEBODY, FW_ASSIST_RUNS, 0);
    forge_thread(&other, SOMEBODY, FW_ASSIST_PREEMPTED, 0);
    for (int i = 0; i < 2000; i++) {
        assert_true(forge_use(&page));
        assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_YES);
        if (i % 3 == 0)
            forge_vanish();
        assert_true(forge_use(&other));
        assert_int_equal(fw_running_(SOMEBODY), FW_RUNNING_NO);
    }
    munmap(other.page, sizeof *other.page);
    close(other.fd);
}

UNIT_MAIN(setup, teardown)
