/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

#include "in_child.h"
#include "last_cpu_asked.h"
#include "test/support/sleeper.h"

/* Who was last seen on the caller's CPU, on the real kernel: contract in sys/last_cpu.h. */

enum { SLOTS = 1024, MOST_CPUS = 1024 };

/* Does this machine tell?  And its first two CPUs that we may use (the same: it has one). */
static bool is_told;
static int cpus[2];
static cpu_set_t all_cpus;

static void stay_on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

static void roam(void)
{
    assert_int_equal(sched_setaffinity(0, sizeof all_cpus, &all_cpus), 0);
}

/* A thread that goes where it is told, and sleeps there (in no lock of ours: they join). */
struct guest {
    pthread_t thread;
    bool joins;
    bool done;
    int cpu;
    pid_t tid;
    sem_t may_go; /* our own locks join those who wait */
};

static void *visit(void *arg)
{
    struct guest *g = arg;

    stay_on(g->cpu);
    if (g->joins)
        fw_last_cpu_join_();
    __atomic_store_n(&g->tid, (pid_t)own_tid(), __ATOMIC_RELEASE);
    sem_wait(&g->may_go);
    return NULL;
}

static void begin_visit(struct guest *g, int cpu, bool joins)
{
    *g = (struct guest){.cpu = cpu, .joins = joins};
    sem_init(&g->may_go, 0, 0);
    assert_int_equal(pthread_create(&g->thread, NULL, visit, g), 0);
    await_asleep(getpid(), &g->tid, &g->done);
}

static void end_visit(struct guest *g)
{
    sem_post(&g->may_go);
    pthread_join(g->thread, NULL);
}

TEST(nobody_is_nowhere)
{
    assert_false(is_mine(0));
    assert_false(is_mine(UINT32_MAX)); /* how a slot is marked inside */
    assert_false(is_mine(UINT32_MAX / 2));
}

TEST(who_has_not_joined_is_unknown)
{
    struct guest g;

    stay_on(cpus[0]);
    begin_visit(&g, cpus[0], false);
    assert_false(is_mine((uint32_t)g.tid));
    end_visit(&g);
}

TEST(the_caller_is_where_it_is)
{
    assert_int_equal(is_mine(own_tid()), is_told);
}

TEST(a_sleeper_is_seen_on_its_cpu_only)
{
    struct guest here, there;

    stay_on(cpus[0]);
    begin_visit(&here, cpus[0], true);
    begin_visit(&there, cpus[1], true);
    assert_int_equal(is_mine((uint32_t)here.tid), is_told);
    assert_int_equal(is_mine((uint32_t)there.tid), is_told && cpus[0] == cpus[1]);
    stay_on(cpus[1]);
    assert_int_equal(is_mine((uint32_t)there.tid), is_told);
    assert_int_equal(is_mine((uint32_t)here.tid), is_told && cpus[0] == cpus[1]);
    end_visit(&here);
    end_visit(&there);
}

/* A no stands for as long as the caller keeps its CPU; then it is found out anew, unasked for. */
TEST(a_no_ends_with_the_time_slice)
{
    struct guest g;
    uint64_t end = now_ns() + STORM_NS;
    bool told = false;

    stay_on(cpus[1]);
    begin_visit(&g, cpus[0], true);
    fw_last_cpu_join_();
    assert_int_equal(fw_last_cpu_is_mine_((uint32_t)g.tid), is_told && cpus[0] == cpus[1]);
    stay_on(cpus[0]);
    while (!told && now_ns() < end) {
        told = fw_last_cpu_is_mine_((uint32_t)g.tid);
        sched_yield();
    }
    end_visit(&g);
    if (!told && is_told)
        print_message("    no: this kernel lets it stand until the next join\n");
}

TEST(who_has_ended_is_unknown)
{
    struct guest g;

    stay_on(cpus[0]);
    begin_visit(&g, cpus[0], true);
    end_visit(&g);
    assert_false(is_mine((uint32_t)g.tid));
}

/* Two threads want the same slot: the first has it, until it ends. */
TEST(a_slot_is_for_one)
{
    struct guest first, other;
    int tries = 0;

    stay_on(cpus[0]);
    begin_visit(&first, cpus[0], true);
    for (bool found = false; !found; end_visit(&other)) {
        begin_visit(&other, cpus[0], true);
        found = other.tid % SLOTS == first.tid % SLOTS;
        if (found) {
            assert_false(is_mine((uint32_t)other.tid));
            assert_int_equal(is_mine((uint32_t)first.tid), is_told);
        }
        if (++tries == 3 * SLOTS) {
            found = true;
            print_message("    not seen: other programs take the numbers\n");
        }
    }
    end_visit(&first);
    assert_false(is_mine((uint32_t)first.tid));
}

TEST(a_child_knows_itself_and_nobody_else)
{
    struct guest g;

    stay_on(cpus[0]);
    begin_visit(&g, cpus[0], true);
    assert_in_child(!fw_last_cpu_is_mine_(own_tid()) && is_mine(own_tid()) == is_told &&
                    !is_mine((uint32_t)g.tid));
    assert_int_equal(is_mine((uint32_t)g.tid), is_told);
    end_visit(&g);
}

static uint32_t handlers;

static void ask_in_handler(int signal)
{
    (void)signal;
    fw_last_cpu_join_();
    __atomic_fetch_add(&handlers, fw_last_cpu_is_mine_(own_tid()) ? 1 : 0, __ATOMIC_RELAXED);
}

/* First of all in threads that have not joined yet: a handler may come first. */
static void *ask_under_signals(void *unused)
{
    uint64_t end = now_ns() + STORM_NS;

    (void)unused;
    /* Where nobody ran in that time, until a signal has come. */
    while (now_ns() < end || (is_told && __atomic_load_n(&handlers, __ATOMIC_RELAXED) == 0)) {
        fw_last_cpu_join_();
        for (uint32_t i = 0; i < 100; i++)
            fw_last_cpu_is_mine_(i % 2 == 0 ? own_tid() : own_tid() + i);
    }
    return NULL;
}

TEST(a_signal_storm_does_no_harm)
{
    struct sigaction action = {.sa_handler = ask_in_handler, .sa_flags = SA_RESTART}, before;
    struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    pthread_t thread;

    roam();
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &every, NULL);
    assert_int_equal(pthread_create(&thread, NULL, ask_under_signals, NULL), 0);
    pthread_join(thread, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(handlers != 0, is_told);
    assert_int_equal(is_mine(own_tid()), is_told);
}

static void find_cpus(void)
{
    int n = 0;

    sched_getaffinity(0, sizeof all_cpus, &all_cpus);
    for (int cpu = 0; cpu < MOST_CPUS && n < 2; cpu++)
        if (CPU_ISSET((unsigned)cpu, &all_cpus))
            cpus[n++] = cpu;
    if (n < 2)
        cpus[1] = cpus[0];
}

int main(void)
{
    find_cpus();
    is_told = is_mine(own_tid());
    print_message("the kernel %s\n", is_told ? "tells where threads are" : "does not tell");
    return unit_run(NULL, NULL);
}
