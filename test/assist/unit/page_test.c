/* SPDX-License-Identifier: MIT */
/* What the assist writes into the page, as an ordinary user's program reads it. */
#include "test/support/testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static int busy_tid, idle_tid, done;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *be_busy(void *unused)
{
    (void)unused;
    __atomic_store_n(&busy_tid, gettid(), __ATOMIC_RELEASE);
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        ;
    return NULL;
}

static void *be_idle(void *unused)
{
    (void)unused;
    __atomic_store_n(&idle_tid, gettid(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return NULL;
}

static int wait_for(const int *tid)
{
    while (!__atomic_load_n(tid, __ATOMIC_ACQUIRE))
        sched_yield();
    return *tid;
}

/* A process with three threads on one CPU: this one, one that computes, one that sleeps. */
static int look_at_threads(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    pthread_t busy, idle;

    EXPECT(page != NULL && page->magic == FW_ASSIST_MAGIC && page->version == FW_ASSIST_VERSION);
    EXPECT(page->stopped == 0);
    fixture_share_one_cpu();
    if (page->registration != FW_ASSIST_ALL)
        EXPECT(fixture_entry(page, gettid()) == 0);
    fixture_ring(page);
    EXPECT(fixture_see(page, gettid(), FW_ASSIST_RUNS));
    if (page->registration != FW_ASSIST_ALL)
        EXPECT(page->participants == 1);
    fixture_ring(page); /* again changes nothing */
    if (page->registration != FW_ASSIST_ALL)
        EXPECT(page->participants == 1);

    pthread_mutex_lock(&held);
    pthread_create(&busy, NULL, be_busy, NULL);
    pthread_create(&idle, NULL, be_idle, NULL);
    EXPECT(fixture_see(page, wait_for(&idle_tid), FW_ASSIST_SLEEPS));
    EXPECT(fixture_see(page, wait_for(&busy_tid), FW_ASSIST_PREEMPTED));
    EXPECT(page->cpus[sched_getcpu()].switches != 0);

    /* Those that end have no entry any more, also where their ids are not reused. */
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&held);
    pthread_join(busy, NULL);
    pthread_join(idle, NULL);
    for (int i = 0; i < FIXTURE_DEADLINE_MS; i++) {
        if (fixture_entry(page, busy_tid) == 0 && fixture_entry(page, idle_tid) == 0)
            break;
        usleep(1000);
    }
    EXPECT(fixture_entry(page, busy_tid) == 0 && fixture_entry(page, idle_tid) == 0);
    return 0;
}

static uint32_t registration;

static uint32_t participants(void)
{
    struct fw_assist_status status;
    char text[200];

    assert_int_equal(fw_assist_status(&status, text, sizeof text), FW_BPF_DONE);
    assert_true(status.running);
    return status.participants;
}

static void an_ordinary_user_sees_its_own_threads(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(look_at_threads, STRANGERS_ID), 0);
    assert_int_equal(participants(), 0);
}

/* Two that compute, on two CPUs, see each other run. */
static int look_at_one_that_runs(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    pthread_t busy;

    EXPECT(page != NULL);
    fixture_ring(page);
    pthread_create(&busy, NULL, be_busy, NULL);
    EXPECT(fixture_see(page, wait_for(&busy_tid), FW_ASSIST_RUNS));
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(busy, NULL);
    return 0;
}

static void one_that_runs_is_seen_to(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(look_at_one_that_runs, STRANGERS_ID), 0);
}

/* ---- Pid namespaces ---- */

/* Two levels down, in a thread whose numbers are small there and others elsewhere. */
static int be_first_below(void)
{
    EXPECT(getpid() == 1);
    return look_at_threads();
}

static int one_below(void)
{
    return fixture_in_new_namespace(be_first_below);
}

static int two_below(void)
{
    return fixture_in_new_namespace(one_below);
}

static void threads_go_by_their_own_namespaces_numbers(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(one_below, 0), 0);
    assert_int_equal(fixture_in_child(two_below, 0), 0);
    assert_int_equal(participants(), 0);
}

/* ---- Who is a participant ---- */

static int ring_and_be_killed(void)
{
    const struct fw_assist_page *page = namespace_map_page();

    EXPECT(page != NULL);
    fixture_ring(page);
    EXPECT(page->participants == 1);
    raise(SIGKILL);
    return 1;
}

static void who_is_killed_is_no_member(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(ring_and_be_killed, STRANGERS_ID), 100 + SIGKILL);
    assert_int_equal(participants(), 0);
}

static int ring_and_fork(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    int status;

    EXPECT(page != NULL);
    fixture_ring(page);
    pid_t child = fork();
    if (child == 0) {
        sched_yield();
        EXPECT(fixture_entry(page, gettid()) == 0 && page->participants == 1);
        fixture_ring(page);
        EXPECT(fixture_see(page, gettid(), FW_ASSIST_RUNS) && page->participants == 2);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(page->participants == 1);
    return 0;
}

static void a_child_rings_for_itself(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(ring_and_fork, STRANGERS_ID), 0);
    assert_int_equal(participants(), 0);
}

/* The files are closed some moments before the assist hears of it. */
static bool soon_forgotten(const struct fw_assist_page *page, int tid)
{
    for (int i = 0; i < FIXTURE_DEADLINE_MS; i++) {
        if (__atomic_load_n(&page->participants, __ATOMIC_RELAXED) == 0 &&
            fixture_entry(page, tid) == 0)
            return true;
        usleep(1000);
    }
    return false;
}

static void *do_exec(void *program)
{
    execl(program, program, "1000", (char *)NULL);
    return NULL;
}

/* A thread that is not the first one calls exec: it gets the first one's number. */
static int ring_and_exec(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    int closed_by_exec[2], status;
    pthread_t thread;
    char byte;

    EXPECT(page != NULL && pipe2(closed_by_exec, O_CLOEXEC) == 0);
    pid_t child = fork();
    if (child == 0) {
        fixture_ring(page);
        pthread_create(&thread, NULL, do_exec, "/bin/sleep");
        pthread_join(thread, NULL);
        _exit(1);
    }
    close(closed_by_exec[1]);
    EXPECT(read(closed_by_exec[0], &byte, 1) == 0);
    EXPECT(soon_forgotten(page, child));
    kill(child, SIGKILL);
    EXPECT(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? 0 : 1;
}

static void a_new_program_has_not_rung(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(ring_and_exec, STRANGERS_ID), 0);
    assert_int_equal(participants(), 0);
}

static int stay_a_stranger(void)
{
    const struct fw_assist_page *page = namespace_map_page();

    EXPECT(page != NULL);
    for (int i = 0; i < 10; i++)
        usleep(1000);
    EXPECT(fixture_entry(page, gettid()) == 0);
    return 0;
}

static void nothing_is_told_of_who_has_not_rung(void **state)
{
    (void)state;
    assert_int_equal(fixture_in_child(stay_a_stranger, STRANGERS_ID), 0);
}

/* ---- All of that for each kind of registration ---- */

static int start(void **state)
{
    (void)state;
    fixture_start(FW_ASSIST_READ_BY_GROUP, registration);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    fixture_stop();
    return 0;
}

static int run_all(uint32_t kind)
{
    const struct CMUnitTest whoever[] = {
        cmocka_unit_test_setup_teardown(an_ordinary_user_sees_its_own_threads, start, stop),
        cmocka_unit_test_setup_teardown(one_that_runs_is_seen_to, start, stop),
        cmocka_unit_test_setup_teardown(threads_go_by_their_own_namespaces_numbers, start, stop),
    };
    const struct CMUnitTest members_only[] = {
        cmocka_unit_test_setup_teardown(who_is_killed_is_no_member, start, stop),
        cmocka_unit_test_setup_teardown(a_child_rings_for_itself, start, stop),
        cmocka_unit_test_setup_teardown(a_new_program_has_not_rung, start, stop),
        cmocka_unit_test_setup_teardown(nothing_is_told_of_who_has_not_rung, start, stop),
    };

    registration = kind;
    if (!fixture_knows(kind))
        return 0;
    return cmocka_run_group_tests(whoever, NULL, NULL) +
           (kind == FW_ASSIST_ALL ? 0 : cmocka_run_group_tests(members_only, NULL, NULL));
}

int main(void)
{
    fixture_enter();
    return run_all(FW_ASSIST_BY_RING) + run_all(FW_ASSIST_BY_WAIT) + run_all(FW_ASSIST_ALL);
}
