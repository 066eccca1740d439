/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/barrier.h>
#include <furwock/latch.h>

/*
 * Gates whose memory is gone as early as the headers allow.  A barrier: the first thread that
 * returns destroys and unmaps it while the others are leaving.  A latch: the one that waits unmaps
 * it while the one that opened it may still be in its call.  In unmapped memory a late touch is a
 * fault.
 */

enum { OBJECTS = 500, MAX_USERS = 16 };

struct object {
    fw_barrier barrier;
    unsigned first; /* threads that have returned, and asked whether they are the first */
    fw_latch *latch;
};

static struct object objects[OBJECTS];
static fw_barrier *barriers[OBJECTS]; /* each in a page of its own */
static pthread_barrier_t between_batches;
static size_t page;
static bool is_last_batch;

static void *new_page(void)
{
    void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        stress_fail("no memory", NULL);
    return p;
}

static void make_batch(void)
{
    for (int i = 0; i < OBJECTS; i++) {
        barriers[i] = new_page();
        objects[i].latch = new_page();
        objects[i].first = 0;
        if (fw_barrier_init(barriers[i], stress.threads) != 0 ||
            fw_latch_init(objects[i].latch, stress.threads - 1) != 0)
            stress_fail("a gate cannot be made", NULL);
    }
    is_last_batch = stress_is_over();
}

static void use_barrier(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};

    if (draw(me, 2))
        fw_barrier_wait_policy(barriers[i], &block);
    else
        fw_barrier_wait(barriers[i]);
    if (__atomic_fetch_add(&objects[i].first, 1, __ATOMIC_RELAXED) != 0)
        return;
    fw_barrier_destroy(barriers[i]);
    munmap(barriers[i], page);
}

/* One waits, the others count. */
static void use_latch(struct worker *me, int i)
{
    static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
    fw_latch *l = objects[i].latch;

    if (me->index != (unsigned)i % stress.threads) {
        fw_latch_count_down(l, 1);
        return;
    }
    if (draw(me, 2))
        fw_latch_wait_policy(l, &block, NULL);
    else
        fw_latch_wait(l);
    munmap(l, page);
}

static void body(struct worker *me)
{
    bool last;

    do {
        if (me->index == 0)
            make_batch();
        pthread_barrier_wait(&between_batches);
        last = is_last_batch;
        for (int i = 0; i < OBJECTS; i++) {
            if (draw(me, 8) == 0)
                burn(draw(me, 3000));
            use_barrier(me, i);
            use_latch(me, i);
        }
        did_a_turn(me);
        pthread_barrier_wait(&between_batches);
    } while (!last);
}

int main(int argc, char **argv)
{
    stress.about = "Gates that go away with the first who returns";
    stress.threads = 4;
    stress_begin(argc, argv);
    if (stress.threads < 2 || stress.threads > MAX_USERS)
        stress.threads = MAX_USERS;
    page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_barrier_init(&between_batches, NULL, stress.threads);
    stress_run(stress.threads, body);
    pthread_barrier_destroy(&between_batches);
    return stress_end();
}
