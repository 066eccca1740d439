/* SPDX-License-Identifier: MIT */
/*
 * Users of different accounts: a region has the permissions of a file.  As another user only root
 * can act: skipped for all others.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "processes.h"

enum { SIZE = FW_REGION_LEAST, NOBODY = 65534 };

static char name[64];

static void become_nobody(void)
{
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static void is_refused(void *nothing)
{
    fw_region *r;

    (void)nothing;
    become_nobody();
    CHECK(fw_region_open(name, 0, 0, &r) == EACCES);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == EACCES);
    CHECK(fw_region_open("/root/furwock/jobs", SIZE, FW_REGION_CREATE, &r) == EACCES);
    CHECK(fw_region_open("/furwock-not-there/jobs", SIZE, FW_REGION_CREATE, &r) == ENOENT);
    CHECK(fw_region_remove(name) == EACCES || fw_region_remove(name) == EPERM);
}

/* With CREATE too, in a directory where anybody can make files (fs.protected_regular). */
static void is_let_in(void *nothing)
{
    fw_ipc_mutex *m;
    fw_region *r;

    (void)nothing;
    become_nobody();
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == 0);
    CHECK(fw_region_mutex(r, "lock", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_ipc_mutex_lock(m) == 0); /* and dies with it */
}

static void between_users(void)
{
    fw_ipc_mutex *m;
    fw_region *r;

    umask(0);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | 0666, &r) == 0);
    finish(start(is_let_in, NULL));
    CHECK(fw_region_mutex(r, "lock", 0, &m) == 0);
    CHECK(fw_ipc_mutex_lock(m) == EOWNERDEAD);
    CHECK(fw_ipc_mutex_consistent(m) == 0 && fw_ipc_mutex_unlock(m) == 0);
    CHECK(fw_region_close(r) == 0);
    CHECK(fw_region_remove(name) == 0);
}

int main(void)
{
    static const unsigned refusing[] = {0600, 0640, 0644, 0604, 0602};
    fw_region *r;

    if (geteuid() != 0)
        skip("not root: cannot be somebody else");
    limit(60, "a region of another user");
    snprintf(name, sizeof name, "/furwock-users-%d", (int)getpid());
    umask(0);
    for (unsigned i = 0; i < sizeof refusing / sizeof *refusing; i++) {
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | refusing[i], &r) == 0);
        CHECK(fw_region_close(r) == 0);
        finish(start(is_refused, NULL));
        CHECK(fw_region_remove(name) == 0);
    }
    between_users();
    printf("no permission: EACCES\n");
    return EXIT_SUCCESS;
}
