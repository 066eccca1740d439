/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "name_fixture.h"
#include "test/support/robust_lists.h"

/* src/ipc/region/region.c: the handles of a process. */

enum { SIZE = FW_REGION_MIN_SIZE, MAKE = FW_REGION_CREATE };

static void *memory(size_t size)
{
    void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(m, MAP_FAILED);
    return m;
}

TEST(opened_twice_closed_twice)
{
    fw_region *r, *again;

    assert_int_equal(opening(SIZE, 0), ENOENT);
    assert_int_equal(fw_region_open(name, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_size(r), SIZE);
    assert_int_equal(fw_region_open(name, 0, 0, &again), 0);
    assert_ptr_equal(again, r);
    assert_int_equal(opening(SIZE, MAKE | FW_REGION_EXCLUSIVE), EEXIST);
    assert_int_equal(fw_region_close(r), 0);
    assert_non_null(fw_region_base(again));
    assert_int_equal(fw_region_close(again), 0);
    assert_int_equal(fw_region_close(again), EINVAL);
    assert_null(fw_region_base(again));
    assert_int_equal(fw_region_size(again), 0);
    assert_int_equal(fw_region_leave(again), EINVAL);
    assert_int_equal(fw_region_remove(name), 0);
    assert_int_equal(fw_region_remove(name), ENOENT);
}

struct peer {
    fw_region *region;
    fw_ipc_mutex *m;
    pthread_barrier_t barrier;
};

/* Makes the mutex as well: the first participant has the first slot, as the main thread had. */
static void *hold(void *arg)
{
    struct peer *p = arg;

    assert_int_equal(fw_region_mutex(p->region, "m", MAKE, &p->m), 0);
    assert_int_equal(fw_ipc_mutex_lock(p->m), 0);
    pthread_barrier_wait(&p->barrier);
    pthread_barrier_wait(&p->barrier);
    assert_int_equal(fw_ipc_mutex_unlock(p->m), 0);
    return NULL;
}

static void *find_held(void *m)
{
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_false(fw_ipc_mutex_is_held_by_me(m));
    return NULL;
}

/* What a thread remembers of a region is not true of the next one at the same place. */
TEST(participant_of_this_region_only)
{
    fw_region *old;
    fw_ipc_mutex *m;
    struct peer peer;
    pthread_t thread;

    for (int round = 0; round < 2; round++) {
        assert_int_equal(fw_region_open(name, SIZE, MAKE, &old), 0);
        assert_int_equal(fw_region_mutex(old, "m", MAKE, &m), 0);
        assert_int_equal(fw_ipc_mutex_lock(m), 0);
        assert_int_equal(pthread_create(&thread, NULL, find_held, m), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(fw_ipc_mutex_unlock(m), 0);
        assert_int_equal(fw_region_close(old), 0);
        assert_int_equal(fw_region_remove(name), 0);
    }
    assert_int_equal(fw_region_open(name, SIZE, MAKE, &peer.region), 0);
    pthread_barrier_init(&peer.barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, hold, &peer), 0);
    pthread_barrier_wait(&peer.barrier);
    assert_int_equal(fw_ipc_mutex_trylock(peer.m), EBUSY);
    assert_false(fw_ipc_mutex_is_held_by_me(peer.m));
    pthread_barrier_wait(&peer.barrier);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fw_ipc_mutex_lock(peer.m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(peer.m), 0);
    assert_int_equal(fw_region_close(peer.region), 0);
    assert_int_equal(fw_region_remove(name), 0);
}

TEST(removed_and_made_anew)
{
    fw_region *old, *new;

    assert_int_equal(fw_region_open(name, SIZE, MAKE, &old), 0);
    assert_int_equal(fw_region_remove(name), 0);
    assert_int_equal(fw_region_open(name, 2 * SIZE, MAKE, &new), 0);
    assert_ptr_not_equal(old, new);
    assert_int_equal(fw_region_size(new), 2 * SIZE);
    assert_int_equal(fw_region_close(old), 0);
    assert_int_equal(fw_region_close(new), 0);
    assert_int_equal(fw_region_remove(name), 0);
}

/* There may be more space than one asks for, but not less, whether it is open here or not. */
TEST(smaller_than_asked_for)
{
    fw_region *r;

    assert_int_equal(fw_region_open(name, SIZE + 1, MAKE, &r), 0); /* and is rounded up */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(opening(2 * SIZE, MAKE), EPROTO);
        assert_int_equal(opening(2 * SIZE, 0), EPROTO);
        assert_int_equal(opening(SIZE + 1, MAKE), 0);
        assert_int_equal(opening(0, 0), 0);
        if (i == 0)
            assert_int_equal(fw_region_close(r), 0);
    }
    assert_int_equal(fw_region_remove(name), 0);
}

TEST(arguments)
{
    fw_region *r;

    assert_int_equal(fw_region_open("jobs", SIZE, MAKE, &r), EINVAL);
    assert_int_equal(fw_region_open("/", SIZE, MAKE, &r), EINVAL);
    assert_int_equal(fw_region_open(NULL, SIZE, MAKE, &r), EINVAL);
    assert_int_equal(fw_region_open(name, SIZE, MAKE, NULL), EINVAL);
    assert_int_equal(opening(SIZE - 1, MAKE), EINVAL);
    assert_int_equal(opening(SIZE_MAX, MAKE), EINVAL);
    assert_int_equal(opening(SIZE, 1 << 20), EINVAL);
    assert_int_equal(opening(SIZE, FW_REGION_EXCLUSIVE), EINVAL);
    assert_int_equal(opening(SIZE, 0), ENOENT); /* no file was left behind */
    assert_int_equal(fw_region_open("./no/such/place", SIZE, MAKE, &r), ENOENT);
    assert_int_equal(fw_region_open("/dev/null/x", SIZE, MAKE, &r), ENOTDIR);
    assert_int_equal(fw_region_open("./.", SIZE, 0, &r), EISDIR);
    assert_int_equal(fw_region_open("/dev/../dev/null", SIZE, MAKE, &r), ENOTSUP);
    assert_int_equal(fw_region_remove("jobs"), EINVAL);
    assert_int_equal(fw_region_close(NULL), EINVAL);
    assert_int_equal(fw_region_close((fw_region *)(uintptr_t)&r), EINVAL);
}

TEST(permissions_are_those_of_the_flags)
{
    struct stat about;
    fw_region *r;
    mode_t before = umask(027);

    assert_int_equal(fw_region_open(name, SIZE, MAKE | 0666, &r), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    fw_region_close(r);
    fw_region_remove(name);
    assert_int_equal(fw_region_open(name, SIZE, MAKE, &r), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    fw_region_close(r);
    fw_region_remove(name);
    umask(before);
}

TEST(no_more_than_there_are_slots)
{
    fw_region *r[FW_REGION_MAX_OPEN + 1];
    int fd;

    for (int i = 0; i < FW_REGION_MAX_OPEN; i++)
        assert_int_equal(fw_region_adopt(memory(SIZE), SIZE, MAKE, &r[i]), 0);
    assert_int_equal(fw_region_adopt(memory(SIZE), SIZE, MAKE, &r[FW_REGION_MAX_OPEN]), EMFILE);
    fd = memfd_create("most", 0);
    assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r[FW_REGION_MAX_OPEN]), EMFILE);
    assert_int_equal(fw_region_close(r[3]), 0);
    assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r[3]), 0);
    close(fd);
    for (int i = 0; i < FW_REGION_MAX_OPEN; i++)
        assert_int_equal(fw_region_close(r[i]), 0);
}

TEST(adopted_memory_must_not_overlap)
{
    char *m = memory(4 * SIZE);
    fw_region *r, *s;

    assert_int_equal(fw_region_adopt(m + SIZE, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_adopt(m + SIZE, SIZE, MAKE, &s), EBUSY);
    assert_int_equal(fw_region_adopt(m, 3 * SIZE, MAKE, &s), EBUSY);
    assert_int_equal(fw_region_adopt(m + SIZE + 4096, SIZE, MAKE, &s), EBUSY);
    assert_int_equal(fw_region_adopt(m, SIZE, MAKE, &s), 0);
    assert_int_equal(fw_region_close(s), 0);
    assert_int_equal(fw_region_adopt(m + 2 * SIZE, SIZE, MAKE, &s), 0);
    assert_int_equal(fw_region_close(r), 0);
    assert_int_equal(fw_region_close(s), 0);
    assert_int_equal(fw_region_adopt(m + SIZE, SIZE, 0, &r), 0); /* it is still a region */
    assert_int_equal(fw_region_close(r), 0);
    munmap(m, 4 * SIZE);
}

struct other {
    fw_ipc_mutex *m;
    sem_t has_locked, may_end;
};

static void *lock_and_stay(void *arg)
{
    struct other *o = arg;

    (void)!fw_ipc_mutex_lock(o->m);
    sem_post(&o->has_locked);
    sem_wait(&o->may_end);
    return NULL;
}

static void close_with_others(bool is_adopted)
{
    void *m = memory(SIZE);
    struct other o;
    fw_region *r;
    pthread_t thread;
    int fd = memfd_create("others", 0);

    assert_int_equal(
        is_adopted ? fw_region_adopt(m, SIZE, MAKE, &r) : fw_region_open_fd(fd, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_mutex(r, "m", MAKE, &o.m), 0);
    sem_init(&o.has_locked, 0, 0);
    sem_init(&o.may_end, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, lock_and_stay, &o), 0);
    sem_wait(&o.has_locked);
    assert_int_equal(fw_ipc_mutex_trylock(o.m), EBUSY);
    assert_int_equal(fw_region_close(r), is_adopted ? EBUSY : 0);
    sem_post(&o.may_end);
    assert_int_equal(pthread_join(thread, NULL), 0); /* the kernel has marked its slot */
    if (!is_adopted)
        assert_int_equal(fw_region_open_fd(fd, SIZE, 0, &r), 0);
    assert_int_equal(fw_region_mutex(r, "m", 0, &o.m), 0);
    assert_int_equal(fw_ipc_mutex_lock(o.m), EOWNERDEAD);
    assert_int_equal(fw_region_close(r), 0);
    munmap(m, SIZE);
    close(fd);
}

TEST(closed_while_others_are_participants)
{
    close_with_others(false);
    for (int i = 0; i < 300; i++) /* the kernel knows a thread a little longer than who joined it */
        close_with_others(true);
}

static void *lock_often(void *arg)
{
    struct other *o = arg;

    (void)!fw_ipc_mutex_lock(o->m);
    fw_ipc_mutex_unlock(o->m);
    sem_post(&o->has_locked);
    sem_wait(&o->may_end);
    return NULL;
}

/* A thread that stays keeps its slot, and its registration, over any number of closings. */
TEST(closed_and_opened_leaves_nothing_behind)
{
    int fd = memfd_create("often", 0);
    void *first = NULL;
    pthread_t thread;
    struct other o = {0};
    fw_region *r;

    for (int i = 0; i < 300; i++) {
        assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r), 0);
        assert_int_equal(fw_region_mutex(r, "m", MAKE, &o.m), 0);
        if (i == 0) {
            first = fw_region_base(r);
            sem_init(&o.has_locked, 0, 0);
            sem_init(&o.may_end, 0, 0);
            assert_int_equal(pthread_create(&thread, NULL, lock_often, &o), 0);
            sem_wait(&o.has_locked);
        }
        assert_ptr_equal(fw_region_base(r), first);
        assert_int_equal(fw_ipc_mutex_lock(o.m), 0);
        assert_int_equal(fw_ipc_mutex_unlock(o.m), 0);
        assert_int_equal(fw_region_close(r), 0);
        assert_null(fw_region_base(r));
    }
    sem_post(&o.may_end);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fw_region_close(r), EINVAL);
    close(fd);
    for (int i = 0; i < 2 * FW_REGION_MAX_OPEN; i++) { /* it has been freed meanwhile */
        fd = memfd_create("others", 0);
        assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r), 0);
        assert_int_equal(fw_region_close(r), 0);
        close(fd);
    }
    assert_int_equal(msync(first, 1, MS_ASYNC), -1); /* not mapped */
}

static int repair_nothing(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    return 0;
}

/* What comes to lie at the same address later is another lock. */
TEST(repair_functions_go_with_the_region)
{
    void *m = memory(SIZE);
    fw_ipc_mutex *lock = NULL;
    fw_region *r;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(fw_region_adopt(m, SIZE, MAKE, &r), 0);
        assert_int_equal(fw_region_mutex(r, "m", MAKE, &lock), 0);
        if (i == 0)
            assert_int_equal(fw_ipc_mutex_on_death(lock, repair_nothing, NULL), 0);
        if (fork() == 0)
            _exit(fw_ipc_mutex_lock(lock));
        wait(NULL);
        assert_int_equal(fw_ipc_mutex_lock(lock), i == 0 ? 0 : EOWNERDEAD);
        if (i == 0)
            assert_int_equal(fw_ipc_mutex_unlock(lock), 0);
        assert_int_equal(fw_region_close(r), 0);
    }
    munmap(m, SIZE);
}

TEST(a_child_has_its_parents_regions)
{
    int fd = memfd_create("child", 0), status;
    fw_ipc_mutex *m;
    fw_region *r;

    assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_mutex(r, "m", MAKE, &m), 0);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    if (fork() == 0) {
        int held = fw_ipc_mutex_trylock(m);
        _exit(held != EBUSY || fw_region_close(r) != 0 || fw_region_base(r) != NULL ||
              fw_ipc_mutex_trylock(m) != EINVAL);
    }
    wait(&status);
    assert_int_equal(status, 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(fw_region_close(r), 0);
    close(fd);
}

static int make(void)
{
    need_robust_lists();
    return set_up();
}

UNIT_MAIN(make, tear_down)
