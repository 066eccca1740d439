/* SPDX-License-Identifier: MIT */
/*
 * The ways in which processes come to share a region: by name, by path, by a descriptor that was
 * inherited, sent, or passed on by exec, by a mapping of their own; at different addresses.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include "processes.h"

enum { SIZE = 4 * FW_REGION_MIN_SIZE, TIMES = 200, PARTNERS = 3 };

struct counter {
    long n;
};

/* Everybody counts that often, under the lock. */
static void count(fw_region *r)
{
    struct counter *c;
    fw_ipc_mutex *m;
    void *object;

    CHECK(fw_region_mutex(r, "lock", FW_REGION_CREATE, &m) == 0);
    CHECK(fw_region_object(r, "counter", FW_REGION_DATA, sizeof *c, FW_REGION_CREATE, &object) ==
          0);
    c = object;
    for (int i = 0; i < TIMES; i++) {
        CHECK(fw_ipc_mutex_lock(m) == 0);
        c->n++;
        CHECK(fw_ipc_mutex_unlock(m) == 0);
    }
}

static void expect(fw_region *r, long parties)
{
    struct counter *c;
    void *object;

    CHECK(fw_region_object(r, "counter", FW_REGION_DATA, 0, 0, &object) == 0);
    c = object;
    if (c->n != parties * TIMES)
        fail("counted %ld, not %ld", c->n, parties * TIMES);
    CHECK(fw_region_close(r) == 0);
}

static char name[80];
static int descriptor;

/* Each partner has other things mapped before, so the region comes to lie elsewhere. */
static void shift(void *who)
{
    size_t size = (1 + (uintptr_t)who) * 3 * SIZE;

    CHECK(mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void by_name(void *who)
{
    fw_region *r;

    shift(who);
    CHECK(fw_region_open(name, SIZE, FW_REGION_CREATE, &r) == 0);
    count(r);
    CHECK(fw_region_close(r) == 0);
}

static void by_descriptor(void *who)
{
    fw_region *r;

    shift(who);
    CHECK(fw_region_open_fd(descriptor, SIZE, FW_REGION_CREATE, &r) == 0);
    count(r);
    CHECK(fw_region_close(r) == 0);
}

static void all(void (*body)(void *))
{
    pid_t partners[PARTNERS];

    for (uintptr_t i = 0; i < PARTNERS; i++)
        partners[i] = start(body, (void *)i);
    for (unsigned i = 0; i < PARTNERS; i++)
        finish(partners[i]);
}

static void names_and_paths(void)
{
    static const char *const directories[] = {"", "."}; /* that of shm_open, and this one */
    fw_region *r;

    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/furwock-ways-%d", directories[i], (int)getpid());
        all(by_name);
        CHECK(fw_region_open(name, 0, 0, &r) == 0);
        expect(r, PARTNERS);
        CHECK(fw_region_remove(name) == 0);
    }
}

static void inherited(void)
{
    fw_region *r;

    descriptor = memfd_create("ways", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(descriptor >= 0);
    all(by_descriptor);
    CHECK(fw_region_open_fd(descriptor, 0, 0, &r) == 0);
    expect(r, PARTNERS);
    CHECK(ftruncate(descriptor, 4096) != 0 && errno == EPERM);
    close(descriptor);
}

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

static void send_descriptor(int socket, int fd)
{
    union control control = {{0}};
    char byte = 0;
    struct iovec io = {&byte, 1};
    struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1};

    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    CMSG_FIRSTHDR(&m)->cmsg_level = SOL_SOCKET;
    CMSG_FIRSTHDR(&m)->cmsg_type = SCM_RIGHTS;
    CMSG_FIRSTHDR(&m)->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof fd);
    CHECK(sendmsg(socket, &m, 0) == 1);
}

static int receive_descriptor(int socket)
{
    union control control;
    char byte;
    struct iovec io = {&byte, 1};
    struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1};
    int fd;

    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    CHECK(recvmsg(socket, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m) != NULL);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static int sockets[2];

static void by_socket(void *who)
{
    descriptor = receive_descriptor(sockets[1]);
    by_descriptor(who);
}

static void sent(void)
{
    fw_region *r;
    pid_t partner;
    int fd;

    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    partner = start(by_socket, NULL);
    fd = memfd_create("sent", MFD_CLOEXEC);
    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE | FW_REGION_EXCLUSIVE, &r) == 0);
    send_descriptor(sockets[0], fd);
    close(fd);
    count(r);
    finish(partner);
    expect(r, 2);
}

static void by_exec(void *fd)
{
    char number[16];

    snprintf(number, sizeof number, "%d", (int)(intptr_t)fd);
    execl("/proc/self/exe", "ways", number, (char *)NULL);
}

static void passed_on_by_exec(void)
{
    int fd = memfd_create("exec", 0);
    fw_region *r;
    pid_t partner;

    if (access("/proc/self/exe", X_OK) != 0)
        return;
    CHECK(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &r) == 0);
    partner = start(by_exec, (void *)(intptr_t)fd);
    count(r);
    finish(partner);
    expect(r, 2);
    close(fd);
}

static void *mapping;

static void by_mapping(void *who)
{
    fw_region *r;

    (void)who;
    CHECK(fw_region_adopt(mapping, SIZE, FW_REGION_CREATE, &r) == 0);
    count(r);
    CHECK(fw_region_close(r) == 0);
}

/* A piece of the user's own mapping; the user has the bytes around it. */
static void adopted(void)
{
    char *own = share(3 * SIZE);
    fw_region *r;

    memset(own, 'o', SIZE);
    memset(own + 2 * SIZE, 'o', SIZE);
    mapping = own + SIZE;
    all(by_mapping);
    CHECK(fw_region_adopt(mapping, SIZE, 0, &r) == 0);
    expect(r, PARTNERS);
    for (size_t i = 0; i < SIZE; i++)
        CHECK(own[i] == 'o' && own[2 * SIZE + i] == 'o');
    munmap(own, 3 * SIZE);
}

static void *open_close(void *who)
{
    for (int i = 0; i < TIMES; i++)
        by_descriptor(who);
    return NULL;
}

/* Threads of one process that open and close it as they like: it goes with the last. */
static void reopened(void)
{
    pthread_t threads[PARTNERS];
    fw_region *r;

    descriptor = memfd_create("reopened", MFD_CLOEXEC);
    CHECK(fw_region_open_fd(descriptor, SIZE, FW_REGION_CREATE, &r) == 0);
    for (uintptr_t i = 0; i < PARTNERS; i++)
        CHECK(pthread_create(&threads[i], NULL, open_close, (void *)i) == 0);
    for (unsigned i = 0; i < PARTNERS; i++)
        pthread_join(threads[i], NULL);
    expect(r, (long)PARTNERS * TIMES);
    for (int i = 0; i < TIMES; i++)
        by_descriptor(NULL);
    close(descriptor);
}

int main(int argc, char **argv)
{
    limit(100, "the ways to a region");
    if (argc > 1) {
        descriptor = atoi(argv[1]);
        by_descriptor(NULL);
        return EXIT_SUCCESS;
    }
    names_and_paths();
    inherited();
    sent();
    passed_on_by_exec();
    adopted();
    reopened();
    printf("shared in every way\n");
    return EXIT_SUCCESS;
}
