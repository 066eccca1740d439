/* SPDX-License-Identifier: MIT */
#include "history.h"

#include "test/support/unit.h"

/*
 * Histories of which the answer is known, and random ones that are made by a register that works or
 * by one that forgets.
 */
#define LOAD(seen_) .call = CALL_LOAD, .seen = (seen_)
#define STORE(v) .call = CALL_STORE, .stored = (v)
#define EXCHANGE(v, seen_) .call = CALL_EXCHANGE, .stored = (v), .seen = (seen_)
#define DONE(expected_, v) \
    .call = CALL_COMPARE_EXCHANGE, .expected = (expected_), .stored = (v), .done = true
#define FAILED(expected_, v, seen_) \
    .call = CALL_COMPARE_EXCHANGE, .expected = (expected_), .stored = (v), .seen = (seen_)

/* An event of a thread (the last of a history has none), between two moments. */
#define AT(thread_, begin_, end_, ...)                                                  \
    {                                                                                   \
        .thread = (thread_), .event = { __VA_ARGS__, .begin = (begin_), .end = (end_) } \
    }
#define END            \
    {                  \
        .thread = NONE \
    }

enum { NONE = -1, EVENTS_MAX = 7 };

static const struct known {
    const char *what;
    bool is_right;
    struct {
        int thread;
        struct event event;
    } events[EVENTS_MAX];
} known[] = {
    {"nothing", true, {END}},
    {"one after the other", true, {AT(0, 1, 2, STORE(1)), AT(1, 3, 4, LOAD(1)), END}},
    {"a store is not seen", false, {AT(0, 1, 2, STORE(1)), AT(1, 3, 4, LOAD(0)), END}},
    /* While a store is under way, a load may see either; but not the new and then the old. */
    {"old, then new",
     true,
     {AT(0, 1, 10, STORE(1)), AT(1, 2, 3, LOAD(0)), AT(1, 4, 5, LOAD(1)), END}},
    {"new, then old",
     false,
     {AT(0, 1, 10, STORE(1)), AT(1, 2, 3, LOAD(1)), AT(1, 4, 5, LOAD(0)), END}},
    /* Two readers must agree on the order of two stores, also where those overlap. */
    {"readers agree",
     true,
     {AT(0, 1, 20, STORE(1)), AT(1, 1, 20, STORE(2)), AT(2, 2, 4, LOAD(1)), AT(2, 5, 7, LOAD(2)),
      AT(3, 2, 4, LOAD(1)), AT(3, 5, 7, LOAD(2)), END}},
    {"readers disagree",
     false,
     {AT(0, 1, 20, STORE(1)), AT(1, 1, 20, STORE(2)), AT(2, 2, 4, LOAD(1)), AT(2, 5, 7, LOAD(2)),
      AT(3, 2, 4, LOAD(2)), AT(3, 5, 7, LOAD(1)), END}},
    {"exchanges form a chain",
     true,
     {AT(0, 1, 9, EXCHANGE(1, 2)), AT(1, 1, 9, EXCHANGE(2, 0)), AT(2, 1, 9, EXCHANGE(3, 1)), END}},
    {"one value goes to two",
     false,
     {AT(0, 1, 9, EXCHANGE(1, 2)), AT(1, 1, 9, EXCHANGE(2, 0)), AT(2, 1, 9, EXCHANGE(3, 2)), END}},
    {"one comparison wins", true, {AT(0, 1, 9, DONE(0, 1)), AT(1, 1, 9, FAILED(0, 2, 1)), END}},
    {"both win", false, {AT(0, 1, 9, DONE(0, 1)), AT(1, 1, 9, DONE(0, 2)), END}},
    {"a failure for no reason", false, {AT(0, 1, 2, FAILED(0, 1, 0)), END}},
    {"a failure leaves what was expected", false, {AT(0, 1, 2, FAILED(5, 1, 5)), END}},
    {"a failure with its reason", true, {AT(0, 1, 2, FAILED(5, 1, 0)), END}},
    {"torn", false, {AT(0, 1, 9, STORE(1)), AT(1, 1, 9, LOAD(-1)), END}},
    /* The search has to come back from a choice: both stores fit first, only one way leads on. */
    {"needs a second try",
     true,
     {AT(0, 1, 10, STORE(1)), AT(1, 1, 10, STORE(2)), AT(2, 2, 3, LOAD(2)), AT(2, 11, 12, LOAD(1)),
      END}},
    {"no try will do",
     false,
     {AT(0, 1, 10, STORE(1)), AT(1, 1, 10, STORE(2)), AT(2, 2, 3, LOAD(2)), AT(2, 11, 12, LOAD(1)),
      AT(2, 13, 14, LOAD(2)), END}},
};

static struct history h;

static void add(int thread, struct event e)
{
    h.events[thread][h.n[thread]++] = e;
}

TEST(known_histories)
{
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        h = (struct history){.n_threads = HISTORY_THREADS};
        for (unsigned k = 0; known[i].events[k].thread != NONE; k++)
            add(known[i].events[k].thread, known[i].events[k].event);
        if (history_is_linearizable(&h) != known[i].is_right)
            fail_msg("%s: the wrong answer", known[i].what);
    }
}

/* --- Random histories ------------------------------------------------------------------------ */

static uint64_t random_ = 88172645463325252u;

static unsigned draw(unsigned limit)
{
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return (unsigned)(random_ >> 33) % limit;
}

/* What a register does at a moment that lies within each call; its value is `now`. */
static struct event at_once(int *now, int v)
{
    int was = *now, expected = draw(2) != 0 ? was : (int)draw(60);

    switch (draw(4)) {
    case 0:
        return (struct event){LOAD(was)};
    case 1:
        *now = v;
        return (struct event){STORE(v)};
    case 2:
        *now = v;
        return (struct event){EXCHANGE(v, was)};
    default:
        if (expected != was)
            return (struct event){FAILED(expected, v, was)};
        *now = v;
        return (struct event){DONE(expected, v)};
    }
}

static void make_random(unsigned steps)
{
    uint64_t end[HISTORY_THREADS] = {0};
    int now = 0;

    h = (struct history){.n_threads = HISTORY_THREADS};
    for (unsigned moment = 1; moment <= steps * HISTORY_THREADS; moment++) {
        unsigned t = draw(HISTORY_THREADS);
        struct event e;
        uint64_t before = draw(60), at = moment * 10, begin;

        if (h.n[t] == steps || at <= end[t])
            continue; /* this thread is still busy */
        begin = at - before > end[t] && before < at ? at - before : end[t] + 1;
        end[t] = at + draw(60);
        e = at_once(&now, (int)moment);
        e.begin = begin;
        e.end = end[t];
        add((int)t, e);
    }
}

TEST(what_a_register_does_is_fine)
{
    for (int i = 0; i < 300; i++) {
        make_random(HISTORY_STEPS);
        assert_true(history_is_linearizable(&h));
    }
}

/* Values are stored once each: seeing another's cannot be right where that had long gone. */
TEST(what_it_does_not_is_caught)
{
    unsigned caught = 0, made = 0;

    for (int i = 0; i < 300; i++) {
        unsigned t, k;

        make_random(HISTORY_STEPS);
        t = draw(HISTORY_THREADS);
        if (h.n[t] < 4)
            continue;
        k = h.n[t] - 1;
        if (h.events[t][k].call != CALL_LOAD && h.events[t][k].call != CALL_EXCHANGE)
            continue;
        made++;
        h.events[t][k].seen = h.events[t][0].call == CALL_LOAD ? 200 : h.events[t][0].stored;
        caught += !history_is_linearizable(&h);
    }
    assert_true(made > 50);
    assert_true(caught > made * 9 / 10); /* some are right by chance */
}

UNIT_MAIN(NULL, NULL)
