/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/rwlock.h>

/*
 * The last user of a read-write lock gives its memory back at once, while the one before, or who
 * has just let a crowd of readers in, may still be on its way out of the release.  In unmapped
 * memory a late touch is a fault, in freed memory ASan sees it.
 */

enum { OBJECTS = 2000, MAX_USERS = 16 };

struct object {
    fw_rwlock lock;
    unsigned users_left; /* atomic: readers leave too */
    bool is_mapped;
};

static struct object *objects[OBJECTS];
static pthread_barrier_t between_batches;
static size_t page;
static bool is_last_batch;

static void make_batch(struct worker *me)
{
    for (int i = 0; i < OBJECTS; i++) {
        bool map = draw(me, 4) != 0;
        struct object *o =
            map ? mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : calloc(1, sizeof *o);

        if (!o || o == MAP_FAILED)
            stress_fail("no memory", NULL);
        fw_rwlock_init(&o->lock, (fw_rwlock_kind)draw(me, 3));
        o->users_left = stress.threads;
        o->is_mapped = map;
        objects[i] = o;
    }
    is_last_batch = stress_is_over();
}

static void destroy(struct object *o)
{
    if (o->is_mapped)
        munmap(o, page);
    else
        free(o);
}

static bool leave(struct object *o)
{
    return __atomic_sub_fetch(&o->users_left, 1, __ATOMIC_RELAXED) == 0;
}

/*
 * A writer that is the last knows that nobody is inside: all others have released, or it would not
 * have the lock.  A reader that leaves last knows only that the others have counted themselves out,
 * so it takes the lock for writing once more.
 */
static void use_and_leave(struct worker *me, struct object *o)
{
    const uint32_t how = draw(me, 4);
    bool is_last = false;

    if (how == 0) {
        fw_rwlock_wrlock(&o->lock);
        is_last = leave(o);
        if (is_last && draw(me, 2)) { /* gone while it is held */
            destroy(o);
            return;
        }
        fw_rwlock_wrunlock(&o->lock);
    } else if (how == 1) {
        fw_rwlock_upgradable_lock(&o->lock);
        fw_rwlock_upgrade(&o->lock);
        is_last = leave(o);
        fw_rwlock_unlock(&o->lock);
    } else {
        fw_rwlock_rdlock(&o->lock);
        if (draw(me, 16) == 0)
            burn(draw(me, 10000));
        is_last = leave(o);
        fw_rwlock_rdunlock(&o->lock);
        if (is_last) {
            fw_rwlock_wrlock(&o->lock);
            fw_rwlock_wrunlock(&o->lock);
        }
    }
    if (is_last)
        destroy(o);
}

static void body(struct worker *me)
{
    bool last;

    do {
        if (me->index == 0)
            make_batch(me);
        pthread_barrier_wait(&between_batches);
        last = is_last_batch;
        for (int i = 0; i < OBJECTS; i++) {
            /* Small detours, so that now one and now another is first. */
            if (draw(me, 8) == 0)
                burn(draw(me, 3000));
            use_and_leave(me, objects[i]);
        }
        did_a_turn(me);
        pthread_barrier_wait(&between_batches);
    } while (!last);
}

int main(int argc, char **argv)
{
    stress.about = "Read-write locks whose memory goes away with their last user";
    stress.threads = 3;
    stress_begin(argc, argv);
    if (stress.threads < 1 || stress.threads > MAX_USERS)
        stress.threads = MAX_USERS;
    page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_barrier_init(&between_batches, NULL, stress.threads);
    stress_run(stress.threads, body);
    pthread_barrier_destroy(&between_batches);
    return stress_end();
}
