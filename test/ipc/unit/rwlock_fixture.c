/* SPDX-License-Identifier: MIT */
#include "rwlock_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "test/support/robust_lists.h"
#include "test/support/testing.h"

fw_ipc_rwlock *l;

static uint64_t *said; /* 1 + its answer, by the one that came last */

int rwlock_make(void)
{
    need_robust_lists();
    fixture = fixture_make(SLOTS);
    l = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    return 0;
}

static void play_and_stay(void *arg)
{
    role play = *(role *)arg;

    fw_store64_release(said, 1 + (uint64_t)play(l));
    for (;;)
        pause();
}

bool has_answered(void)
{
    return fw_load64_acquire(said) != 0;
}

int answer(void)
{
    while (!has_answered())
        sched_yield();
    return (int)fw_load64_acquire(said) - 1;
}

int come(role play, int expected)
{
    int child;

    fw_store64_release(said, 0);
    child = start(play_and_stay, &play);
    assert_int_equal(answer(), expected);
    return child;
}

void await_flags(uint64_t flags)
{
    while ((word() & flags) != flags)
        sched_yield();
}

static bool sleeps_on_a_share(void)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, fixture.mapping, l, UINT64_MAX);
    while (fw_ipc_walk_next_(&k))
        if (fw_ipc_share_state_(k.seen) == FW_IPC_SHARE_SLEEPS)
            return true;
    return false;
}

int come_and_wait(role play, uint64_t flag)
{
    int child;

    fw_store64_release(said, 0);
    child = start(play_and_stay, &play);
    if (flag != 0)
        await_flags(flag);
    else
        while (!sleeps_on_a_share())
            sched_yield();
    assert_false(has_answered());
    return child;
}

int kill_one(role play, int expected)
{
    int child = come(play, expected);

    kill_and_wait(child);
    return child;
}

static void *play_elsewhere(void *arg)
{
    role play = *(role *)arg;

    return (void *)(intptr_t)play(l);
}

int elsewhere(role play)
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, play_elsewhere, &play), 0);
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

uint64_t own_id(void)
{
    struct fw_ipc_me_ me;

    assert_int_equal(fw_ipc_enter_(l, &me), 0);
    return me.id;
}

uint64_t word(void)
{
    return fw_load64_acquire(&l->word_);
}
