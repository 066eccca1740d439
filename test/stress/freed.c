/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include <furwock/brlock.h>
#include <furwock/rwlock.h>

/*
 * The last user of a lock gives its memory back at once, while the one before, or who has just let
 * a crowd of readers in, may still be on its way out of the release.  In unmapped memory a late
 * touch is a fault, in freed memory ASan sees it.
 */

enum { MAX_OBJECTS = 4000 };

struct object {
    union {
        struct guarded data;
        fw_rwlock rwlock;
        fw_brlock brlock;
    };
    unsigned users_left; /* atomic: readers leave too */
    bool is_mapped;
};

static struct object *objects[MAX_OBJECTS];

static struct object *new_object(struct worker *me)
{
    bool is_mapped = draw(me, 4) != 0;
    struct object *o = is_mapped ? new_page() : calloc(1, sizeof *o);

    if (o == NULL)
        stress_fail("no memory", NULL);
    o->users_left = stress.threads;
    o->is_mapped = is_mapped;
    return o;
}

static void destroy(struct object *o)
{
    if (o->is_mapped) {
        drop_page(o);
        return;
    }
    memset(o, 0xff, sizeof *o);
    free(o);
}

static bool is_last_to_leave(struct object *o)
{
    return __atomic_sub_fetch(&o->users_left, 1, __ATOMIC_ACQ_REL) == 0;
}

/* --- mutex ---------------------------------------------------------------------------------- */

static void make_mutex(struct worker *me, int i)
{
    objects[i] = new_object(me);
}

static void use_mutex(struct worker *me, int i)
{
    struct object *o = objects[i];
    bool is_last;

    fw_mutex_lock(&o->data.lock);
    use(&o->data);
    is_last = is_last_to_leave(o);
    if (is_last && draw(me, 2)) { /* gone while it is held */
        destroy(o);
        return;
    }
    release(me, &o->data, 2);
    if (is_last)
        destroy(o);
}

/*
 * --- read-write lock.  A writer that is the last knows that nobody is inside: all others have
 * released, or it would not have the lock.  A reader that leaves last knows only that the others
 * have counted themselves out, so it takes the lock for writing once more.
 */

static void make_rwlock(struct worker *me, int i)
{
    objects[i] = new_object(me);
    fw_rwlock_init(&objects[i]->rwlock, (fw_rwlock_kind)draw(me, 3));
}

static bool read_and_leave(struct worker *me, struct object *o)
{
    bool is_last;

    fw_rwlock_rdlock(&o->rwlock);
    if (draw(me, 16) == 0)
        burn(draw(me, 10000));
    is_last = is_last_to_leave(o);
    fw_rwlock_rdunlock(&o->rwlock);
    if (is_last) {
        fw_rwlock_wrlock(&o->rwlock);
        fw_rwlock_wrunlock(&o->rwlock);
    }
    return is_last;
}

static void use_rwlock(struct worker *me, int i)
{
    struct object *o = objects[i];
    const uint32_t how = draw(me, 4);
    bool is_last = false;

    if (how > 1) {
        is_last = read_and_leave(me, o);
    } else {
        if (how == 0) {
            fw_rwlock_wrlock(&o->rwlock);
        } else {
            fw_rwlock_upgradable_lock(&o->rwlock);
            fw_rwlock_upgrade(&o->rwlock);
        }
        is_last = is_last_to_leave(o);
        if (is_last && draw(me, 2)) { /* gone while it is held */
            destroy(o);
            return;
        }
        fw_rwlock_unlock(&o->rwlock);
    }
    if (is_last)
        destroy(o);
}

/* --- big-reader lock: one object in two has one reader and writers; the other readers only. --- */

static void make_brlock(struct worker *me, int i)
{
    objects[i] = new_object(me);
    if (fw_brlock_init(&objects[i]->brlock) != 0)
        stress_fail("no memory", NULL);
}

static void use_brlock(struct worker *me, int i)
{
    struct object *o = objects[i];
    bool all_read = i % 2 != 0, is_last;
    bool reads = all_read || (unsigned)i / 2 % stress.threads == me->index;

    (reads ? fw_brlock_rdlock : fw_brlock_wrlock)(&o->brlock);
    is_last = is_last_to_leave(o);
    (reads ? fw_brlock_rdunlock : fw_brlock_wrunlock)(&o->brlock);
    if (!is_last)
        return;
    if (all_read) { /* others may still be inside */
        fw_brlock_wrlock(&o->brlock);
        fw_brlock_wrunlock(&o->brlock);
    }
    fw_brlock_destroy(&o->brlock);
    destroy(o);
}

/* --- all ------------------------------------------------------------------------------------ */

static const struct {
    int objects;
    void (*make)(struct worker *me, int i);
    void (*use)(struct worker *me, int i);
} kinds[] = {
    {MAX_OBJECTS, make_mutex, use_mutex},
    {2000, make_rwlock, use_rwlock},
    {200, make_brlock, use_brlock},
};

static void body(struct worker *me)
{
    int kind = stress_test->variant;

    stress_batches(me, kinds[kind].objects, kinds[kind].make, kinds[kind].use);
}

#define COMMON .least_threads = 1, .most_threads = 16

const struct stress_test freed_tests[] = {
    {"freed", "Mutexes whose memory goes away with their last user", body, 12, .threads = 3, COMMON,
     .variant = 0},
    {"rwlock_gone", "Read-write locks whose memory goes away with their last user", body, 40,
     .threads = 3, COMMON, .variant = 1},
    {"brlock_gone", "Big-reader locks whose last user destroys them", body, 400, COMMON,
     .variant = 2},
    {0}};
