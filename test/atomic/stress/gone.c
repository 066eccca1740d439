/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "meeting.h"

/*
 * Objects whose memory goes away right after the last operation.  A round has a new object with as
 * many units as there are threads; each thread takes one, by compare-and-exchange or exchange; who
 * takes the last one unmaps the object at once, while the others are on their way out.  Whoever
 * touches it later has a fault.
 *
 * With "progress" instead: some threads only write one large object, and one that only
 * reads has to get a number of values that differ from the one before.
 */

enum { MAX_SIZE = 600 };

static unsigned char *object;
static size_t size, page;
static struct meeting meeting;
static bool is_last;

static void new_object(struct worker *me)
{
    static const size_t sizes[] = {3, 12, 15, 16, 24, 32, 33, 40, 100, 256, MAX_SIZE};
    unsigned char *memory =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        stress_fail("no memory", NULL);
    size = sizes[draw(me, sizeof sizes / sizeof sizes[0])];
    /* At the end of the page half of the time: nothing may be touched behind it either. */
    object = draw(me, 2) != 0 ? memory + page - size : memory + draw(me, 64);
    memcpy(object, tag(meeting.n), size);
    __atomic_store_n(&is_last, subject_is_over(), __ATOMIC_RELAXED);
}

/* How many there were before. */
static unsigned take_unit(struct worker *me)
{
    unsigned char seen[MAX_SIZE];
    int v;

    if (draw(me, 2) != 0)
        subject->load(size, object, seen, __ATOMIC_RELAXED);
    else
        memcpy(seen, tag(meeting.n), size);
    do {
        v = tag_of(seen, size);
        if (v <= 0) {
            subject_caught("torn, or no unit left: %zu bytes", size);
            return 0;
        }
    } while (!subject->compare_exchange(size, object, seen, tag((unsigned)v - 1), __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return (unsigned)v;
}

static void take_and_unmap(struct worker *me)
{
    bool was_last;

    subject_thread(me);
    do {
        if (me->index == 0)
            new_object(me);
        meet(&meeting);
        was_last = __atomic_load_n(&is_last, __ATOMIC_RELAXED);
        if (take_unit(me) == 1)
            munmap((void *)((uintptr_t)object & ~(uintptr_t)(page - 1)), page);
        did_a_turn(me);
        meet(&meeting);
    } while (!was_last);
}

/* --- Progress -------------------------------------------------------------------------------- */

static unsigned char large[LARGEST];
static unsigned changes, enough;

static void write_or_read(struct worker *me)
{
    unsigned char seen[LARGEST];
    int v, last = 0;

    subject_thread(me);
    while (__atomic_load_n(&changes, __ATOMIC_RELAXED) < enough) {
        if (me->index != 0) {
            subject->store(sizeof large, large, tag(draw(me, VALUES)), __ATOMIC_RELEASE);
        } else {
            subject->load(sizeof large, large, seen, __ATOMIC_ACQUIRE);
            v = tag_of(seen, sizeof large);
            if (v < 0)
                subject_caught("torn");
            if (v != last)
                __atomic_store_n(&changes, changes + 1, __ATOMIC_RELAXED);
            last = v;
        }
        did_a_turn(me);
    }
    did_a_turn(me);
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"progress", NULL};

    stress.about = "Objects that go away, and progress of readers";
    subject_begin(argc, argv, words);
    enough = stress.is_constrained ? 20 : 300;
    page = (size_t)sysconf(_SC_PAGESIZE);
    memcpy(large, tag(0), sizeof large);
    meeting.n = stress.threads;
    stress_run(stress.threads, subject_has("progress") ? write_or_read : take_and_unmap);
    return subject_end();
}
