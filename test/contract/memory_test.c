/* SPDX-License-Identifier: MIT */
/* What adapters stand on: memory in a region, and files that are locks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>

#include "bench/adapters/lock_file.h"
#include "bench/adapters/region.h"
#include "test/support/unit.h"

enum { PAGE = 4096 };

static int status_of(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_memory_in_a_region)
{
    unsigned char *one = region_take(1), *two = region_take(3 * PAGE), *three = region_take(PAGE);

    assert_non_null(one);
    assert_non_null(two);
    assert_int_equal((uintptr_t)one % PAGE, 0);
    assert_true(two >= one + PAGE && three >= two + 3 * PAGE);
    assert_int_equal(fw_ipc_mutex_lock((fw_ipc_mutex *)two), 0);
    assert_int_equal(fw_ipc_mutex_unlock((fw_ipc_mutex *)two), 0);
    memset(two, 1, 3 * PAGE);
    region_give(two, 3 * PAGE);
    unsigned char *again = region_take(2 * PAGE);
    assert_ptr_equal(again, two);
    assert_int_equal(again[2 * PAGE - 1], 0);
    assert_null(region_take((size_t)1 << 40));
    region_give(again, 2 * PAGE);
    region_give(three, PAGE);
    region_give(one, 1);
}

/* A forked task shares what is there; what it takes itself is its own. */
TEST(test_forked_tasks)
{
    unsigned char *shared = region_take(PAGE);

    pid_t child = fork();
    if (child == 0) {
        unsigned char *own = region_take(PAGE);
        int error = fw_ipc_mutex_trylock((fw_ipc_mutex *)shared);
        if (own != NULL)
            own[0] = 7;
        region_give(shared, PAGE); /* the parent's */
        shared[64] = 5;
        _exit(own == NULL || own == shared || error != 0);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(shared[64], 5);
    assert_int_equal(fw_ipc_mutex_lock((fw_ipc_mutex *)shared), EOWNERDEAD);
    unsigned char *other = region_take(PAGE);
    assert_ptr_not_equal(other, shared);
    region_give(other, PAGE);
    region_give(shared, PAGE);
}

static void *lock_it(void *file)
{
    int fd = lock_file_own(file);

    return (void *)(intptr_t)(flock(fd, LOCK_EX | LOCK_NB) == 0 ? fd : -1);
}

/* Each task has an open file of its own, and it goes with the task. */
TEST(test_files)
{
    struct lock_file f;
    pthread_t thread;
    void *other;

    assert_int_equal(lock_file_make(&f), 0);
    int fd = lock_file_own(&f);
    assert_int_equal(lock_file_own(&f), fd);
    assert_int_not_equal(fd, f.fd);
    assert_int_equal(flock(fd, LOCK_EX), 0);

    pthread_create(&thread, NULL, lock_it, &f);
    pthread_join(thread, &other);
    assert_int_equal((intptr_t)other, -1);
    pid_t child = fork();
    if (child == 0)
        _exit(lock_it(&f) == (void *)(intptr_t)-1 ? 0 : 1);
    assert_int_equal(status_of(child), 0);

    assert_int_equal(flock(fd, LOCK_UN), 0);
    pthread_create(&thread, NULL, lock_it, &f);
    pthread_join(thread, &other);
    assert_true((intptr_t)other >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0); /* the thread's went with it */
    lock_file_unmake(&f);
}

UNIT_MAIN(NULL, NULL)
