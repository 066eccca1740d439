/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/support/now.h"
#include "words.h"

/*
 * The hunter for torn reads.  All threads use one layout for a while, then the next: each has
 * two objects of one size, side by side, at one alignment.  Whatever an operation returns must be
 * one value that a thread has stored.  The bytes before and after belong to a thread that has
 * nothing to do with the objects; it must find what it left there.
 */

/* Where a layout's 16 alignments begin. */
enum { IN_A_LINE, BEFORE_A_LINE, BEFORE_A_PAGE, N_BOUNDARIES };

struct layout {
    unsigned char *objects; /* two of them */
    size_t n;
    uint64_t torn;
};

enum { BURST = 16 }; /* operations in a turn */

static struct layout *layouts;
static unsigned n_layouts;
static uint64_t slice_ns, begin_ns;

static void add_layout(size_t n, size_t alignment, int boundary, size_t page)
{
    static const size_t from_page[N_BOUNDARIES] = {64, 48, 0}; /* where offset 0 is */
    size_t bytes = (16 + 2 * n + 1) / page * page + 3 * page;
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct layout *p = &layouts[n_layouts++];

    if (memory == MAP_FAILED)
        stress_fail("no memory", NULL);
    p->n = n;
    p->objects = memory + page + from_page[boundary] + alignment;
    if (boundary == BEFORE_A_PAGE)
        p->objects -= 16;
    memcpy(p->objects, tag(0), n);
    memcpy(p->objects + n, tag(0), n);
}

/* Every size below 41 and some above, in an order that leaps about. */
static void make_layouts(void)
{
    static const size_t large[] = {64, 100, 128, 256, 1000, LARGEST};
    enum { SMALL = 40, SIZES = SMALL + sizeof large / sizeof large[0] };
    unsigned all = SIZES * 16 * N_BOUNDARIES, leap = 701; /* a prime */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bool only_15 = subject_has("15");

    layouts = calloc(all, sizeof *layouts);
    for (unsigned i = 0; i < all; i++) {
        unsigned k = (unsigned)((uint64_t)i * leap % all), s = k / 16 / N_BOUNDARIES;
        size_t n = s < SMALL ? s + 1 : large[s - SMALL];

        if (!only_15 || (n == 15 && k % 16 % 8 != 0))
            add_layout(n, k % 16, (int)(k / 16 % N_BOUNDARIES), page);
    }
    slice_ns = (uint64_t)(stress.seconds * 1e9) / n_layouts;
}

static void check(struct layout *p, const unsigned char *bytes, const char *call)
{
    size_t i = 1;

    if (tag_of(bytes, p->n) >= 0)
        return;
    __atomic_fetch_add(&p->torn, 1, __ATOMIC_RELAXED);
    while (bytes[i] == (unsigned char)(bytes[0] + i))
        i++;
    subject_caught("%s of %zu bytes at %p: byte 0 is of value %u, byte %zu of value %u", call, p->n,
                   (void *)p->objects, bytes[0], i, (unsigned char)(bytes[i] - i));
}

/* One operation; out has a value that was there once, as compare-and-exchange expects. */
static void operate(struct worker *me, struct layout *p, void *object, unsigned char *out)
{
    static const int orders[N_CALLS][4] = {
        [CALL_LOAD] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST},
        [CALL_STORE] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST},
        [CALL_EXCHANGE] = {__ATOMIC_RELAXED, __ATOMIC_ACQ_REL, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST},
        [CALL_COMPARE_EXCHANGE] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                                   __ATOMIC_SEQ_CST},
    };
    const void *value = tag(draw(me, VALUES));
    unsigned what = draw(me, 16), order = draw(me, 4);
    unsigned n_loads = me->index % 2 ? 11 : 4; /* half of the threads mainly read */
    enum call call = what < n_loads ? CALL_LOAD : (enum call)(CALL_STORE + what % 3);
    bool done;

    out[p->n] = 0xa5;
    /* Often what this thread saw last; else, as a rule, something that is not there. */
    if (call == CALL_COMPARE_EXCHANGE && draw(me, 2) == 0)
        memcpy(out, tag(draw(me, VALUES)), p->n);
    if (draw(me, 4) == 0 && word_has_form(object, p->n))
        done = word_do(call, p->n, object, out, value);
    else
        done = subject_do(call, p->n, object, out, value, orders[call][order]);
    if (call != CALL_STORE && (call != CALL_COMPARE_EXCHANGE || !done))
        check(p, out, call_names[call]);
    if (out[p->n] != 0xa5)
        subject_caught("a byte behind a result of %zu bytes was written", p->n);
}

/*
 * Only worker 0 has to do with the bytes around.  Atomic accesses for the sake of ThreadSanitizer,
 * which cannot know that the library's wider ones leave these bytes as they are.
 */
static void tend_neighbours(struct layout *p, struct layout **at, unsigned char *left)
{
    unsigned char *const beside[] = {p->objects - 1, p->objects + 2 * p->n};

    for (int i = 0; i < 2; i++) {
        unsigned char now = __atomic_load_n(beside[i], __ATOMIC_RELAXED);

        if (*at == p && now != *left)
            subject_caught("a byte beside an object of %zu bytes at %p was written: %u, not %u",
                           p->n, (void *)p->objects, now, *left);
        __atomic_store_n(beside[i], *left + 1, __ATOMIC_RELAXED);
    }
    *at = p;
    ++*left;
}

static void hunt(struct worker *me)
{
    unsigned char buffer[LARGEST + 32], *out, left = 0;
    struct layout *at = NULL;

    subject_thread(me);
    do {
        struct layout *p = &layouts[(now_ns() - begin_ns) / slice_ns % n_layouts];

        out = buffer + draw(me, 16);
        memcpy(out, tag(0), p->n);
        for (unsigned i = 0; i < BURST; i++) {
            if (me->index == 0)
                tend_neighbours(p, &at, &left);
            operate(me, p, p->objects + (draw(me, 4) == 0 ? p->n : 0), out);
        }
        did_a_turn(me);
    } while (!subject_is_over());
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"15", NULL};
    uint64_t torn = 0;

    stress.about = "Torn reads, at every size and layout";
    subject_begin(argc, argv, words);
    make_layouts();
    begin_ns = now_ns();
    stress_run(stress.threads, hunt);
    for (unsigned i = 0; i < n_layouts; i++)
        torn += layouts[i].torn;
    printf("%u layouts, %u operations a turn, %llu of them torn\n", n_layouts, BURST,
           (unsigned long long)torn);
    return subject_end();
}
