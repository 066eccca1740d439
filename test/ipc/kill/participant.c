/* SPDX-License-Identifier: MIT */
/* Participant slots, and the directory.  The outcome of a run: how many were told of a death. */
#include <errno.h>
#include <string.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "region.h"

static fw_ipc_mutex *m;

/* A region of its own for each run, for a directory that has nothing in it. */
static void *memory;
static fw_region *fresh;

static void prepare(void)
{
    m = object_new(sizeof *m);
    memory = share(FW_REGION_MIN_SIZE);
}

static void reset(void)
{
    CHECK(fw_ipc_mutex_init(m) == 0);
}

static void lock(void)
{
    int error = fw_ipc_mutex_lock(m);

    if (error == EOWNERDEAD) {
        add_outcome(1);
        CHECK(fw_ipc_mutex_consistent(m) == 0);
    } else if (error != 0) {
        fail("lock: %s", strerror(error));
    }
}

static void lock_all(void)
{
    lock();
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void leave(void)
{
    CHECK(fw_region_leave(region_of_all()) == 0);
}

static void lock_and_leave(void)
{
    lock_all();
    leave();
}

static void lock_and_leave_twice(void)
{
    lock_and_leave();
    lock_and_leave();
}

static void close_it(void)
{
    CHECK(fw_region_close(region_of_all()) == 0);
}

/* --- The directory --------------------------------------------------------------------------- */

static void reset_fresh(void)
{
    if (fresh != NULL)
        CHECK(fw_region_close(fresh) == 0);
    memset(memory, 0, FW_REGION_MIN_SIZE);
    CHECK(fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &fresh) == 0);
}

static void *find(const char *name, size_t size)
{
    void *object;
    int error = fw_region_object(fresh, name, FW_REGION_DATA, size, FW_REGION_CREATE, &object);

    if (error != 0)
        fail("object %s: %s", name, strerror(error));
    return object;
}

/* Once it was found at an address, it is there. */
static void make(void)
{
    uint64_t at = (uint64_t)((char *)find("x", 100) - (char *)memory), known = 0;

    if (!__atomic_compare_exchange_n(&shared->words[0], &known, at, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) &&
        known != at)
        fail("it lies at %llu, and once at %llu", (unsigned long long)at,
             (unsigned long long)known);
}

static int fill(void *object, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < 100; i++)
        CHECK(((char *)object)[i] == 0);
    memset(object, 'f', 50);
    fw_step_();
    memset((char *)object + 50, 'f', 50);
    fw_step_();
    return 0;
}

/* Nobody finds it half filled. */
static void make_filled(void)
{
    void *object;
    int error = fw_region_object_init(fresh, "filled", FW_REGION_DATA, 100, FW_REGION_CREATE, fill,
                                      NULL, &object);

    if (error != 0)
        fail("object filled: %s", strerror(error));
    for (size_t i = 0; i < 100; i++)
        CHECK(((char *)object)[i] == 'f');
}

static void survive_making(void)
{
    char *x, *y;

    make();
    x = find("x", 100);
    y = find("y", 100);
    CHECK(y >= x + 100 || x >= y + 100);
}

static const struct kill_case cases[] = {
    {"come and go", reset, NULL, NULL, lock_and_leave_twice, lock_and_leave, lock_all, ANY_CHANGES},
    {"leave", reset, NULL, lock_all, leave, lock_and_leave_twice, lock_all, 0},
    {"leave, a lock held", reset, NULL, lock, leave, lock_all, lock_all, 0},
    {"close", reset, NULL, lock_all, close_it, lock_all, lock_all, 0},
    {"close, a lock held", reset, NULL, lock, close_it, lock_all, lock_all, 0},
    {"make an object", reset_fresh, NULL, NULL, make, make, survive_making, 0},
    {"make and fill an object", reset_fresh, NULL, NULL, make_filled, make_filled, make_filled, 0},
    {.name = NULL}};

const struct kill_table participant_table = {
    .name = "participant", .cases = cases, .prepare = prepare};
