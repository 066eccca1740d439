/* SPDX-License-Identifier: MIT */
/*
 * Users of different accounts: a region has the permissions of a file, and a file that another user
 * made is refused.  As another user only root can act: skipped for all others.
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

enum { SIZE = FW_REGION_MIN_SIZE, OTHER_USER = 65534 };

static char name[64];

static void become_nobody(void)
{
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setgid(OTHER_USER) == 0 && setuid(OTHER_USER) == 0);
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

/*
 * With CREATE too, in a directory where anybody can make files (fs.protected_regular).  Root may
 * own what others use; that all may write to it is to be said.
 */
static void is_let_in(void *nothing)
{
    fw_ipc_mutex *m;
    fw_region *r;
    uid_t owner;

    (void)nothing;
    become_nobody();
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == EPERM);
    CHECK(fw_region_open(name, 0, 0600, &r) == EPERM);
    CHECK(fw_region_open(name, 0, 0, &r) == 0 && fw_region_close(r) == 0);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | 0666, &r) == 0);
    CHECK(fw_region_owner(r, &owner) == 0 && owner == 0);
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

struct squat {
    mode_t mode;
    bool is_region; /* else an empty file */
};

static void make_in_advance(void *arg)
{
    const struct squat *s = arg;
    char path[80];
    fw_region *r;

    become_nobody();
    snprintf(path, sizeof path, "/dev/shm%s", name);
    if (s->is_region)
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | s->mode, &r) == 0);
    else
        CHECK(close(open(path, O_RDWR | O_CREAT | O_EXCL, s->mode)) == 0);
}

/* Somebody makes the file before its users come, and own it: with whatever permissions. */
static void a_name_that_somebody_else_took(void)
{
    static const struct squat squats[] = {{0666, false}, {0600, false}, {0666, true}, {0600, true}};
    fw_region *r;
    uid_t owner;

    umask(0);
    for (unsigned i = 0; i < sizeof squats / sizeof *squats; i++) {
        struct squat s = squats[i];
        finish(start(make_in_advance, &s));
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | 0600, &r) == EPERM);
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | 0666, &r) == EPERM);
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_EXCLUSIVE, &r) == EPERM);
        CHECK(fw_region_open(name, 0, 0, &r) == EPERM);
        CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_SHARED, &r) == 0);
        CHECK(fw_region_owner(r, &owner) == 0 && owner == OTHER_USER);
        CHECK(fw_region_close(r) == 0);
        CHECK(fw_region_remove(name) == 0);
    }
}

/* Not followed, whoever made it and whatever is asked for. */
static void link_in_advance(void *nothing)
{
    char path[80];

    (void)nothing;
    become_nobody();
    snprintf(path, sizeof path, "/dev/shm%s", name);
    CHECK(symlink("/etc/passwd", path) == 0);
}

static void a_link_that_somebody_else_made(void)
{
    fw_region *r;

    finish(start(link_in_advance, NULL));
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | 0600, &r) == ELOOP);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE | FW_REGION_SHARED, &r) == ELOOP);
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
    a_name_that_somebody_else_took();
    a_link_that_somebody_else_made();
    printf("no permission: EACCES; a file of somebody else's: EPERM\n");
    return EXIT_SUCCESS;
}
