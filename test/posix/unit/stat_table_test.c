/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "counting/table.h"
#include "stat_what.h"
#include "test/support/unit.h"

/* posix/counting/table.c, in memory that is no file. */

static struct fw_stat_file_ *f;

static int set_up(void)
{
    f = calloc(1, sizeof *f);
    return f == NULL;
}

static void tear_down(void)
{
    free(f);
}

static struct fw_stat_wait_ wait_for(uintptr_t object, uint64_t ns)
{
    return (struct fw_stat_wait_){.key = fw_stat_key_((void *)object, FW_STAT_MUTEX),
                                  .waiter = 0x1000,
                                  .holder_site = 0x2000,
                                  .holder = 42,
                                  .kind = 1,
                                  .began = 1000,
                                  .ended = 1000 + ns};
}

static struct fw_stat_lock_ *lock_of(uint64_t key)
{
    for (unsigned i = 1; i < FW_STAT_LOCKS; i++)
        if (f->locks[i].key == key)
            return &f->locks[i];
    return NULL;
}

TEST(buckets_are_in_order_and_narrow)
{
    assert_int_equal(fw_stat_bucket_(0), 0);
    assert_int_equal(fw_stat_bucket_(63), 0);
    assert_int_equal(fw_stat_bucket_(64), 1);
    assert_int_equal(fw_stat_bucket_(UINT64_MAX), FW_STAT_BUCKETS - 1);
    for (uint64_t ns = 64; ns < UINT64_C(1) << FW_STAT_HIGH_BIT; ns += ns / 7 + 1) {
        unsigned bucket = fw_stat_bucket_(ns);
        assert_true(bucket > 0 && bucket < FW_STAT_BUCKETS - 1);
        assert_true(fw_stat_least_(bucket) <= ns && ns < fw_stat_least_(bucket + 1));
        assert_true((fw_stat_least_(bucket + 1) - fw_stat_least_(bucket)) * 4 <=
                    fw_stat_least_(bucket));
    }
}

TEST(a_wait_is_in_all_tables)
{
    struct fw_stat_wait_ w = wait_for(0x5000, 700);
    struct fw_stat_lock_ *l;
    unsigned sites = 0, holders = 0;

    assert_false(fw_stat_knows_(f, w.key));
    assert_true(fw_stat_add_(f, &w));
    assert_true(fw_stat_knows_(f, w.key));
    w.ended += 300;
    w.result = 110;
    assert_false(fw_stat_add_(f, &w)); /* at a place that is known */
    l = lock_of(w.key);
    assert_non_null(l);
    assert_int_equal(l->waits, 2);
    assert_int_equal(l->failed, 1);
    assert_int_equal(l->ns, 1700);
    assert_int_equal(l->longest, 1000);
    assert_int_equal(l->kind, 1);
    assert_int_equal(l->histogram[fw_stat_bucket_(700)], 1);
    assert_int_equal(l->histogram[fw_stat_bucket_(1000)], 1);
    for (unsigned i = 0; i < FW_STAT_SITES; i++)
        sites += f->sites[i].waits == 2 && f->sites[i].ns == 1700 && f->sites[i].waiter == 0x1000 &&
                 f->sites[i].holder == 0x2000 && &f->locks[f->sites[i].lock] == l;
    for (unsigned i = 0; i < FW_STAT_HOLDERS; i++)
        holders += f->holders[i].waits == 2 && (uint32_t)f->holders[i].key == 42;
    assert_int_equal(sites, 1);
    assert_int_equal(holders, 1);
}

TEST(ways_to_wait_for_an_object_are_kept_apart)
{
    struct fw_stat_wait_ read = wait_for(0x5000, 10), write = read;

    read.key = fw_stat_key_((void *)0x5000, FW_STAT_READ);
    write.key = fw_stat_key_((void *)0x5000, FW_STAT_WRITE);
    fw_stat_add_(f, &read);
    fw_stat_add_(f, &write);
    assert_ptr_not_equal(lock_of(read.key), lock_of(write.key));
}

/* What finds no entry is counted with the others, and nothing is lost or overwritten. */
TEST(more_locks_than_there_is_room_for)
{
    uint64_t waits = 0, sites = 0, holders = 0;

    for (uintptr_t i = 0; i < 3 * FW_STAT_SITES; i++) {
        struct fw_stat_wait_ w = wait_for(0x10000 + i * 64, 5);
        w.waiter = i;
        w.holder = (uint32_t)i + 1;
        fw_stat_add_(f, &w);
    }
    for (unsigned i = 0; i < FW_STAT_LOCKS; i++)
        waits += f->locks[i].waits;
    for (unsigned i = 0; i < FW_STAT_SITES; i++)
        sites += f->sites[i].waits;
    for (unsigned i = 0; i < FW_STAT_HOLDERS; i++)
        holders += f->holders[i].waits;
    assert_int_equal(waits, 3 * FW_STAT_SITES);
    assert_int_equal(sites, 3 * FW_STAT_SITES);
    assert_int_equal(holders, 3 * FW_STAT_SITES);
    assert_true(f->locks[0].waits > 0);
    assert_true(f->locks[0].key == 0);
}

TEST(threads_have_an_entry_until_there_is_none)
{
    struct fw_stat_thread_ *first;
    unsigned found = 0;

    first = fw_stat_find_thread_(f, 7);
    assert_non_null(first);
    assert_ptr_equal(fw_stat_find_thread_(f, 7), first);
    for (uint32_t i = 1; i < 2 * FW_STAT_THREADS; i++)
        found += fw_stat_find_thread_(f, i) != NULL;
    assert_true(found < FW_STAT_THREADS && found > FW_STAT_THREADS / 2);
    assert_ptr_equal(fw_stat_find_thread_(f, 7), first);
}

TEST(chains_are_told_apart)
{
    uint64_t frames[FW_STAT_FRAMES + 3] = {0x1000, 0x1100, 0x1200};
    uint64_t key = fw_stat_key_((void *)0x5000, FW_STAT_MUTEX), samples = 0;

    assert_true(fw_stat_add_chain_(f, key, frames, 3));
    assert_false(fw_stat_add_chain_(f, key, frames, 3));
    frames[2] = 0x1300;
    assert_true(fw_stat_add_chain_(f, key, frames, 3));
    assert_true(fw_stat_add_chain_(f, key, frames, FW_STAT_FRAMES + 3)); /* cut */
    for (unsigned i = 1; i < FW_STAT_CHAINS; i++) {
        samples += f->chains[i].samples;
        assert_true(f->chains[i].depth <= FW_STAT_FRAMES);
    }
    assert_int_equal(samples, 4);
}

/* --- Many threads at once --------------------------------------------------------------------- */

enum { THREADS = 4, WAITS = 20000, OBJECTS = 100 };

static void *count_many(void *arg)
{
    for (uintptr_t i = 0; i < WAITS; i++) {
        struct fw_stat_wait_ w = wait_for(0x10000 + i % OBJECTS * 64, i % 1000);
        w.waiter = i % 7;
        fw_stat_add_(f, &w);
    }
    return arg;
}

TEST(nothing_is_lost_between_threads)
{
    pthread_t threads[THREADS];
    uint64_t waits = 0, ns = 0, locks = 0;

    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < FW_STAT_LOCKS; i++) {
        waits += f->locks[i].waits;
        ns += f->locks[i].ns;
        locks += f->locks[i].key != 0;
    }
    assert_int_equal(waits, THREADS * WAITS);
    assert_int_equal(ns, THREADS * (WAITS / 1000) * (999 * 1000 / 2));
    assert_int_equal(locks, OBJECTS);
}

UNIT_MAIN(set_up, tear_down)
