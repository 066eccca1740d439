/* SPDX-License-Identifier: MIT */
/*
 * Who goes first, as the lock says (rw_adapter.h).  Threads come one after the other, each once the
 * one before it waits; each notes when it got in.
 */
#include "measure/watchdog.h"
#include "rw.h"

struct line {
    void *lock;
    unsigned next; /* the number of the next to come in */
};

struct guest {
    struct helper helper;
    struct line *line;
    unsigned number;
};

static bool prefers(enum rw_preference p)
{
    return rw_subject->preference == p;
}

static void line_begin(struct line *l, const char *what)
{
    *l = (struct line){.lock = object_make(false), .next = 1};
    watchdog_start(patience, what, l->lock, rw_subject->size, NULL, NULL);
}

static void line_end(struct line *l)
{
    watchdog_stop();
    object_unmake(l->lock);
}

static unsigned take_number(struct line *l)
{
    return __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
}

static void note(void *arg)
{
    struct guest *g = arg;

    __atomic_store_n(&g->number, take_number(g->line), __ATOMIC_RELAXED);
}

static void guest_comes(struct guest *g, struct line *l, struct mode mode)
{
    g->helper = rw_helper(l->lock, mode);
    g->helper.got = note;
    g->helper.arg = g;
    g->line = l;
    g->number = 0;
    helper_start(&g->helper);
}

static unsigned guest_leaves(struct guest *g)
{
    helper_join(&g->helper);
    return g->number;
}

/* We read, a writer waits: does a reader come in?  A waiting one goes after the writer. */
TEST(test_a_reader_meets_a_waiting_writer)
{
    struct line l;
    struct guest writer, reader;

    line_begin(&l, "a reader meets a waiting writer");
    rw_subject->rdlock(l.lock);
    guest_comes(&writer, &l, rw_writing());
    assert_false(helper_has(&writer.helper));
    guest_comes(&reader, &l, rw_reading());
    if (prefers(RW_PREFER_READERS))
        guest_leaves(&reader);
    else
        assert_false(helper_has(&reader.helper));
    rw_subject->rdunlock(l.lock);
    unsigned writer_number = guest_leaves(&writer);
    if (prefers(RW_PREFER_READERS))
        assert_true(reader.number < writer_number);
    else
        assert_true(writer_number < guest_leaves(&reader));
    line_end(&l);
}

/* We write; a reader comes, then a writer; we go: who is first?  Then we come again, to write. */
TEST(test_a_reader_and_a_writer_wait_for_a_writer)
{
    struct line l;
    struct guest writer, reader;

    line_begin(&l, "a reader and a writer wait for a writer");
    rw_subject->wrlock(l.lock);
    guest_comes(&reader, &l, rw_reading());
    guest_comes(&writer, &l, rw_writing());
    assert_false(helper_has(&reader.helper) || helper_has(&writer.helper));
    rw_subject->wrunlock(l.lock);
    rw_subject->wrlock(l.lock);
    unsigned again = take_number(&l);
    rw_subject->wrunlock(l.lock);
    unsigned read = guest_leaves(&reader), wrote = guest_leaves(&writer);
    if (prefers(RW_PREFER_WRITERS))
        assert_true(wrote < read || (rw_subject->flags & ADAPTER_FORGETS) != 0);
    else if (prefers(RW_PREFER_FAIR))
        assert_true(read < wrote && read < again);
    line_end(&l);
}

/* A thread reads again while a writer waits: safe only where readers go first. */
TEST(test_reads_nest)
{
    struct line l;
    struct guest writer;

    if (!prefers(RW_PREFER_READERS))
        skip();
    line_begin(&l, "a thread reads again what it reads");
    rw_subject->rdlock(l.lock);
    guest_comes(&writer, &l, rw_writing());
    rw_subject->rdlock(l.lock);
    rw_subject->rdunlock(l.lock);
    rw_subject->rdunlock(l.lock);
    guest_leaves(&writer);
    line_end(&l);
}

/*
 * Readers overlap forever, until a writer has been in.  Where readers do not go first, it gets in;
 * the watchdog says if not.
 */
struct flood {
    void *lock;
    unsigned readers;
    int stop;
};

static void keep_reading(unsigned index, void *arg)
{
    struct flood *f = arg;

    if (index == 0) {
        for (int i = 0; i < 20; i++) {
            rw_subject->wrlock(f->lock);
            rw_subject->wrunlock(f->lock);
        }
        __atomic_store_n(&f->stop, 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE) == 0) {
        rw_subject->rdlock(f->lock);
        work_ns(20000);
        rw_subject->rdunlock(f->lock);
    }
}

/* And the other way round: writers one after the other, until a reader has been in. */
static void keep_writing(unsigned index, void *arg)
{
    struct flood *f = arg;

    if (index == 0) {
        for (int i = 0; i < 20; i++) {
            rw_subject->rdlock(f->lock);
            rw_subject->rdunlock(f->lock);
        }
        __atomic_store_n(&f->stop, 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE) == 0) {
        rw_subject->wrlock(f->lock);
        work_ns(20000);
        rw_subject->wrunlock(f->lock);
    }
}

static void check_flood(const char *what, void (*body)(unsigned, void *))
{
    struct flood f = {.lock = object_make(false)};

    work_calibrate();
    tasks_run(kind_tasks(4), WORKER_THREADS, what, f.lock, body, &f);
    object_unmake(f.lock);
}

TEST(test_nobody_starves)
{
    if (!prefers(RW_PREFER_READERS))
        check_flood("a writer among readers", keep_reading);
    if (prefers(RW_PREFER_FAIR))
        check_flood("a reader among writers", keep_writing);
}

static bool applies(void)
{
    return !prefers(RW_PREFER_NONE);
}

const struct contract_group group_rw_preference = {
    "rw-preference", &family_rw, applies,
    TESTS(cmocka_unit_test(test_a_reader_meets_a_waiting_writer),
          cmocka_unit_test(test_a_reader_and_a_writer_wait_for_a_writer),
          cmocka_unit_test(test_reads_nest), cmocka_unit_test(test_nobody_starves))};
