/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "name_fixture.h"

/* src/ipc/region/region.c: whose file is believed.  (Other users: test/ipc/region/accounts.c) */

enum { SIZE = FW_REGION_MIN_SIZE, MAKE = FW_REGION_CREATE };

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
