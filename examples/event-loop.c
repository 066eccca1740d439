/* SPDX-License-Identifier: MIT */
/*
 * An event loop whose clients share a lock with blocking threads: one thread, epoll, a thousand
 * clients, and no client ever blocks the loop.  A client that has to wait for the mutex costs 128
 * bytes; when it is the client's turn, a descriptor of the loop becomes readable, as a socket does.
 *
 *     $ cc -o event-loop event-loop.c $(pkg-config --cflags --libs furwock)
 *     $ ./event-loop
 *     1000 clients and a thread: 2000 entries, none is missing
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <furwock/await.h>

enum { CLIENTS = 1000, BY_THREAD = 1000 };

struct client {
    fw_await turn; /* first, so that the callback finds the rest */
    fw_task task;  /* the owner of what the client locks */
};

static fw_mutex lock;
static int written; /* how many entries the shared log has */
static fw_loop *loop;
static int finished;

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "event-loop: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

/* Has the mutex: called by fw_loop_run, or at once if it was free. */
static void write_entry(fw_await *turn, int error)
{
    struct client *c = (struct client *)turn;

    must(error, "the log");
    written++;
    fw_task_mutex_unlock(&lock, c->task); /* to the next client, or to the thread */
    fw_task_end(c->task);
    finished++;
}

static void ask(struct client *c)
{
    int error;

    must(fw_task_begin(&c->task), "task");
    fw_await_init(&c->turn, loop, c->task, write_entry);
    error = fw_await_mutex(&c->turn, &lock, NULL);
    if (error != EINPROGRESS)
        write_entry(&c->turn, error);
}

/* A thread with blocking calls, for the same lock. */
static void *block(void *start)
{
    eventfd_write(*(int *)start, 1); /* to the loop: clients come in */
    for (int i = 0; i < BY_THREAD; i++) {
        fw_mutex_lock(&lock);
        written++;
        fw_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static struct client clients[CLIENTS];
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC), start = eventfd(0, EFD_CLOEXEC);
    eventfd_t count;
    pthread_t thread;

    must(epoll < 0 || start < 0 ? errno : 0, "descriptors");
    must(fw_loop_create(&loop, NULL), "loop");
    event.data.fd = fw_loop_fd(loop);
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event) != 0 ? errno : 0, "epoll");
    event.data.fd = start;
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, start, &event) != 0 ? errno : 0, "epoll");
    pthread_create(&thread, NULL, block, &start);
    while (finished < CLIENTS) {
        if (epoll_wait(epoll, &event, 1, -1) != 1)
            continue;
        if (event.data.fd == start) {
            eventfd_read(start, &count);
            for (int i = 0; i < CLIENTS; i++)
                ask(&clients[i]);
        } else {
            fw_loop_run(loop, 0);
        }
    }
    pthread_join(thread, NULL);
    must(fw_loop_destroy(loop), "loop");
    printf("%d clients and a thread: %d entries, %s\n", CLIENTS, written,
           written == CLIENTS + BY_THREAD ? "none is missing" : "some are missing");
    close(start);
    close(epoll);
    return 0;
}
