/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <furwock/note.h>

#include "test/support/unit.h"

/* src/await/note.c: waits that end because of a note, of its parents, or of their deadlines. */

enum { THREADS = 6, TOKENS = 2000, ROUNDS = 12 };

#define MS UINT64_C(1000000)

static fw_mutex m;
static fw_cond changed;
static long tokens, taken;
static fw_note root, middle, leaf;

static void make_tree(const fw_deadline *of_root)
{
    assert_int_equal(fw_note_init(&root, NULL, of_root), 0);
    assert_int_equal(fw_note_init(&middle, &root, NULL), 0);
    assert_int_equal(fw_note_init(&leaf, &middle, NULL), 0);
}

TEST(notes_that_cannot_be)
{
    fw_note deep[FW_NOTE_DEPTH_MAX + 1];
    fw_deadline bad = {.clock = 77}, other = fw_deadline_after(CLOCK_REALTIME, MS);
    fw_deadline d = fw_deadline_after(CLOCK_MONOTONIC, MS);
    fw_note n;

    assert_int_equal(fw_note_init(&n, NULL, &bad), EINVAL);
    for (unsigned i = 0; i < FW_NOTE_DEPTH_MAX; i++)
        assert_int_equal(fw_note_init(&deep[i], i > 0 ? &deep[i - 1] : NULL, NULL), 0);
    assert_int_equal(fw_note_init(&n, &deep[FW_NOTE_DEPTH_MAX - 1], NULL), EINVAL);
    assert_int_equal(fw_note_init(&root, NULL, &d), 0);
    assert_int_equal(fw_note_init(&n, &root, &other), EINVAL);
}

/* Each wait, for what is not there, with the leaf. */
static void assert_all_end(int expected, const fw_deadline *d)
{
    fw_sem s = FW_SEM_INIT(0);
    fw_event e = FW_EVENT_INIT;
    fw_latch l = FW_LATCH_INIT(1);

    assert_int_equal(fw_note_sem_wait(&s, &leaf, d), expected);
    assert_int_equal(fw_note_event_wait(&e, &leaf, d), expected);
    assert_int_equal(fw_note_latch_wait(&l, &leaf, d), expected);
    fw_mutex_lock(&m);
    assert_int_equal(fw_note_cond_wait(&changed, &m, &leaf, d), expected);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
}

TEST(notified_before_the_wait)
{
    fw_note *const notes[] = {&root, &middle, &leaf};

    for (unsigned i = 0; i < 3; i++) {
        make_tree(NULL);
        assert_false(fw_note_is_notified(&leaf));
        fw_note_notify(notes[i]);
        assert_true(fw_note_is_notified(&leaf));
        assert_int_equal(fw_note_is_notified(&root), i == 0);
        assert_int_equal(fw_note_wait(&leaf, NULL), 0);
        assert_all_end(ECANCELED, NULL);
    }
}

TEST(what_is_there_comes_first)
{
    fw_sem s = FW_SEM_INIT(1);

    make_tree(NULL);
    fw_note_notify(&root);
    assert_int_equal(fw_note_sem_wait(&s, &leaf, NULL), 0);
    assert_int_equal(fw_note_mutex_lock(&m, &leaf, NULL), 0);
    fw_mutex_unlock(&m);
}

TEST(deadlines_of_notes_and_of_waits)
{
    fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, 3 * MS), bad = {.clock = 77};
    fw_deadline late = fw_deadline_after(CLOCK_REALTIME, 3600000 * MS);

    make_tree(&soon);
    assert_all_end(ECANCELED, &late); /* on another clock */
    make_tree(NULL);
    soon = fw_deadline_after(CLOCK_MONOTONIC, MS);
    assert_all_end(ETIMEDOUT, &soon);
    assert_int_equal(fw_note_wait(&leaf, &soon), ETIMEDOUT);
    assert_all_end(EINVAL, &bad);
}

static void *lock_until_told(void *result)
{
    *(int *)result = fw_note_mutex_lock(&m, &leaf, NULL);
    if (*(int *)result == 0)
        fw_mutex_unlock(&m);
    return NULL;
}

TEST(a_waiter_for_a_held_mutex)
{
    for (int i = 0; i < 2 * ROUNDS; i++) {
        pthread_t thread;
        int result = -1;

        make_tree(NULL);
        fw_mutex_lock(&m);
        assert_int_equal(pthread_create(&thread, NULL, lock_until_told, &result), 0);
        if (i % 2 == 0)
            fw_note_notify(&middle);
        else
            fw_mutex_unlock(&m);
        pthread_join(thread, NULL);
        assert_int_equal(result, i % 2 == 0 ? ECANCELED : 0);
        if (i % 2 == 0)
            fw_mutex_unlock(&m);
    }
}

/* Takes tokens until it is told to stop; at times it waits for a short time only. */
static void *take(void *arg)
{
    uint64_t short_ns = (uint64_t)(1 + (arg != NULL)) * 50000;

    for (long i = 0;; i++) {
        if (fw_note_mutex_lock(&m, &leaf, NULL) != 0)
            return NULL;
        while (tokens == 0) {
            fw_deadline d = fw_deadline_after(CLOCK_MONOTONIC, short_ns);
            int error = fw_note_cond_wait(&changed, &m, &leaf, i % 3 == 0 ? &d : NULL);

            assert_true(fw_mutex_is_held_by_me(&m));
            if (error == ECANCELED) {
                fw_mutex_unlock(&m);
                return NULL;
            }
            assert_true(error == 0 || error == ETIMEDOUT);
        }
        tokens--;
        taken++;
        fw_mutex_unlock(&m);
    }
}

TEST(many)
{
    fw_note *const notes[] = {&root, &middle, &leaf};

    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];

        make_tree(NULL);
        tokens = taken = 0;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, take, i % 2 ? &m : NULL), 0);
        for (int i = 0; i < TOKENS; i++) {
            fw_mutex_lock(&m);
            tokens++;
            if (i % 3 == 0)
                fw_cond_broadcast(&changed);
            else
                fw_cond_signal(&changed);
            fw_mutex_unlock(&m);
        }
        fw_note_notify(notes[round % 3]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(tokens + taken, TOKENS);
        assert_int_equal(fw_mutex_trylock(&m), 0);
        fw_mutex_unlock(&m);
    }
}

UNIT_MAIN(NULL, NULL)
