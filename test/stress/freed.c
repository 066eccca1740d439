/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The last user of a lock gives its memory back at once, while the one before may still be on its
 * way out of the release.  In unmapped memory a late touch is a fault, in freed memory ASan sees
 * it.
 */

enum { OBJECTS = 4000, MAX_USERS = 16 };

struct object {
    struct guarded data;
    unsigned users_left;
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

static void use_and_leave(struct worker *me, struct object *o)
{
    bool is_last;

    fw_mutex_lock(&o->data.lock);
    use(&o->data);
    is_last = --o->users_left == 0;
    if (is_last && draw(me, 2)) { /* gone while it is held */
        destroy(o);
        return;
    }
    if (draw(me, 2))
        fw_mutex_unlock_fair(&o->data.lock);
    else
        fw_mutex_unlock(&o->data.lock);
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
    stress.about = "Memory that goes away with its last user";
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
