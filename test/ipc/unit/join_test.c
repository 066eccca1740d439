/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "ipc/region/join.h"
#include "sys/origin.h"
#include "sys/region_file.h"
#include "unit.h"

/* src/ipc/region/join.c: from a file in any state to a region, or to an error that says why not. */

enum { SIZE = 131072, MAKE = FW_REGION_CREATE, ALONE = FW_REGION_CREATE | FW_REGION_EXCLUSIVE };

static int file(void)
{
    int fd = memfd_create("region", MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    return fd;
}

static int join(int fd, size_t size, unsigned flags, uint64_t *found)
{
    struct fw_ipc_joined_ j;
    int error = fw_ipc_join_file_(fd, size, flags, &j);

    if (error == 0) {
        *found = j.plan.size;
        fw_shm_unmap_(j.base, (size_t)j.plan.size);
    }
    return error;
}

/* Puts n bytes of a region's file elsewhere. */
static int copy_of(int from, size_t n)
{
    char bytes[4096];
    int fd = file();

    for (size_t at = 0; at < n; at += sizeof bytes) {
        size_t part = n - at < sizeof bytes ? n - at : sizeof bytes;
        assert_true(pread(from, bytes, sizeof bytes, (off_t)at) == (ssize_t)sizeof bytes);
        assert_true(pwrite(fd, bytes, part, (off_t)at) == (ssize_t)part);
    }
    return fd;
}

TEST(made_joined_and_refused)
{
    int fd = file();
    uint64_t size = 0;

    assert_int_equal(join(fd, SIZE, 0, &size), ENOENT);
    assert_int_equal(join(fd, SIZE, ALONE, &size), 0);
    assert_int_equal(size, SIZE);
    assert_int_equal(join(fd, SIZE, ALONE, &size), EEXIST);
    assert_int_equal(join(fd, SIZE / 2, MAKE, &size), 0);
    assert_int_equal(size, SIZE);
    assert_int_equal(join(fd, SIZE + 1, MAKE, &size), EPROTO);
    assert_int_equal(join(fd, 0, 0, &size), 0);
    assert_int_equal(ftruncate(fd, SIZE / 2), -1); /* sealed */
    close(fd);
    assert_int_equal(join(fd, SIZE, MAKE, &size), EBADF);
}

TEST(sizes)
{
    int fd = file();
    uint64_t size = 0;

    assert_int_equal(join(fd, 0, MAKE, &size), EINVAL);
    assert_int_equal(join(fd, 4096, MAKE, &size), EINVAL);
    assert_int_equal(join(fd, SIZE_MAX, MAKE, &size), EINVAL);
    assert_int_equal(join(fd, SIZE - 4095, MAKE, &size), 0);
    assert_int_equal(size, SIZE);
    close(fd);
    fd = file(); /* a file that has its size */
    assert_int_equal(ftruncate(fd, SIZE + 100), 0);
    assert_int_equal(join(fd, 0, MAKE, &size), 0);
    assert_int_equal(size, SIZE);
    close(fd);
}

TEST(storage_from_the_beginning)
{
    int fd = file();
    uint64_t size = 0;
    struct stat about;

    assert_int_equal(join(fd, SIZE, MAKE, &size), 0);
    assert_int_equal(fstat(fd, &about), 0);
    assert_true(about.st_blocks * 512 >= SIZE);
    close(fd);
}

TEST(what_is_no_region)
{
    int fd = file(), end[2];
    uint64_t size;

    assert_int_equal(write(fd, "some text\n", 10), 10);
    assert_int_equal(join(fd, SIZE, 0, &size), EUCLEAN);
    assert_int_equal(join(fd, SIZE, MAKE, &size), EUCLEAN);
    assert_int_equal(lseek(fd, 0, SEEK_END), 10); /* left alone */
    close(fd);
    fd = file();
    assert_int_equal(pwrite(fd, "x", 1, 5000), 1);
    assert_int_equal(join(fd, SIZE, MAKE, &size), EUCLEAN);
    close(fd);
    assert_int_equal(pipe(end), 0);
    assert_int_equal(join(end[0], SIZE, MAKE, &size), ENOTSUP);
    close(end[0]);
    close(end[1]);
}

TEST(cut_short)
{
    static const size_t lengths[] = {1, 7, 8, 40, 79, 80, 200, 4096, 65536, SIZE - 1};
    int whole = file();
    uint64_t size = 0;

    assert_int_equal(join(whole, SIZE, MAKE, &size), 0);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int fd = copy_of(whole, lengths[i]);
        assert_int_equal(join(fd, SIZE, 0, &size), EUCLEAN);
        assert_int_equal(join(fd, SIZE, MAKE, &size), EUCLEAN);
        close(fd);
    }
    close(whole);
}

/* Killed between the plan and the magic: everybody can complete it, not only makers. */
TEST(begun_and_left)
{
    uint64_t nothing = 0, size = 0;
    int fd = file();

    assert_int_equal(join(fd, SIZE, MAKE, &size), 0);
    assert_int_equal(pwrite(fd, &nothing, 8, 0), 8);
    assert_int_equal(join(fd, SIZE, ALONE, &size), EEXIST);
    assert_int_equal(join(fd, 0, 0, &size), 0);
    assert_int_equal(size, SIZE);
    close(fd);
}

TEST(from_before_the_last_start)
{
    struct fw_ipc_joined_ j;
    struct fw_ipc_head_ *head;
    uint64_t size;
    int fd = file();

    assert_int_equal(fw_ipc_join_file_(fd, SIZE, MAKE, &j), 0);
    head = j.base;
    head->boot ^= 2;
    head->check = fw_hash_(FW_HASH_START_, head, offsetof(struct fw_ipc_head_, check));
    assert_int_equal(join(fd, 0, 0, &size), fw_boot_() == 0 ? 0 : ESTALE);
    head->format = 9; /* which says of what boot it is, too */
    assert_int_equal(join(fd, 0, 0, &size), fw_boot_() == 0 ? EPROTO : ESTALE);
    head->boot ^= 2;
    assert_int_equal(join(fd, 0, 0, &size), EPROTO);
    fw_shm_unmap_(j.base, SIZE);
    close(fd);
}

TEST(permissions_of_the_descriptor)
{
    char path[64];
    int fd = file(), reader;
    uint64_t size = 0;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    reader = open(path, O_RDONLY);
    if (reader < 0)
        skip(); /* no /proc */
    assert_int_equal(join(reader, SIZE, MAKE, &size), EACCES);
    assert_int_equal(join(fd, SIZE, MAKE, &size), 0);
    assert_int_equal(join(reader, SIZE, 0, &size), EACCES);
    close(reader);
    close(fd);
    fd = file();
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
    assert_int_equal(join(fd, SIZE, MAKE, &size), EPERM);
    close(fd);
}

TEST(in_memory)
{
    char *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct fw_ipc_joined_ j;

    assert_ptr_not_equal(m, MAP_FAILED);
    assert_int_equal(fw_ipc_join_memory_(NULL, SIZE, MAKE, &j), EINVAL);
    assert_int_equal(fw_ipc_join_memory_(m + 64, SIZE - 64, MAKE, &j), EINVAL);
    assert_int_equal(fw_ipc_join_memory_(m, 4096, MAKE, &j), EINVAL);
    assert_int_equal(fw_ipc_join_memory_(m, SIZE_MAX, MAKE, &j), EINVAL);
    assert_int_equal(fw_ipc_join_memory_(m, SIZE, 0, &j), ENOENT);
    assert_int_equal(fw_ipc_join_memory_(m, SIZE / 2 + 100, ALONE, &j), 0);
    assert_int_equal(j.plan.size, SIZE / 2);
    assert_int_equal(fw_ipc_join_memory_(m, SIZE, ALONE, &j), EEXIST);
    assert_int_equal(fw_ipc_join_memory_(m, SIZE, MAKE, &j), 0);
    assert_int_equal(j.plan.size, SIZE / 2);
    munmap(m, SIZE);
}

UNIT_MAIN(NULL, NULL)
