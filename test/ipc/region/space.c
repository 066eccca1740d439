/* SPDX-License-Identifier: MIT */
/*
 * Where there is no space for a region, its maker is told so, and nobody dies of SIGBUS later on.
 * In file systems of the test's own: skipped where it may not mount any.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "processes.h"

enum { SPACE = 1 << 20, SIZE = FW_REGION_MIN_SIZE };

static char directory[64];

static void own_file_system(const char *type, const char *options)
{
    if (mount("none", directory, type, 0, options) != 0)
        skip("no file system may be mounted");
    CHECK(chdir(directory) == 0);
}

static void leave_file_system(void)
{
    CHECK(chdir("/") == 0);
    CHECK(umount(directory) == 0);
}

static uint64_t free_space(void)
{
    struct statvfs about;

    CHECK(statvfs(".", &about) == 0);
    return about.f_bavail * about.f_bsize;
}

static void use_all_of(fw_region *r)
{
    fw_ipc_mutex *m;
    void *object;

    CHECK(fw_region_mutex(r, "lock", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_ipc_mutex_lock(m) == 0);
    CHECK(fw_region_object(r, "rest", FW_REGION_DATA, 16384, FW_REGION_CREATE, &object) == 0);
    memset(object, 'x', 16384);
    for (size_t i = 0; i < fw_region_size(r); i += 4096)
        CHECK(((volatile char *)fw_region_base(r))[i] != 0 || i != 0);
    CHECK(fw_ipc_mutex_unlock(m) == 0);
}

static void too_large_then_smaller(void)
{
    uint64_t before = free_space();
    fw_region *r;

    CHECK(fw_region_open("./jobs", 8 * SPACE, FW_REGION_CREATE, &r) == ENOSPC);
    CHECK(free_space() == before);
    CHECK(fw_region_open("./jobs", SIZE, 0, &r) == ENOENT);
    CHECK(fw_region_open("./jobs", SIZE, FW_REGION_CREATE, &r) == 0);
    use_all_of(r);
    CHECK(fw_region_close(r) == 0);
}

static void until_it_is_full(void)
{
    unsigned made = 0;
    char name[32];
    fw_region *r;
    int error;

    for (;;) {
        snprintf(name, sizeof name, "./full%u", made);
        error = fw_region_open(name, SIZE, FW_REGION_CREATE, &r);
        if (error != 0)
            break;
        use_all_of(r);
        CHECK(fw_region_close(r) == 0);
        made++;
    }
    CHECK(error == ENOSPC && made > 4);
    CHECK(fw_region_open("./full0", SIZE, FW_REGION_CREATE, &r) == 0); /* those that are there */
    use_all_of(r);
    CHECK(fw_region_close(r) == 0);
    CHECK(fw_region_remove("./full1") == 0);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == 0); /* the file that was left */
    CHECK(fw_region_close(r) == 0);
}

/* A file that has its size, but not its storage. */
static void a_file_with_holes(void)
{
    int fd = open("./holes", O_RDWR | O_CREAT, 0600);
    fw_region *r;

    CHECK(fd >= 0 && ftruncate(fd, 8 * SPACE) == 0);
    CHECK(fw_region_open_fd(fd, 0, FW_REGION_CREATE, &r) == ENOSPC);
    close(fd);
}

/* ramfs has no fallocate(2). */
static void where_storage_cannot_be_reserved(void)
{
    fw_region *r;

    CHECK(fw_region_open("./jobs", SIZE, FW_REGION_CREATE, &r) == 0);
    use_all_of(r);
    CHECK(fw_region_close(r) == 0);
    CHECK(fw_region_open("./jobs", 0, 0, &r) == 0);
    CHECK(fw_region_close(r) == 0);
}

static void above_the_limit_of_files(void)
{
    struct rlimit small = {SIZE, SIZE};
    fw_region *r;

    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(fw_region_open("./limit", 2 * SIZE, FW_REGION_CREATE, &r) == EFBIG);
    CHECK(fw_region_open("./limit", SIZE, FW_REGION_CREATE, &r) == 0);
    use_all_of(r);
    CHECK(fw_region_close(r) == 0);
}

int main(void)
{
    char options[32];

    snprintf(directory, sizeof directory, "/tmp/furwock-space-%d", (int)getpid());
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        skip("no mount namespace of its own");
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        skip("no mounts of its own");
    CHECK(mkdir(directory, 0700) == 0);
    limit(60, "a region without space");
    snprintf(options, sizeof options, "size=%d", SPACE);
    own_file_system("tmpfs", options);
    too_large_then_smaller();
    until_it_is_full();
    a_file_with_holes();
    leave_file_system();
    own_file_system("ramfs", "");
    where_storage_cannot_be_reserved();
    above_the_limit_of_files();
    leave_file_system();
    CHECK(rmdir(directory) == 0);
    printf("no space: ENOSPC\n");
    return EXIT_SUCCESS;
}
