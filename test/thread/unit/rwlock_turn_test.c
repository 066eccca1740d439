/* SPDX-License-Identifier: MIT */
#include "rwlock_words.h"

/*
 * src/thread/rwlock_turn.c: whose turn it is.  Lines are written as strings: R read, W write, u
 * upgradable, U upgrade (always first); a writer that has been called is C, one that starves is S,
 * one that is a real-time thread is H.
 * What becomes of each: . stays, G is granted, C is called.
 */

enum { MAX_LINE = 8, FIRST = 300 };

static struct rw_waiter line[MAX_LINE];

static enum rw_want want_of(char c)
{
    return c == 'R' ? RW_READ : c == 'u' ? RW_UPREAD : c == 'U' ? RW_UPGRADE : RW_WRITE;
}

static uint64_t unit_of(char c)
{
    switch (want_of(c)) {
    case RW_WRITE:
        return QUEUE_WRITER;
    case RW_UPGRADE:
        return QUEUE_UPGRADER;
    default:
        return QUEUE_SHARER;
    }
}

static void fill(struct fw_waitqueue_ *bucket, const char *text, int kind, uint32_t state)
{
    l.queue_ = (uint64_t)kind;
    for (unsigned i = 0; text[i]; i++) {
        line[i] = (struct rw_waiter){.state = state, .want = want_of(text[i])};
        line[i].id = FAKE_ID(FIRST + i);
        line[i].is_designated = text[i] == 'C';
        line[i].starves = text[i] == 'S';
        if (text[i] == 'C') {
            line[i].state = RW_WAITING;
            l.queue_ |= QUEUE_AWAKE;
        }
        l.queue_ += unit_of(text[i]);
        fw_waitqueue_insert_(bucket, &line[i].node, &l, text[i] == 'H' ? 10 : 0);
    }
}

/* What the second word ought to be, from the waiters that are left. */
static uint64_t line_left(const char *text, const char *outcome, int kind)
{
    uint64_t left = (uint64_t)kind;
    bool has_receiver = false;

    for (unsigned i = 0; text[i]; i++) {
        has_receiver |= outcome[i] == 'G' && want_of(text[i]) == RW_WRITE;
        if (outcome[i] == 'G')
            continue;
        left += unit_of(text[i]);
        if (outcome[i] == 'C' || text[i] == 'C')
            left |= QUEUE_AWAKE;
    }
    return has_receiver ? left & ~QUEUE_AWAKE : left;
}

static void empty(struct fw_waitqueue_ *bucket, const char *text, const char *outcome)
{
    for (unsigned i = 0; text[i]; i++) {
        const bool called = line[i].is_designated && text[i] != 'C';
        const char is = line[i].state == RW_GRANTED ? 'G' : called ? 'C' : '.';

        if (is != outcome[i])
            fail_msg("in %s, %u is %c, not %c", text, i, is, outcome[i]);
        if (is != 'G')
            fw_waitqueue_remove_(bucket, &line[i].node);
    }
    assert_null(fw_waitqueue_first_(bucket, &l));
}

struct turn {
    const char *line;
    int kind;
    uint64_t before;
    enum rw_change change;
    uint64_t after;
    const char *outcome;
};

enum {
    F = FW_RWLOCK_FAIR,
    R = FW_RWLOCK_PREFER_READERS,
    W = FW_RWLOCK_PREFER_WRITERS,
    G = FW_RWLOCK_GREEDY
};

static void play(const struct turn *t, bool hand_off, bool asleep)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&l);
    bool one = false, many = false;
    struct rw_wakes wakes;

    fill(bucket, t->line, t->kind, asleep ? RW_ASLEEP : RW_WAITING);
    l.state_ = t->before;
    fw_rw_dispatch_(bucket, &l, t->change, hand_off, &wakes);
    assert_word(&l, t->after);
    assert_int_equal(l.queue_, line_left(t->line, t->outcome, t->kind));
    for (unsigned i = 0; asleep && t->line[i]; i++) {
        if (t->outcome[i] == '.' || t->line[i] == 'C')
            continue;
        if (rw_shares(&line[i]))
            many = true;
        else
            one = wakes.one == &line[i].state;
    }
    assert_int_equal(wakes.one != NULL, one);
    assert_int_equal(wakes.pulse != NULL, many);
    empty(bucket, t->line, t->outcome);
    fw_waitqueue_unlock_(bucket);
}

static void play_all(const struct turn *turns, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        play(&turns[i], false, false);
        play(&turns[i], false, true);
    }
}

#define PLAY_ALL(turns) play_all(turns, sizeof turns / sizeof *turns)

static const struct turn fair_turns[] = {
    /* a writer leaves: all that read, and one upgradable */
    {"RWR", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(300) | READERS(2) | CLOSED | WAITERS, "G.G"},
    {"RR", F, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | READERS(2), "GG"},
    {"WRuu", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(302) | UPGRADABLE | READERS(1) | CLOSED | WAITERS, ".GG."},
    {"uR", F, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | UPGRADABLE | READERS(1), "GG"},
    {"uuR", F, MINE | WRITER | WAITERS, RW_WRITER_LEAVES,
     BY(300) | UPGRADABLE | READERS(1) | WAITERS, "G.G"},
    {"RW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_READS,
     MINE | READERS(2) | CLOSED | WAITERS, "G."},
    {"Ru", F, MINE | WRITER | WAITERS, RW_WRITER_UPREADS, MINE | UPGRADABLE | READERS(1) | WAITERS,
     "G."},
    /* among writers: the first is called */
    {"WW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES, CLOSED | WAKING, "C."},
    {"CW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES, CLOSED | WAKING, ".."},
    {"SW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(300) | WRITER | CLOSED | WAITERS, "G."},
    {"RCW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(300) | READERS(1) | CLOSED | WAITERS, "G.."},
    /* a real-time thread is handed it, though another one was called */
    {"HW", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(300) | WRITER | CLOSED | WAITERS, "G."},
    {"HC", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(300) | WRITER | CLOSED | WAITERS, "G."},
    {"HC", F, MINE | WRITER | CLOSED | WAKING, RW_NOTHING, MINE | WRITER | CLOSED | WAITERS, ".."},
    {"HR", F, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES,
     BY(301) | READERS(1) | CLOSED | WAITERS, ".G"},
    /* the last reader leaves: the first writer has it */
    {"WRW", F, MINE | READERS(1) | CLOSED | WAITERS, RW_READER_LEAVES,
     BY(300) | WRITER | CLOSED | WAITERS, "G.."},
    {"RC", F, MINE | READERS(1) | CLOSED | WAITERS, RW_READER_LEAVES, BY(301) | WRITER | WAITERS,
     ".G"},
    {"W", F, MINE | READERS(1) | CLOSED | WAITERS, RW_READER_LEAVES, BY(300) | WRITER, "G"},
    {"WR", F, MINE | READERS(2) | CLOSED | WAITERS, RW_READER_LEAVES, READERS(1) | CLOSED | WAITERS,
     ".."},
    {"WR", F, MINE | UPGRADABLE | CLOSED | WAITERS, RW_UPREADER_LEAVES, BY(300) | WRITER | WAITERS,
     "G."},
    {"WR", F, MINE | UPGRADABLE | READERS(1) | CLOSED | WAITERS, RW_UPREADER_LEAVES,
     READERS(1) | CLOSED | WAITERS, ".."},
    {"W", F, MINE | UPGRADABLE | READERS(1) | CLOSED | WAITERS, RW_UPREADER_READS,
     MINE | READERS(2) | CLOSED | WAITERS, "."},
    {"uu", F, MINE | UPGRADABLE | WAITERS, RW_UPREADER_LEAVES, BY(300) | UPGRADABLE | WAITERS,
     "G."},
    {"u", F, MINE | UPGRADABLE | WAITERS, RW_UPREADER_READS, BY(300) | UPGRADABLE | READERS(1),
     "G"},
    /* a writer has given up */
    {"RR", F, MINE | READERS(1) | CLOSED | WAITERS, RW_NOTHING, MINE | READERS(3), "GG"},
    {"RW", F, MINE | READERS(1) | CLOSED | WAITERS, RW_NOTHING,
     MINE | READERS(1) | CLOSED | WAITERS, ".."},
    {"RW", F, CLOSED | WAITERS, RW_NOTHING, BY(300) | READERS(1) | CLOSED | WAITERS, "G."},
    {"RC", F, CLOSED | WAKING, RW_NOTHING, CLOSED | WAITERS, ".."},
    {"W", F, CLOSED | WAKING, RW_NOTHING, CLOSED | WAKING, "C"},
    {"", F, MINE | READERS(1) | CLOSED | WAITERS, RW_NOTHING, MINE | READERS(1), ""},
};

TEST(fair)
{
    PLAY_ALL(fair_turns);
}

TEST(prefer_readers)
{
    static const struct turn turns[] = {
        {"WRW", R, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(301) | READERS(1) | WAITERS,
         ".G."},
        {"W", R, MINE | READERS(1) | WAITERS, RW_READER_LEAVES, WAKING, "C"},
        {"C", R, MINE | READERS(1) | WAKING, RW_READER_LEAVES, WAKING, "."},
        {"S", R, MINE | READERS(1) | WAITERS, RW_READER_LEAVES, BY(300) | WRITER, "G"},
        {"Wu", R, MINE | UPGRADABLE | WAITERS, RW_UPREADER_LEAVES, BY(301) | UPGRADABLE | WAITERS,
         ".G"},
        {"UW", R, MINE | UPGRADABLE | READERS(1) | WAITERS, RW_NOTHING,
         MINE | UPGRADABLE | READERS(1) | WAITERS, ".."},
        {"C", R, MINE | READERS(1) | WAITERS, RW_NOTHING, MINE | READERS(1) | WAKING, "."},
    };

    PLAY_ALL(turns);
}

TEST(prefer_writers)
{
    static const struct turn turns[] = {
        {"RWR", W, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES, CLOSED | WAKING, ".C."},
        {"RCR", W, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES, CLOSED | WAKING, "..."},
        {"RR", W, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | READERS(2), "GG"},
        {"RW", W, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_READS,
         MINE | READERS(1) | CLOSED | WAITERS, ".."},
        {"RW", W, MINE | READERS(1) | CLOSED | WAITERS, RW_READER_LEAVES,
         BY(301) | WRITER | WAITERS, ".G"},
        {"RR", W, READERS(1) | CLOSED | WAITERS, RW_NOTHING, BY(300) | READERS(3), "GG"},
    };

    PLAY_ALL(turns);
}

/* Spinning readers: those that sleep are counted, which the model looks at. */
TEST(greedy)
{
    static const struct turn turns[] = {
        {"RWR", G, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | READERS(2) | WAKING, "GCG"},
        {"RCR", G, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | READERS(2) | WAKING, "G.G"},
        {"W", G, MINE | READERS(1) | WAITERS, RW_READER_LEAVES, WAKING, "C"},
        {"W", G, MINE | READERS(2) | WAITERS, RW_READER_LEAVES, READERS(1) | WAKING, "C"},
        {"C", G, MINE | READERS(2) | WAKING, RW_READER_LEAVES, READERS(1) | WAKING, "."},
        {"W", G, MINE | WRITER | WAITERS, RW_WRITER_READS, MINE | READERS(1) | WAKING, "C"},
        {"RW", G, MINE | READERS(1) | WAITERS, RW_NOTHING, MINE | READERS(2) | WAKING, "GC"},
        {"SW", G, MINE | WRITER | WAITERS, RW_WRITER_LEAVES, BY(300) | WRITER | WAITERS, "G."},
        {"UW", G, MINE | UPGRADABLE | READERS(1) | CLOSED | WAITERS, RW_READER_LEAVES,
         MINE | WRITER | WAITERS, "G."},
    };

    for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++)
        play(&turns[i], false, false);
}

TEST(who_upgrades_goes_first)
{
    for (int kind = F; kind <= W; kind++) {
        const uint64_t closed = kind == R ? 0 : CLOSED;
        const struct turn turns[] = {
            {"UWR", kind, MINE | UPGRADABLE | READERS(1) | closed | WAITERS, RW_READER_LEAVES,
             MINE | WRITER | closed | WAITERS, "G.."},
            {"U", kind, MINE | UPGRADABLE | READERS(1) | closed | WAITERS, RW_READER_LEAVES,
             MINE | WRITER, "G"},
            {"UR", kind, MINE | UPGRADABLE | READERS(2) | closed | WAITERS, RW_READER_LEAVES,
             MINE | UPGRADABLE | READERS(1) | closed | WAITERS, ".."},
        };

        PLAY_ALL(turns);
    }
}

TEST(a_hand_off_does_not_wait_for_the_woken)
{
    static const struct turn turns[] = {
        {"CW", F, MINE | WRITER | CLOSED | WAKING, RW_WRITER_LEAVES,
         BY(300) | WRITER | CLOSED | WAITERS, "G."},
        {"WR", W, MINE | WRITER | CLOSED | WAITERS, RW_WRITER_LEAVES, BY(300) | WRITER | WAITERS,
         "G."},
    };

    for (unsigned i = 0; i < 2; i++)
        play(&turns[i], true, false);
}

/* As many as there is room for; the others wait on. */
TEST(the_count_does_not_overflow)
{
    static const struct turn t = {"RRu",
                                  F,
                                  MINE | READERS(0xfffffe) | WAITERS,
                                  RW_NOTHING,
                                  MINE | READERS(0xffffff) | WAITERS,
                                  "G.."};

    play(&t, false, false);
}

UNIT_MAIN(reset_rwlock, NULL)
