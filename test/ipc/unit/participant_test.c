/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "ipc/region/participant.h"
#include "sys/origin.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/*
 * src/ipc/region/participant.c and src/ipc/region/participant_asked.c: threads as participants of a
 * region, with the real kernel.
 */

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    return 0;
}

static struct fw_ipc_me_ enter(void)
{
    struct fw_ipc_me_ me;

    assert_int_equal(fw_ipc_enter_(fixture_object(&fixture, 0), &me), 0);
    return me;
}

static uint64_t line_life(unsigned slot)
{
    return fw_load64_acquire(&fixture.mapping->participants[slot].life);
}

TEST(enters_once)
{
    struct fw_ipc_me_ me = enter(), again = enter();

    assert_int_equal(me.id, again.id);
    assert_int_equal(me.id, UINT64_C(1) << 32 | 1);
    assert_ptr_equal(me.participant, &fixture.mapping->participants[0]);
    assert_int_equal((uint32_t)me.participant->life,
                     (uint32_t)syscall(SYS_gettid) | FW_ROBUST_WAITERS);
    assert_int_equal(me.participant->ids, (uint64_t)getpid() << 32 | (uint64_t)syscall(SYS_gettid));
    assert_int_equal(fw_ipc_life_(fixture.mapping, me.id), FW_IPC_ALIVE);
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_ALIVE);
    assert_int_equal(fw_ipc_ids_(fixture.mapping, me.id), me.participant->ids);
    assert_int_equal(fixture.mapping->head->participants_used, 1);
}

TEST(refuses_what_lies_elsewhere)
{
    struct fw_ipc_me_ me;
    uint64_t here = 0;

    assert_int_equal(fw_ipc_enter_(&here, &me), EINVAL);
    assert_int_equal(fw_ipc_enter_((char *)fixture_object(&fixture, 0) + 4, &me), EINVAL);
    assert_int_equal(fw_ipc_enter_(NULL, &me), EINVAL);
}

TEST(leaves_and_comes_back_as_another)
{
    struct fw_ipc_me_ me = enter(), again;

    fw_ipc_leave_(fixture.mapping);
    assert_int_equal(fw_ipc_life_(fixture.mapping, me.id), FW_IPC_DEAD);
    again = enter();
    assert_int_equal(again.id, me.id + (UINT64_C(1) << 32));
    assert_int_equal(fw_ipc_life_(fixture.mapping, me.id), FW_IPC_DEAD);
    assert_int_equal(fw_ipc_life_(fixture.mapping, again.id), FW_IPC_ALIVE);
    assert_int_equal(fw_ipc_ids_(fixture.mapping, me.id),
                     me.participant->ids); /* remembered for a time */
    for (unsigned i = 0; i < FW_IPC_FORMER; i++) {
        fw_ipc_leave_(fixture.mapping);
        enter();
    }
    assert_int_equal(fw_ipc_ids_(fixture.mapping, me.id), 0);
    assert_int_equal(fw_ipc_ids_(fixture.mapping, again.id), again.participant->ids);
}

TEST(tells_what_no_thread_can_have_been)
{
    enter();
    assert_int_equal(fw_ipc_life_(fixture.mapping, 0), FW_IPC_CORRUPT);
    assert_int_equal(fw_ipc_life_(fixture.mapping, 9), FW_IPC_CORRUPT);
    assert_int_equal(fw_ipc_life_(fixture.mapping, UINT64_C(1) << 32 | 9), FW_IPC_CORRUPT);
    assert_int_equal(fw_ipc_life_(fixture.mapping, UINT64_C(7) << 32 | 1), FW_IPC_CORRUPT);
}

static void *enter_in_thread(void *arg)
{
    *(struct fw_ipc_me_ *)arg = enter();
    return NULL;
}

static void enter_and_stay(void *arg)
{
    struct fw_ipc_me_ me = enter();

    fw_store64_release(arg, me.id);
    pause();
}

static uint64_t await(const uint64_t *word)
{
    uint64_t value;

    while ((value = fw_load64_acquire(word)) == 0)
        sched_yield();
    return value;
}

/* As where the kernel has no robust lists. */
TEST(finds_deaths_that_nobody_marked)
{
    uint64_t *said = fixture_object(&fixture, 0);
    int child = start(enter_and_stay, said);
    uint64_t id = await(said), life = line_life(0);

    kill_and_wait(child);
    fw_store64_release(&fixture.mapping->participants[0].life, life);
    assert_int_equal(fw_ipc_life_(fixture.mapping, id), FW_IPC_ALIVE);
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, id), FW_IPC_DEAD);
    assert_int_equal(fw_ipc_life_(fixture.mapping, id), FW_IPC_DEAD);
}

TEST(knows_a_thread_from_another_with_its_id)
{
    struct fw_ipc_me_ me = enter();
    struct fw_thread_about_ about;

    if (!fw_thread_about_((uint32_t)gettid(), &about))
        skip(); /* no /proc */
    me.participant->here_since = about.started;
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_ALIVE);
    me.participant->here_since = about.started - 1; /* it was here before this one began */
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_DEAD);
}

/*
 * A thread that is older than the slot, so that it cannot be told from its participant by its
 * start.
 */
TEST(notices_a_slot_that_names_another)
{
    struct fw_ipc_me_ me = enter();
    uint64_t life = me.participant->life;

    me.participant->life = (life & ~(uint64_t)FW_ROBUST_OWNER) | (uint32_t)getppid();
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_CORRUPT);
    me.participant->life = life;
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_ALIVE);
}

TEST(asks_once_in_a_while)
{
    struct fw_ipc_me_ me = enter();
    const uint64_t ever = UINT64_C(1000000) << 30; /* twelve days */
    const uint64_t briefly = UINT64_C(1) << 21;

    me.participant->asked_at -= 1000000;
    assert_false(fw_ipc_was_asked_about_(me.mapping, me.id, briefly));
    assert_true(fw_ipc_was_asked_about_(me.mapping, me.id, ever));
    assert_false(fw_ipc_was_asked_about_(me.mapping, me.id, 0));
    me.participant->asked_at--; /* on the clock of whoever is ahead */
    assert_true(fw_ipc_was_asked_about_(me.mapping, me.id, ever));
    me.participant->asked_at += 1000000;
    assert_false(fw_ipc_was_asked_about_(me.mapping, me.id, ever));
}

struct visit {
    struct fw_ipc_me_ me;
    uint64_t is_in, must_go;
};

static void *visit(void *arg)
{
    struct visit *v = arg;

    enter_in_thread(&v->me);
    fw_store64_release(&v->is_in, 1);
    await(&v->must_go);
    return NULL;
}

/* What a slot says of itself makes no thread a participant, nor keeps one from being it. */
TEST(others_are_what_the_process_knows)
{
    struct fw_ipc_me_ me = enter();
    struct fw_ipc_participant_ *forged = &fixture.mapping->participants[2];
    struct visit v = {.is_in = 0};
    pthread_t thread;

    *forged = *me.participant;
    assert_false(fw_ipc_has_other_participants_(fixture.mapping));
    pthread_create(&thread, NULL, visit, &v);
    await(&v.is_in);
    fw_store64_release(&v.me.participant->life, 0);
    assert_true(fw_ipc_has_other_participants_(fixture.mapping));
    fw_store64_release(&v.must_go, 1);
    pthread_join(thread, NULL);
    while (fw_ipc_has_other_participants_(fixture.mapping))
        sched_yield();
}

TEST(takes_a_thread_without_an_id_as_alive)
{
    struct fw_ipc_me_ me = enter();

    me.participant->introduced = 0;
    me.participant->here_since =
        (me.participant->here_since >> 40 << 40) | 1; /* soon after the start */
    assert_int_equal(fw_ipc_life_slow_(fixture.mapping, me.id), FW_IPC_ALIVE);
}

UNIT_MAIN(make, fixture_end)
