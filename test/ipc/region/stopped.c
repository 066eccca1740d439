/* SPDX-License-Identifier: MIT */
/*
 * A process is stopped while it makes an object, or renews a stale region: others are told so after
 * five seconds (both at once here, asleep), and find what is there as ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "ipc/region/layout.h"
#include "processes.h"
#include "stale.h"
#include "sys/origin.h"

enum { SIZE = FW_REGION_MIN_SIZE };

static int fd; /* of the region */

static void make_an_object(void *nothing)
{
    fw_ipc_mutex *m;
    fw_region *r;

    (void)nothing;
    CHECK(fw_region_open_fd(fd, 0, 0, &r) == 0);
    CHECK(fw_region_mutex(r, "another", FW_REGION_CREATE, &m) == ETIMEDOUT);
    CHECK(fw_region_mutex(r, "m", FW_REGION_CREATE, &m) == 0); /* what is there is found */
}

static void renew_without_success(void *name)
{
    fw_region *r;

    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_RENEW, &r) == ETIMEDOUT);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == ESTALE);
}

int main(void)
{
    pid_t maker, renewer = 0;
    char name[64];
    int stale = -1;
    fw_ipc_mutex *m;
    fw_region *r;

    limit(110, "a process that waits for a stopped one");
    fd = memfd_create("stopped", MFD_CLOEXEC);
    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &r) == 0);
    CHECK(fw_region_mutex(r, "m", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_ipc_mutex_lock(&((struct fw_ipc_head_ *)fw_region_base(r))->naming) == 0);
    maker = start(make_an_object, NULL);
    snprintf(name, sizeof name, "/furwock-stopped-%d", (int)getpid());
    if (fw_boot_() != 0) {
        make_stale(name, SIZE);
        stale = shm_open(name, O_RDWR, 0);
        CHECK(flock(stale, LOCK_EX) == 0);
        renewer = start(renew_without_success, name);
    }
    finish(maker);
    if (renewer != 0) {
        finish(renewer);
        CHECK(flock(stale, LOCK_UN) == 0);
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_RENEW, &r) == 0);
        CHECK(fw_region_close(r) == 0 && fw_region_remove(name) == 0);
        close(stale);
    }
    close(fd);
    printf("others were told\n");
    return EXIT_SUCCESS;
}
