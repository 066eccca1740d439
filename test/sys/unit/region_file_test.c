/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sys/region_file.h"
#include "test/support/unit.h"

/* src/sys/region_file.c, with the real kernel. */

enum { PAGE = 4096 };

static char name[64], path[80];

static int set_up(void)
{
    snprintf(name, sizeof name, "/furwock-shm-%d", (int)getpid());
    snprintf(path, sizeof path, "./furwock-shm-%d", (int)getpid());
    return 0;
}

static void tear_down(void)
{
    fw_shm_remove_(name);
    fw_shm_remove_(path);
}

TEST(names)
{
    assert_true(fw_shm_is_name_("/jobs"));
    assert_true(fw_shm_is_name_("./jobs"));
    assert_true(fw_shm_is_name_("/var/jobs"));
    assert_true(fw_shm_is_name_("dir/jobs"));
    assert_false(fw_shm_is_name_("jobs"));
    assert_false(fw_shm_is_name_(""));
    assert_false(fw_shm_is_name_("/"));
    assert_false(fw_shm_is_name_("/."));
    assert_false(fw_shm_is_name_("/.."));
}

TEST(made_opened_removed)
{
    const char *const both[] = {name, path};
    struct stat file;
    int fd;

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fw_shm_open_(both[i], FW_SHM_WRITE_, 0, &fd), ENOENT);
        assert_int_equal(fw_shm_open_(both[i], FW_SHM_MAKE_, 0600, &fd), 0);
        assert_int_equal(fstat(fd, &file), 0);
        assert_int_equal(file.st_mode & 0777, 0600);
        assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        fw_shm_close_(fd);
        assert_int_equal(fw_shm_open_(both[i], FW_SHM_MAKE_, 0600, &fd), 0);
        fw_shm_close_(fd);
        assert_int_equal(fw_shm_open_(both[i], FW_SHM_READ_, 0, &fd), 0);
        assert_int_equal(fw_shm_grow_(fd, PAGE), EACCES);
        fw_shm_close_(fd);
        assert_int_equal(fw_shm_remove_(both[i]), 0);
        assert_int_equal(fw_shm_remove_(both[i]), ENOENT);
    }
}

TEST(the_same_object_as_shm_open)
{
    struct fw_shm_about_ ours, theirs;
    int fd, other;

    assert_int_equal(fw_shm_open_(name, FW_SHM_MAKE_, 0600, &fd), 0);
    other = shm_open(name, O_RDWR, 0);
    assert_true(other >= 0);
    assert_int_equal(fw_shm_about_(fd, &ours), 0);
    assert_int_equal(fw_shm_about_(other, &theirs), 0);
    assert_true(ours.inode == theirs.inode && ours.device == theirs.device);
    close(other);
    fw_shm_close_(fd);
    assert_int_equal(fw_shm_remove_(name), 0);
}

TEST(names_that_are_too_long)
{
    char longer[300] = "/";
    int fd;

    memset(longer + 1, 'x', sizeof longer - 2);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(fw_shm_open_(longer, FW_SHM_MAKE_, 0600, &fd), ENAMETOOLONG);
    assert_int_equal(fw_shm_remove_(longer), ENAMETOOLONG);
}

TEST(neither_link_nor_pipe)
{
    struct fw_shm_about_ about;
    char link[128];
    int pipe_fds[2], fd;

    snprintf(link, sizeof link, "/dev/shm%s", name);
    assert_int_equal(symlink("/dev/null", link), 0);
    assert_int_equal(fw_shm_open_(name, FW_SHM_MAKE_, 0600, &fd), ELOOP);
    assert_int_equal(fw_shm_remove_(name), 0);
    assert_int_equal(symlink("not-there", path), 0);
    assert_int_equal(fw_shm_open_(path, FW_SHM_MAKE_, 0600, &fd), ELOOP);
    assert_int_equal(fw_shm_remove_(path), 0);
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(fw_shm_about_(pipe_fds[0], &about), ENOTSUP);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    assert_int_equal(fw_shm_about_(pipe_fds[0], &about), EBADF);
}

static void grown(int (*grow)(int fd, uint64_t size))
{
    struct fw_shm_about_ about;
    char bytes[8] = "kept";
    int fd;

    assert_int_equal(fw_shm_open_(path, FW_SHM_MAKE_, 0600, &fd), 0);
    assert_int_equal(write(fd, bytes, 5), 5);
    assert_int_equal(grow(fd, 20 * PAGE), 0);
    assert_int_equal(fw_shm_about_(fd, &about), 0);
    assert_int_equal(about.size, 20 * PAGE);
    assert_int_equal(grow(fd, PAGE), 0); /* nothing is cut off */
    assert_int_equal(fw_shm_about_(fd, &about), 0);
    assert_int_equal(about.size, 20 * PAGE);
    assert_int_equal(fw_shm_read_(fd, bytes, sizeof bytes), 0);
    assert_memory_equal(bytes, "kept\0\0\0", 8);
    fw_shm_close_(fd);
    assert_int_equal(fw_shm_remove_(path), 0);
}

TEST(grown_by_fallocate_or_by_hand)
{
    grown(fw_shm_grow_);
    if (syscall(SYS_pwritev2, -1, NULL, 0, 0, 0, 0) == -1 && errno == ENOSYS)
        skip(); /* an emulator */
    grown(fw_shm_append_);
}

TEST(read_beyond_the_end)
{
    char bytes[16];
    int fd = memfd_create("read", 0);

    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(fw_shm_read_(fd, bytes, sizeof bytes), 0);
    assert_memory_equal(bytes, "abc\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    close(fd);
    assert_int_equal(fw_shm_read_(fd, bytes, sizeof bytes), EBADF);
}

static void nothing(int signal)
{
    (void)signal;
}

/* A timer whose period is shorter than it takes to have all at once. */
TEST(grown_in_a_storm_of_signals)
{
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct fw_shm_about_ about;
    int fd = memfd_create("storm", 0);

    signal(SIGALRM, nothing);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    assert_int_equal(fw_shm_grow_(fd, 64 << 20), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    signal(SIGALRM, SIG_DFL);
    assert_int_equal(fw_shm_about_(fd, &about), 0);
    assert_int_equal(about.size, 64 << 20);
    close(fd);
}

/* The kernel would send SIGXFSZ. */
TEST(above_the_limit)
{
    struct rlimit before, small;
    int fd = memfd_create("limit", 0);

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){16 * PAGE, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(fw_shm_grow_(fd, 17 * PAGE), EFBIG);
    assert_int_equal(fw_shm_grow_(fd, 16 * PAGE), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    close(fd);
}

TEST(sealed_against_being_cut_short)
{
    int fd = memfd_create("seal", MFD_ALLOW_SEALING);

    assert_int_equal(fw_shm_grow_(fd, 2 * PAGE), 0);
    fw_shm_seal_(fd);
    assert_int_equal(ftruncate(fd, PAGE), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
    assert_int_equal(fw_shm_grow_(fd, 2 * PAGE), 0);
    assert_int_equal(fw_shm_grow_(fd, 3 * PAGE), EPERM);
    close(fd);
}

TEST(mapped)
{
    int fd = memfd_create("map", 0);
    void *a, *b;

    assert_int_equal(fw_shm_grow_(fd, PAGE), 0);
    assert_int_equal(fw_shm_map_(fd, PAGE, true, &a), 0);
    assert_int_equal(fw_shm_map_(fd, PAGE, false, &b), 0);
    *(char *)a = 7;
    assert_int_equal(*(char *)b, 7);
    fw_shm_unmap_(a, PAGE);
    fw_shm_unmap_(b, PAGE);
    close(fd);
    assert_int_equal(fw_shm_map_(fd, PAGE, true, &a), EBADF);
    assert_int_equal(fw_shm_page_() % PAGE, 0);
}

UNIT_MAIN(set_up, tear_down)
