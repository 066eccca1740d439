/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "last_cpu_asked.h"
#include "test/support/now.h"
#include "test/support/unit.h"

/* Threads end, and their memory goes, while others ask where they are: sys/last_cpu.h. */

enum { READERS = 2, STACK = 2 * 1024 * 1024 };
#define REFUSED_FENCE_NS 20000000u

static pthread_key_t late_key;

/* Comes last in each of the rounds that the C library makes. */
static void join_late(void *again)
{
    pthread_setspecific(late_key, again);
    fw_last_cpu_join_();
}

static uint32_t asked_for;
static bool is_over;

static void *ask_for_ever(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        fw_last_cpu_join_();
        fw_last_cpu_is_mine_(__atomic_load_n(&asked_for, __ATOMIC_RELAXED));
    }
    return NULL;
}

static void *live_briefly(void *late)
{
    fw_last_cpu_join_();
    __atomic_store_n(&asked_for, own_tid(), __ATOMIC_RELAXED);
    if (late != NULL)
        pthread_setspecific(late_key, late);
    for (volatile int i = 0; i < 2000; i++)
        ;
    return NULL;
}

/* Its memory is gone as soon as it is. */
static uint32_t live_on_borrowed_memory(void *late)
{
    pthread_t thread;
    pthread_attr_t attr;
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(stack != MAP_FAILED);
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstack(&attr, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, live_briefly, late), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    assert_int_equal(munmap(stack, STACK), 0);
    return __atomic_load_n(&asked_for, __ATOMIC_RELAXED);
}

TEST(threads_end_while_others_look)
{
    uint64_t end = now_ns() + STORM_NS;
    pthread_t reader[READERS];
    unsigned ended = 0;

    is_over = false;
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, ask_for_ever, NULL), 0);
    for (; now_ns() < end; ended++)
        live_on_borrowed_memory(NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS; i++)
        pthread_join(reader[i], NULL);
    print_message("    %u threads ended\n", ended);
}

/* --- How often an end fences ---------------------------------------------------------------- */

static unsigned fences;
static bool is_held_up;

int __real_fw_release_fence_(void);
int __wrap_fw_release_fence_(void);

int __wrap_fw_release_fence_(void)
{
    __atomic_add_fetch(&fences, 1, __ATOMIC_RELAXED);
    return __real_fw_release_fence_();
}

/* Of threads at which nobody looks none does. */
TEST(an_end_costs_no_system_call)
{
    fences = 0;
    for (int i = 0; i < 200; i++)
        live_on_borrowed_memory(NULL);
    assert_int_equal(fences, 0);
}

/* Stops a reader wherever it is, now and then as one who counts. */
static void hold_up(int signal)
{
    (void)signal;
    __atomic_store_n(&is_held_up, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&is_held_up, __ATOMIC_SEQ_CST))
        sched_yield();
}

static bool loses_fence;

static bool lose_the_fence(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* Is asked for all the time; meanwhile a reader is held up. */
static void *end_before_a_reader(void *reader)
{
    fw_last_cpu_join_();
    __atomic_store_n(&asked_for, own_tid(), __ATOMIC_SEQ_CST);
    for (volatile int i = 0; i < 20000; i++)
        ;
    pthread_kill(*(pthread_t *)reader, SIGUSR1);
    while (!__atomic_load_n(&is_held_up, __ATOMIC_SEQ_CST))
        sched_yield();
    if (loses_fence && !lose_the_fence())
        abort();
    return NULL;
}

/* Threads end, until one has found a reader; how long that took. */
static uint64_t end_until_one_fences(void)
{
    struct sigaction action = {.sa_handler = hold_up};
    pthread_t reader, thread;
    uint64_t began = 0;

    is_over = false;
    fences = 0;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&reader, NULL, ask_for_ever, NULL), 0);
    for (int i = 0; i < 20000 && __atomic_load_n(&fences, __ATOMIC_RELAXED) == 0; i++) {
        began = now_ns();
        assert_int_equal(pthread_create(&thread, NULL, end_before_a_reader, &reader), 0);
        pthread_join(thread, NULL);
        began = now_ns() - began;
        __atomic_store_n(&is_held_up, false, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    pthread_join(reader, NULL);
    assert_true(fences != 0);
    return began;
}

TEST(who_is_looked_at_fences)
{
    if (!is_mine(own_tid())) /* as in the generic build, or where another has the slot */
        skip();
    loses_fence = false;
    end_until_one_fences();
}

/* A thread that may not call the fence gives readers some time: so it has called it. */
TEST(a_refused_fence_is_made_up_for)
{
    if (!is_mine(own_tid()))
        skip();
    loses_fence = true;
    assert_true(end_until_one_fences() >= REFUSED_FENCE_NS);
}

TEST(who_is_about_to_end_joins_no_more)
{
    static int anything;
    uint32_t tid;

    assert_int_equal(pthread_key_create(&late_key, join_late), 0);
    tid = live_on_borrowed_memory(&anything);
    for (int i = 0; i < 1000; i++)
        assert_false(fw_last_cpu_is_mine_(tid));
    pthread_key_delete(late_key);
}

UNIT_MAIN(NULL, NULL)
