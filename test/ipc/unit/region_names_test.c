/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "ipc/region/layout.h"
#include "name_fixture.h"
#include "sys/origin.h"
#include "sys/region_file.h"
#include "test/support/sleeper.h"

/* FW_REGION_RENEW: src/ipc/region/{region,join}.c, src/sys/region_file.c.  (Many: test/ipc.) */

enum { SIZE = FW_REGION_MIN_SIZE, MAKE = FW_REGION_CREATE, RENEW = MAKE | FW_REGION_RENEW };

static uint64_t inode(void)
{
    struct stat about;

    assert_int_equal(stat(path, &about), 0);
    return about.st_ino;
}

/* Leaves a descriptor of it, so that no other file gets the same inode. */
static int make_stale(void)
{
    struct fw_ipc_head_ *head;
    fw_region *r;

    if (fw_boot_() == 0)
        skip();
    assert_int_equal(fw_region_open(name, SIZE, MAKE | FW_REGION_EXCLUSIVE, &r), 0);
    head = fw_region_base(r);
    head->boot ^= 2;
    head->check = fw_hash_(FW_HASH_START_, head, offsetof(struct fw_ipc_head_, check));
    assert_int_equal(fw_region_close(r), 0);
    return open(path, O_RDWR);
}

TEST(a_stale_one_gives_way)
{
    static const unsigned how[] = {RENEW, RENEW | FW_REGION_EXCLUSIVE, RENEW | FW_REGION_SHARED};

    for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
        int fd = make_stale();
        uint64_t old = inode();
        fw_region *r, *again;

        assert_int_equal(opening(SIZE, MAKE), ESTALE);
        assert_int_equal(opening(0, 0), ESTALE);
        assert_int_equal(inode(), old);
        assert_int_equal(fw_region_open(name, 2 * SIZE, how[i], &r), 0);
        assert_int_equal(fw_region_size(r), 2 * SIZE);
        assert_true(inode() != old);
        old = inode();
        assert_int_equal(fw_region_open(name, SIZE, RENEW, &again), 0); /* a living one stays */
        assert_ptr_equal(again, r);
        assert_int_equal(opening(SIZE, RENEW | FW_REGION_EXCLUSIVE), EEXIST);
        assert_int_equal(inode(), old);
        assert_int_equal(fw_region_close(r), 0);
        assert_int_equal(fw_region_close(r), 0);
        assert_int_equal(fw_region_open(name, SIZE, RENEW, &r), 0);
        assert_int_equal(inode(), old);
        assert_int_equal(fw_region_close(r), 0);
        assert_int_equal(fw_region_remove(name), 0);
        close(fd);
    }
}

TEST(what_is_no_stale_region_stays)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

    assert_int_equal(write(fd, "data", 4), 4);
    assert_int_equal(opening(SIZE, RENEW), EUCLEAN);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(fw_region_remove(name), 0);
    close(fd);
    fd = make_stale();
    assert_int_equal(fchmod(fd, 0666), 0);
    assert_int_equal(opening(SIZE, RENEW), EPERM); /* not ours to remove */
    assert_int_equal(fchmod(fd, 0600), 0);
    assert_int_equal(fw_region_remove(name), 0);
    close(fd);
}

TEST(requests_that_make_no_sense)
{
    int fd = memfd_create("renew", 0);
    void *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *r;

    assert_int_equal(opening(SIZE, FW_REGION_RENEW), EINVAL);
    assert_int_equal(fw_region_open_fd(fd, SIZE, RENEW, &r), EINVAL);
    assert_int_equal(fw_region_adopt(m, SIZE, RENEW, &r), EINVAL);
    munmap(m, SIZE);
    close(fd);
}

/* A process that finds another file under the name, or none, leaves it alone. */
TEST(a_name_that_is_anothers)
{
    int old = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), new;
    uint64_t there;

    assert_int_equal(fw_shm_remove_(name), 0);
    assert_int_equal(fw_shm_replace_(name, old), 0);
    new = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    there = inode();
    assert_int_equal(fw_shm_replace_(name, old), 0);
    assert_int_equal(inode(), there);
    assert_int_equal(fw_shm_replace_(name, new), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(flock(old, LOCK_EX | LOCK_NB), 0); /* no lock is left behind */
    assert_int_equal(flock(new, LOCK_EX | LOCK_NB), 0);
    close(old);
    close(new);
}

struct remover {
    pid_t tid;
    int result;
    bool done;
};

static void *remove_name(void *arg)
{
    struct remover *r = arg;

    __atomic_store_n(&r->tid, gettid(), __ATOMIC_RELEASE);
    r->result = fw_region_remove(name);
    __atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
    return NULL;
}

/* Between the look at the name and its removal nobody else gives it to another file. */
TEST(a_removal_waits_for_a_renewal)
{
    int old = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), new;
    struct remover r = {.result = -1};
    pthread_t thread;

    assert_int_equal(flock(old, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, remove_name, &r), 0);
    await_asleep(getpid(), &r.tid, &r.done);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    new = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_int_equal(flock(old, LOCK_UN), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(r.result, ENOENT); /* what it was to remove has gone; the new one is there */
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(fw_region_remove(name), 0);
    close(old);
    close(new);
}

/* What is no file that could be a region, or cannot be locked, is removed all the same. */
TEST(a_name_of_something_else)
{
    assert_int_equal(symlink("/nowhere", path), 0);
    assert_int_equal(fw_region_remove(name), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(fw_region_remove(name), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(fw_region_remove(name), EISDIR);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(fw_region_remove(name), ENOENT);
}

/* --- Whose file is believed (other users: test/ipc/region/accounts.c) ------------------------- */

/* A file that is there may have less than was asked for, but not more. */
TEST(more_permissions_than_asked_for)
{
    mode_t before = umask(0);
    fw_region *r;
    uid_t owner;

    assert_int_equal(close(open(path, O_RDWR | O_CREAT | O_EXCL, 0606)), 0); /* empty */
    assert_int_equal(opening(SIZE, MAKE), EPERM);
    assert_int_equal(opening(SIZE, MAKE | FW_REGION_EXCLUSIVE), EPERM);
    assert_int_equal(opening(SIZE, MAKE | 0660), EPERM);
    assert_int_equal(opening(0, 0600), EPERM);
    assert_int_equal(fw_region_open(name, SIZE, MAKE | 0666, &r), 0);
    assert_int_equal(fw_region_owner(r, &owner), 0);
    assert_int_equal(owner, geteuid());
    assert_int_equal(fw_region_owner(r, NULL), EINVAL);
    assert_int_equal(opening(SIZE, MAKE), EPERM); /* open here already */
    assert_int_equal(fw_region_close(r), 0);
    assert_int_equal(fw_region_owner(r, &owner), EINVAL);
    assert_int_equal(opening(SIZE, MAKE | FW_REGION_SHARED), 0);
    assert_int_equal(opening(0, 0), 0); /* nothing was asked for */
    assert_int_equal(fw_region_remove(name), 0);
    umask(before);
}

/* What the umask takes away, nobody asks for again. */
TEST(fewer_permissions_by_the_umask)
{
    mode_t before = umask(077);

    assert_int_equal(opening(SIZE, MAKE | 0666), 0);
    umask(0);
    assert_int_equal(opening(SIZE, MAKE | 0666), 0);
    assert_int_equal(opening(SIZE, MAKE), 0);
    assert_int_equal(fw_region_remove(name), 0);
    umask(before);
}

/* A region of ours that is for something else, under a name that somebody has given it. */
TEST(a_file_of_two_names)
{
    char other[80];

    snprintf(other, sizeof other, "/dev/shm%s-other", name);
    assert_int_equal(opening(SIZE, MAKE), 0);
    assert_int_equal(link(path, other), 0);
    assert_int_equal(opening(SIZE, MAKE), EPERM);
    assert_int_equal(opening(SIZE, MAKE | FW_REGION_SHARED), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(opening(SIZE, MAKE), 0);
    assert_int_equal(fw_region_remove(name), 0);
}

TEST(the_owner_of_what_has_no_name)
{
    void *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int fd = memfd_create("owner", 0);
    fw_region *r;
    uid_t owner;

    assert_ptr_not_equal(m, MAP_FAILED);
    assert_int_equal(fw_region_open_fd(fd, SIZE, MAKE, &r), 0); /* 0777, and no name */
    assert_int_equal(fw_region_owner(r, &owner), 0);
    assert_int_equal(owner, geteuid());
    assert_int_equal(fw_region_close(r), 0);
    assert_int_equal(fw_region_adopt(m, SIZE, MAKE, &r), 0);
    assert_int_equal(fw_region_owner(r, &owner), ENOTSUP);
    assert_int_equal(fw_region_close(r), 0);
    assert_int_equal(fw_region_owner(NULL, &owner), EINVAL);
    munmap(m, SIZE);
    close(fd);
}

UNIT_MAIN(set_up, tear_down)
