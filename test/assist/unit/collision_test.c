/* SPDX-License-Identifier: MIT */
/* Two threads that share an entry of the assist's page. */
#include "test/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fixture.h"

/* A number whose entry is the caller's own, for the thread that is made next. */
static int next_thread_has_ones_own_entry(void)
{
    char number[20];
    int next = gettid() + (int)FW_ASSIST_ENTRIES;
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
    int length = snprintf(number, sizeof number, "%d", next - 1);
    bool good = fd >= 0 && write(fd, number, (size_t)length) == length;

    if (fd >= 0)
        close(fd);
    return good ? next : 0;
}

static int busy_tid, done;

static void *be_busy(void *unused)
{
    (void)unused;
    __atomic_store_n(&busy_tid, gettid(), __ATOMIC_RELEASE);
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        ;
    return NULL;
}

static int number_of_busy(void)
{
    while (!__atomic_load_n(&busy_tid, __ATOMIC_ACQUIRE))
        sched_yield();
    return busy_tid;
}

/*
 * The thread that was switched to last has the entry: that is the one that looks.  A kernel may
 * leave out a switch (some do not report those from some threads): then it is the other's until the
 * next one.
 */
static bool mostly_has_the_entry(const struct fw_assist_page *page, int other)
{
    enum { LOOKS = 1000, MOST_WRONG = LOOKS / 4 };
    int wrong = 0;

    for (int i = 0; i < LOOKS; i++) {
        if ((fixture_entry(page, gettid()) & FW_ASSIST_STATE) != FW_ASSIST_RUNS ||
            fixture_entry(page, other) != 0)
            wrong++;
        usleep(100);
    }
    return wrong <= MOST_WRONG;
}

static int look_at_two_of_one_entry(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    pthread_t busy;

    EXPECT(page != NULL);
    fixture_share_one_cpu();
    setpriority(PRIO_PROCESS, 0, -20); /* on a busy CPU, too, they take turns with each other */
    fixture_ring(page);
    EXPECT(fixture_entry(page, gettid()) != 0);
    int other = next_thread_has_ones_own_entry();
    if (pthread_create(&busy, NULL, be_busy, NULL) != 0 || number_of_busy() != other) {
        fprintf(stderr, "there are too few thread ids here: not looked at\n");
        return 0;
    }
    EXPECT(mostly_has_the_entry(page, other));
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(busy, NULL);
    EXPECT(fixture_see(page, gettid(), FW_ASSIST_RUNS));
    return 0;
}

static int two_of_one_entry(void)
{
    return fixture_in_new_namespace(look_at_two_of_one_entry);
}

TEST(threads_of_one_entry_take_it_from_each_other)
{
    fixture_start(FW_ASSIST_READ_BY_GROUP, 0);
    assert_int_equal(fixture_in_child(two_of_one_entry, 0), 0);
    fixture_stop();
}

int main(void)
{
    fixture_enter();
    return unit_run(NULL, NULL);
}
