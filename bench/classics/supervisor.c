/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What goes over the socket: a request and its answer, one datagram each. */
struct request {
    enum { REQUEST_MAKE, REQUEST_REMOVE } what;
    int value; /* make's argument, or a handle */
};

/* One datagram; false where the other end is gone, or the socket broken, which means the same. */
static bool receive(int socket, void *data, size_t size)
{
    ssize_t received;
    do
        received = recv(socket, data, size, 0);
    while (received < 0 && errno == EINTR);
    return received == (ssize_t)size;
}

/* --- In the supervisor: no allocation, no stdio ----------------------------------------------- */

struct store {
    const struct supervisor_ops *ops;
    unsigned n;
    int handles[SUPERVISOR_MAX];
};

static int store_make(struct store *s, int arg)
{
    if (s->n == SUPERVISOR_MAX)
        return -ENOSPC;
    int handle = s->ops->make(arg);
    if (handle >= 0)
        s->handles[s->n++] = handle;
    return handle;
}

static int store_remove(struct store *s, int handle)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->handles[i] == handle) {
            s->ops->remove_(handle);
            s->handles[i] = s->handles[--s->n];
            return 0;
        }
    return -ENOENT;
}

static _Noreturn void keep(int socket, const struct supervisor_ops *ops)
{
    static struct store s; /* too big for a thread's stack */
    struct request r;

    s.ops = ops;
    while (receive(socket, &r, sizeof r)) {
        int answer = r.what == REQUEST_MAKE ? store_make(&s, r.value) : store_remove(&s, r.value);
        (void)send(socket, &answer, sizeof answer, MSG_NOSIGNAL); /* to a client killed just now */
    }
    while (s.n > 0)
        ops->remove_(s.handles[--s.n]);
    _exit(0);
}

/* Keeps nothing open but the socket, as descriptor 0: not the clients' end, and nobody's pipe. */
static void keep_only(int socket)
{
    enum { FIRST = STDIN_FILENO + 1 };
    if (dup2(socket, STDIN_FILENO) < 0)
        _exit(1); /* the client reads the end of the socket as EPIPE */
    if (close_range(FIRST, UINT_MAX, 0) == 0)
        return;
    /* Linux before 5.9. */
    for (int fd = FIRST, end = (int)sysconf(_SC_OPEN_MAX); fd < end; fd++)
        close(fd);
}

/* In the first child, all signals blocked: forks the supervisor, and orphans it. */
static _Noreturn void become_supervisor(int socket, const struct supervisor_ops *ops)
{
    setsid();
    pid_t pid = fork();
    if (pid != 0)
        _exit(pid < 0 ? errno : 0);
    prctl(PR_SET_NAME, ops->name);
    keep_only(socket);
    keep(STDIN_FILENO, ops);
}

/* --- In the client ---------------------------------------------------------------------------- */

/* A fork whose child has all signals blocked from its first instruction. */
static pid_t fork_deaf(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    int error = errno;
    if (pid != 0)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

/* 0, or what kept the first child from forking. */
static int reap(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0; /* somebody else's wait() was first: nothing is known, requests will tell */
    return WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

int supervisor_start(struct supervisor *k, const struct supervisor_ops *ops)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;

    pid_t pid = fork_deaf();
    if (pid == 0)
        become_supervisor(ends[1], ops);
    int error = pid < 0 ? errno : reap(pid);

    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    k->socket = ends[0];
    k->client = getpid();
    return 0;
}

static int ask(struct supervisor *k, struct request r)
{
    if (k->client != getpid())
        return -EPERM;
    if (send(k->socket, &r, sizeof r, MSG_NOSIGNAL) < 0)
        return -EPIPE;

    int answer;
    return receive(k->socket, &answer, sizeof answer) ? answer : -EPIPE;
}

int supervisor_make(struct supervisor *k, int arg)
{
    return ask(k, (struct request){REQUEST_MAKE, arg});
}

int supervisor_remove(struct supervisor *k, int handle)
{
    return ask(k, (struct request){REQUEST_REMOVE, handle});
}

void supervisor_stop(struct supervisor *k)
{
    close(k->socket);
    k->socket = -1;
    k->client = 0;
}
