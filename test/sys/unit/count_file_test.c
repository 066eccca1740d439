/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/count_file.h"
#include "test/support/unit.h"

/* src/sys/count_file.c, with the real kernel. */

enum { SIZE = 1 << 20 };

static char path[64], other[64];

static int set_up(void)
{
    snprintf(path, sizeof path, "/dev/shm/furwock-count-%d", (int)getpid());
    snprintf(other, sizeof other, "/dev/shm/furwock-count-%d.copy", (int)getpid());
    return 0;
}

static void tear_down(void)
{
    unlink(path);
    unlink(other);
}

TEST(made_once_and_only_for_the_user)
{
    struct stat about;
    void *base, *again;

    assert_int_equal(fw_count_file_make_(path, SIZE, &base), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(about.st_size, SIZE);
    assert_int_equal(fw_count_file_make_(path, SIZE, &again), EEXIST);
    assert_int_equal(fw_count_file_make_("/dev/shm/not/there", SIZE, &again), ENOENT);
}

TEST(what_is_written_is_in_the_file)
{
    char read_back[6] = "";
    void *base;
    int fd;

    unlink(path);
    assert_int_equal(fw_count_file_make_(path, SIZE, &base), 0);
    memcpy((char *)base + SIZE - 8, "figure", 6);
    fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, read_back, 6, SIZE - 8), 6);
    assert_memory_equal(read_back, "figure", 6);
    close(fd);
}

TEST(storage_is_taken_when_asked_for)
{
    struct stat before, after;
    void *base;

    unlink(path);
    assert_int_equal(fw_count_file_make_(path, SIZE, &base), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_true(before.st_blocks * 512 < SIZE);
    assert_int_equal(fw_count_file_reserve_(base, SIZE), 0);
    assert_int_equal(stat(path, &after), 0);
    if (after.st_blocks * 512 < SIZE)
        skip(); /* a kernel that cannot */
    assert_int_equal(*(char *)base, 0);
}

/* The file has been cut short: writing to it would end the process. */
TEST(no_storage_is_an_answer)
{
    void *base;
    int error;

    unlink(path);
    assert_int_equal(fw_count_file_make_(path, SIZE, &base), 0);
    assert_int_equal(truncate(path, 0), 0);
    error = fw_count_file_reserve_(base, SIZE);
    if (error == 0)
        skip(); /* a kernel that cannot */
    assert_int_equal(error, EFAULT);
}

static void note(const char *bytes, size_t n, void *arg)
{
    (void)bytes;
    *(size_t *)arg += n;
}

TEST(copies_are_appended)
{
    struct stat about;
    size_t seen = 0, twice = 0;

    unlink(other);
    assert_int_equal(fw_count_file_append_("/proc/self/maps", other, note, &seen), 0);
    assert_true(seen > 100);
    assert_int_equal(fw_count_file_append_("/proc/self/maps", other, note, &twice), 0);
    assert_int_equal(stat(other, &about), 0);
    assert_int_equal(about.st_size, seen + twice);
    assert_int_equal(fw_count_file_append_("/not/there", other, note, &twice), ENOENT);
    assert_int_equal(fw_count_file_append_("/proc/self/maps", "/not/there", note, &twice), ENOENT);
}

TEST(errno_is_left_alone)
{
    void *base;

    errno = 77;
    fw_count_file_make_("/dev/shm/not/there", SIZE, &base);
    assert_int_equal(errno, 77);
}

TEST(name_of_the_thread)
{
    char name[16];

    prctl(PR_SET_NAME, "counter");
    fw_thread_name_(name);
    assert_string_equal(name, "counter");
}

UNIT_MAIN(set_up, tear_down)
