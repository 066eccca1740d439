/* SPDX-License-Identifier: MIT */
/*
 * The undo journal.  The data are words and bytes that are all equal, except while they
 * are being changed; the outcome of a run is what they are in the end.
 */
#include <errno.h>
#include <string.h>

#include <furwock/ipc/cond.h>
#include <furwock/ipc/journal.h>

#include "region.h"

enum { WORDS = 3, ODD = 5, CAPACITY = 128, SHORT_MS = 2 };

struct data {
    uint64_t words[WORDS];
    unsigned char gap, odd[ODD];
};

static fw_ipc_mutex *m, *other;
static fw_ipc_cond *c;
static fw_ipc_journal *j;
static struct data *data;

static void prepare(void)
{
    m = object_new(sizeof *m);
    other = object_new(sizeof *other);
    c = object_new(sizeof *c);
    j = object_new(fw_ipc_journal_size(CAPACITY));
    data = object_new(sizeof *data);
}

/* As a user does at the beginning.  A victim that dies in it has changed nothing. */
static void attach(void)
{
    int error;

    CHECK(fw_ipc_journal_init(j, CAPACITY) == 0);
    error = fw_ipc_mutex_lock(m);
    if (error == EOWNERDEAD)
        error = fw_ipc_mutex_consistent(m);
    CHECK(error == 0);
    CHECK(fw_ipc_mutex_journal(m, j) == 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void reset_bare(void)
{
    CHECK(fw_ipc_mutex_init(m) == 0 && fw_ipc_mutex_init(other) == 0 && fw_ipc_cond_init(c) == 0);
    memset(j, 0, fw_ipc_journal_size(CAPACITY));
    memset(data, 0, sizeof *data);
}

static void reset(void)
{
    reset_bare();
    attach();
}

static void check(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        CHECK(data->words[i] == data->words[0]);
    for (unsigned i = 0; i < ODD; i++)
        CHECK(data->odd[i] == data->words[0]);
    CHECK(data->gap == 0 && j->used_ == 0);
}

/* Whoever gets the mutex finds them whole, and is not told of anything. */
static void enter(void)
{
    CHECK(fw_ipc_mutex_lock(m) == 0);
    check();
}

static void leave(void)
{
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

/* Each piece is recorded, then changed at once; one of them a second time. */
static void change(void)
{
    for (unsigned i = 0; i < WORDS; i++) {
        CHECK(fw_ipc_journal_record(j, &data->words[i], sizeof data->words[i]) == 0);
        fw_step_();
        data->words[i]++;
        fw_step_();
    }
    CHECK(fw_ipc_journal_record(j, data->odd, ODD) == 0);
    for (unsigned i = 0; i < ODD; i++) {
        data->odd[i]++;
        fw_step_();
    }
    CHECK(fw_ipc_journal_record(j, &data->words[0], 1) == 0);
}

static void change_once(void)
{
    enter();
    change();
    leave();
}

static void change_and_change_again(void)
{
    enter();
    change();
    CHECK(fw_ipc_journal_commit(j) == 0);
    check();
    change();
    leave();
}

static void change_and_wait(void)
{
    fw_deadline soon = in_ms(SHORT_MS);
    int error;

    enter();
    change();
    error = fw_ipc_cond_timedwait(c, m, &soon);
    if (error != ETIMEDOUT)
        fail("to wait for nothing: %s", strerror(error));
    check();
    leave();
}

static void change_and_undo(void)
{
    enter();
    change();
    CHECK(fw_ipc_journal_undo(j) == 0);
    check();
    leave();
}

static void fill_up(void)
{
    enter();
    change();
    CHECK(fw_ipc_journal_record(j, data, sizeof *data) == ENOSPC);
    CHECK(fw_ipc_journal_undo(j) == 0);
    leave();
}

static void attach_and_change(void)
{
    attach();
    change_once();
}

/* To another mutex and back, and once where it may not go. */
static void move(void)
{
    enter();
    CHECK(fw_ipc_mutex_lock(other) == 0);
    CHECK(fw_ipc_mutex_journal(other, j) == EBUSY);
    CHECK(fw_ipc_mutex_journal(m, NULL) == 0);
    CHECK(fw_ipc_mutex_journal(other, j) == 0);
    CHECK(fw_ipc_mutex_journal(other, NULL) == 0);
    CHECK(fw_ipc_mutex_journal(m, j) == 0);
    CHECK(fw_ipc_mutex_unlock(other) == 0);
    change();
    leave();
}

static void take(fw_ipc_mutex *lock)
{
    int error = fw_ipc_mutex_lock(lock);

    CHECK(error == 0 || (error == EOWNERDEAD && fw_ipc_mutex_consistent(lock) == 0));
}

static void survive(void)
{
    enter();
    shared->outcome = (int)data->words[0];
    leave();
}

static void survive_bare(void)
{
    attach();
    survive();
}

/* Wherever it was on its way, it can be had back. */
static void survive_move(void)
{
    take(m);
    take(other);
    CHECK(fw_ipc_mutex_journal(other, NULL) == 0);
    CHECK(fw_ipc_mutex_journal(m, j) == 0);
    CHECK(fw_ipc_mutex_unlock(other) == 0);
    check();
    leave();
    survive();
}

/* The outcome changes with the commit, and with nothing else. */
static const struct kill_case cases[] = {
    {"change", reset, NULL, become_participant, change_once, change_once, survive, 1},
    {"two changes", reset, NULL, become_participant, change_and_change_again, NULL, survive, 2},
    {"change and wait", reset, NULL, become_participant, change_and_wait, NULL, survive, 1},
    {"undo", reset, NULL, become_participant, change_and_undo, NULL, survive, 0},
    {"full", reset, NULL, become_participant, fill_up, NULL, survive, 0},
    {"attach", reset_bare, NULL, NULL, attach_and_change, NULL, survive_bare, 1},
    {"move", reset, NULL, become_participant, move, NULL, survive_move, 1},
    {.name = NULL}};

const struct kill_table journal_table = {.name = "journal", .cases = cases, .prepare = prepare};
