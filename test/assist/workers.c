/* SPDX-License-Identifier: MIT */
/*
 * Processes with threads that come and go, fork, call exec, and are killed, and compete for locks:
 * an ipc mutex that all share, and a fw_mutex, a fw_rwlock and a pthread mutex of each process.
 * Locks exclude, nobody is stuck, and no turn under the ipc mutex is lost or counted twice.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>

#include "processes.h"

enum { WORKERS = 4, THREADS = 3, MAYFLIES = 2, STUCK_S = 60, REGION = 1 << 20 };

/* It ends when there were that many. */
enum { TURNS = 5000, KILLS = 60, FORKS = 10, EXECS = 5 };

/* Who may die in the middle of a turn at once: threads of one life, and a forked child. */
enum { AT_ONCE = THREADS + MAYFLIES + 1 };

struct tally {
    uint64_t first, second; /* under the ipc mutex: turns begun and ended */
    uint64_t done;          /* turns whose maker has come out of the lock */
    uint64_t ends;          /* of lives in which threads may have been amid a turn */
    uint64_t forks, execs;
};

static fw_ipc_mutex *shared_lock;
static struct tally *tally;
static int region_file;

static fw_mutex mutex;
static fw_rwlock rwlock;
static pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[3][2];

static uint64_t add(uint64_t *to)
{
    return __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
}

static void join_region(int fd)
{
    fw_region *region;
    void *memory;

    CHECK(fw_region_open_fd(fd, REGION, FW_REGION_CREATE, &region) == 0);
    CHECK(fw_region_mutex(region, "one", FW_REGION_CREATE, &shared_lock) == 0);
    CHECK(fw_region_object(region, "tally", FW_REGION_DATA, sizeof *tally, FW_REGION_CREATE,
                           &memory) == 0);
    tally = memory;
    region_file = fd;
}

static void dawdle(uint64_t *random)
{
    if (draw(random) % 64 == 0)
        usleep((useconds_t)(draw(random) % 300));
}

static void turn_together(uint64_t *random)
{
    int error = fw_ipc_mutex_lock(shared_lock);

    if (error == EOWNERDEAD) {
        tally->second = tally->first;
        error = fw_ipc_mutex_consistent(shared_lock);
    }
    if (error != 0)
        fail("ipc mutex: %s", strerror(error));
    CHECK(tally->first == tally->second);
    tally->first++;
    dawdle(random);
    tally->second++;
    CHECK(fw_ipc_mutex_unlock(shared_lock) == 0);
    add(&tally->done);
}

static void count_one(uint64_t pair[2], uint64_t *random)
{
    CHECK(pair[0] == pair[1]);
    pair[0]++;
    dawdle(random);
    pair[1]++;
}

static void turn_at_home(uint64_t *random)
{
    switch (draw(random) % 4) {
    case 0:
        fw_mutex_lock(&mutex);
        count_one(counts[0], random);
        fw_mutex_unlock(&mutex);
        break;
    case 1:
        fw_rwlock_wrlock(&rwlock);
        count_one(counts[1], random);
        fw_rwlock_wrunlock(&rwlock);
        break;
    case 2:
        fw_rwlock_rdlock(&rwlock);
        CHECK(counts[1][0] == counts[1][1]);
        fw_rwlock_rdunlock(&rwlock);
        break;
    default:
        CHECK(pthread_mutex_lock(&posix) == 0);
        count_one(counts[2], random);
        CHECK(pthread_mutex_unlock(&posix) == 0);
        break;
    }
}

static void some_turns(uint64_t *random)
{
    for (uint64_t n = draw(random) % 50; n > 0; n--)
        turn_at_home(random);
    turn_together(random);
}

static uint64_t seed_of_thread(void)
{
    return (now_ns() ^ (uint64_t)gettid() << 32) | 1;
}

static void *mayfly(void *arg)
{
    uint64_t random = seed_of_thread();

    some_turns(&random);
    return arg;
}

static void *steady(void *arg)
{
    uint64_t random = seed_of_thread();

    for (;;)
        some_turns(&random);
    return arg;
}

/* Locks of the parent's own may be held by threads that are not here: they are left alone. */
static void fork_one(uint64_t *random)
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < 20; i++)
            turn_together(random);
        _exit(EXIT_SUCCESS);
    }
    finish(pid);
    add(&tally->forks);
}

/* The other threads end wherever they are. */
static void become_another(void)
{
    char fd[16];

    snprintf(fd, sizeof fd, "%d", region_file);
    add(&tally->execs);
    add(&tally->ends);
    execl("/proc/self/exe", "workers", "--participant", fd, (char *)NULL);
    fail("exec: %s", strerror(errno));
}

static void be_worker(void *arg)
{
    uint64_t random = seed_of_thread();
    pthread_t threads[THREADS - 1], young[MAYFLIES];

    (void)arg;
    for (int i = 0; i < THREADS - 1; i++)
        CHECK(pthread_create(&threads[i], NULL, steady, NULL) == 0);
    for (;;) {
        for (int i = 0; i < MAYFLIES; i++)
            CHECK(pthread_create(&young[i], NULL, mayfly, NULL) == 0);
        some_turns(&random);
        for (int i = 0; i < MAYFLIES; i++)
            CHECK(pthread_join(young[i], NULL) == 0);
        if (draw(&random) % 16 == 0)
            fork_one(&random);
        if (draw(&random) % 64 == 0)
            become_another();
    }
}

static void check_the_counts(void)
{
    int error = fw_ipc_mutex_lock(shared_lock);

    CHECK(error == 0 || error == EOWNERDEAD);
    if (error == 0)
        CHECK(tally->first == tally->second);
    CHECK(tally->first >= tally->done);
    CHECK(tally->first <= tally->done + tally->ends * AT_ONCE);
}

static bool is_enough(uint64_t kills)
{
    return kills >= KILLS && __atomic_load_n(&tally->done, __ATOMIC_RELAXED) >= TURNS &&
           __atomic_load_n(&tally->forks, __ATOMIC_RELAXED) >= FORKS &&
           __atomic_load_n(&tally->execs, __ATOMIC_RELAXED) >= EXECS;
}

int main(int argc, char **argv)
{
    pid_t workers[WORKERS];
    uint64_t random = 1, last = 0, kills = 0;

    if (argc == 3 && strcmp(argv[1], "--participant") == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        join_region(atoi(argv[2]));
        be_worker(NULL);
    }
    join_region(memfd_create("workers", 0));
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start(be_worker, NULL);
    limit(STUCK_S, "workers of whom nobody gets on");
    while (!is_enough(kills)) {
        pid_t *one = &workers[draw(&random) % WORKERS];

        usleep((useconds_t)(draw(&random) % 20000));
        if (__atomic_load_n(&tally->done, __ATOMIC_RELAXED) != last) {
            last = __atomic_load_n(&tally->done, __ATOMIC_RELAXED);
            alarm(STUCK_S);
        }
        add(&tally->ends);
        kill_and_wait(*one);
        kills++;
        *one = start(be_worker, NULL);
    }
    for (int i = 0; i < WORKERS; i++) {
        add(&tally->ends);
        kill_and_wait(workers[i]);
    }
    check_the_counts();
    printf("%llu turns, %llu kills, %llu forks, %llu execs\n", (unsigned long long)tally->done,
           (unsigned long long)kills, (unsigned long long)tally->forks,
           (unsigned long long)tally->execs);
    return EXIT_SUCCESS;
}
