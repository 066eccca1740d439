/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meeting.h"
#include "words.h"

/*
 * The classic shapes of memory order, on objects for which the library is called.  Values count up,
 * so each step of one thread races with some step of another, however far they have drifted apart:
 *
 *   publication      T0: data[i] = i; X = i (release)     T1: v = X (acquire); data[v] is v
 *   store buffering  T0: X = i; y[i] = Y                  T1: Y = j; x[j] = X
 *                    If T0 missed Y = j, that came after X = i: so T1 sees at least i then.
 *   two readers      T0: X = i    T1: Y = j    T2: reads X, then Y    T3: reads Y, then X
 *                    T2 and T3 agree on which came first.
 *
 * All are seq_cst, except the first.  A round is one such race, of two objects at new addresses.
 */

enum { STEPS = 255, AREA = 512, N_THREADS = 4 };

struct sight {
    unsigned first, second;
};

static struct {
    unsigned char *x, *y;
    size_t nx, ny;
    uint32_t data[STEPS + 1];
    struct sight seen[N_THREADS][STEPS + 1];
} round_;
static _Alignas(4096) unsigned char area[2][AREA];
static struct meeting meeting;
static bool is_last;

/* --- Operations ------------------------------------------------------------------------------ */

/* v follows v - 1; nobody else stores there. */
static void put(struct worker *me, unsigned char *object, size_t n, unsigned v, int order)
{
    unsigned char was[AREA];

    switch (draw(me, 4)) {
    case 0:
        if (order == __ATOMIC_SEQ_CST && n == 8 && word_has_form(object, n)) {
            uint64_t next;

            memcpy(&next, tag(v), n);
            __atomic_store_n((uint64_t *)(void *)object, next, __ATOMIC_SEQ_CST);
            break;
        }
        /* fall through */
    case 1:
        subject->store(n, object, tag(v), order);
        break;
    case 2:
        subject->exchange(n, object, tag(v), was, order);
        break;
    default:
        memcpy(was, tag(v - 1), n);
        if (!subject->compare_exchange(n, object, was, tag(v), order, __ATOMIC_RELAXED))
            subject_caught("a compare-and-exchange of %zu bytes missed its own thread's value", n);
    }
}

static unsigned get(struct worker *me, unsigned char *object, size_t n, int order)
{
    unsigned char seen[AREA] = {0};
    int v;

    if (draw(me, 3) == 0) {
        /* Nobody stores this: its bytes count down. */
        seen[0] = 1;
        subject->compare_exchange(n, object, seen, tag(7), order, order);
    } else {
        subject->load(n, object, seen, order);
    }
    v = tag_of(seen, n);
    if (v < 0)
        subject_caught("torn: %zu bytes", n);
    return (unsigned)v & 255;
}

/* --- Publication ----------------------------------------------------------------------------- */

static void publication(struct worker *me)
{
    for (unsigned i = 1; i <= STEPS; i++) {
        if (me->index == 0) {
            if (!subject_has("late"))
                round_.data[i] = i;
            put(me, round_.x, round_.nx, i, __ATOMIC_RELEASE);
            if (subject_has("late"))
                round_.data[i] = i;
        } else {
            unsigned v = get(me, round_.x, round_.nx, __ATOMIC_ACQUIRE);

            if (round_.data[v] != v)
                subject_caught("%zu bytes were seen before what was written earlier", round_.nx);
        }
    }
}

static void check_nothing(void) {}

/* --- Store buffering ------------------------------------------------------------------------- */

static void store_buffering(struct worker *me)
{
    bool is_first = me->index == 0;

    for (unsigned i = 1; i <= STEPS; i++) {
        put(me, is_first ? round_.x : round_.y, is_first ? round_.nx : round_.ny, i,
            __ATOMIC_SEQ_CST);
        round_.seen[me->index][i].first = get(me, is_first ? round_.y : round_.x,
                                              is_first ? round_.ny : round_.nx, __ATOMIC_SEQ_CST);
    }
}

static void check_store_buffering(void)
{
    for (unsigned i = 1; i <= STEPS; i++) {
        unsigned j = round_.seen[0][i].first + 1;

        if (j <= STEPS && round_.seen[1][j].first < i)
            subject_caught("X of %zu bytes, Y of %zu: X = %u, then Y is %u; Y = %u, then X is %u",
                           round_.nx, round_.ny, i, j - 1, j, round_.seen[1][j].first);
    }
}

/* --- Two readers of independent writes -------------------------------------------------------- */

static void two_readers(struct worker *me)
{
    bool x_first = me->index % 2 == 0;

    for (unsigned i = 1; i <= STEPS; i++) {
        struct sight *s = &round_.seen[me->index][i];

        if (me->index < 2) {
            put(me, x_first ? round_.x : round_.y, x_first ? round_.nx : round_.ny, i,
                __ATOMIC_SEQ_CST);
            continue;
        }
        s->first = get(me, x_first ? round_.x : round_.y, x_first ? round_.nx : round_.ny,
                       __ATOMIC_SEQ_CST);
        s->second = get(me, x_first ? round_.y : round_.x, x_first ? round_.ny : round_.nx,
                        __ATOMIC_SEQ_CST);
    }
}

/* What T2 saw of X before it missed a Y, T3 must see after it had that Y. */
static void check_two_readers(void)
{
    const struct sight *a = round_.seen[2], *b = round_.seen[3];
    unsigned k = 1;

    for (unsigned i = 1; i <= STEPS; i++) {
        if (i > 1 && (a[i].first < a[i - 1].first || b[i].first < b[i - 1].first))
            subject_caught("a value went back");
        while (k <= STEPS && b[k].first <= a[i].second)
            k++;
        if (k <= STEPS && b[k].second < a[i].first)
            subject_caught(
                "X is %u while Y is %u; elsewhere Y is %u while X is %u (%zu, %zu bytes)",
                a[i].first, a[i].second, b[k].first, b[k].second, round_.nx, round_.ny);
    }
}

/* --- Rounds ---------------------------------------------------------------------------------- */

static const struct shape {
    const char *word; /* chooses it */
    unsigned n_threads;
    void (*steps)(struct worker *me);
    void (*check)(void);
} shapes[] = {
    {"publication", 2, publication, check_nothing},
    {"buffering", 2, store_buffering, check_store_buffering},
    {"readers", 4, two_readers, check_two_readers},
};
static const struct shape *shape;
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static void draw_object(struct worker *me, unsigned char *in, unsigned char **object, size_t *n)
{
    static const size_t sizes[] = {24, 32, 40, 100, 256, 15, 12, 16, 8};

    *n = subject_has("8") ? 8 : sizes[draw(me, sizeof sizes / sizeof sizes[0])];
    *object = in + 8 * draw(me, 16);
    if (*n == 15)
        *object += 1 + draw(me, 7);
    memcpy(*object, tag(0), *n);
}

static void rounds(struct worker *me)
{
    bool was_last;

    subject_thread(me);
    do {
        if (me->index == 0) {
            draw_object(me, area[0], &round_.x, &round_.nx);
            draw_object(me, area[1], &round_.y, &round_.ny);
            memset(round_.data, 0, sizeof round_.data);
            __atomic_store_n(&is_last, subject_is_over(), __ATOMIC_RELAXED);
        }
        meet(&meeting);
        was_last = __atomic_load_n(&is_last, __ATOMIC_RELAXED);
        shape->steps(me);
        meet(&meeting);
        if (me->index == 0)
            shape->check();
        did_a_turn(me);
    } while (!was_last);
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"late", "8", "publication", "buffering", "readers", NULL};
    unsigned n_chosen = 0;

    stress.about = "Memory order between large atomics";
    subject_begin(argc, argv, words);
    if (subject_has("late"))
        subject_must_be_caught();
    for (size_t i = 0; i < N_SHAPES; i++)
        n_chosen += subject_has(shapes[i].word);
    for (shape = shapes; shape < shapes + N_SHAPES; shape++) {
        if (n_chosen > 0 && !subject_has(shape->word))
            continue;
        meeting.n = shape->n_threads;
        stress_run_for(stress.seconds / (n_chosen > 0 ? n_chosen : N_SHAPES), meeting.n, rounds);
    }
    return subject_end();
}
