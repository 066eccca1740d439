/* SPDX-License-Identifier: MIT */
#include "watchdog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum { NS_PER_S = 1000000000, LINE = 256 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t stopped;
    pthread_t thread;
    int stop;
    struct timespec until;
    const char *what;
    const void *memory;
    size_t size;
    void (*dump)(void *);
    void *arg;
} dog = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void show_memory(void)
{
    const unsigned char *bytes = dog.memory;

    fprintf(stderr, "  memory at %p:", dog.memory);
    for (size_t i = 0; i + sizeof(uint32_t) <= dog.size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        fprintf(stderr, " %08x", word);
    }
    fputc('\n', stderr);
}

/* The first line of /proc/self/task/TASK/FILE. */
static void read_task(const char *task, const char *file, char line[LINE])
{
    char path[LINE];
    ssize_t got = -1;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", task, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, line, LINE - 1);
        close(fd);
    }
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

static void show_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int shown = 0;

    while (tasks != NULL && (entry = readdir(tasks)) != NULL && shown < 64) {
        char call[LINE], where[LINE];
        if (entry->d_name[0] == '.')
            continue;
        read_task(entry->d_name, "syscall", call);
        read_task(entry->d_name, "wchan", where);
        fprintf(stderr, "  thread %s: in %s; call %s\n", entry->d_name, where, call);
        shown++;
    }
    if (tasks != NULL)
        closedir(tasks);
}

static void *watch(void *unused)
{
    int error = 0;

    (void)unused;
    pthread_mutex_lock(&dog.mutex);
    while (!dog.stop && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&dog.stopped, &dog.mutex, &dog.until);
    int stop = dog.stop;
    pthread_mutex_unlock(&dog.mutex);
    if (stop)
        return NULL;

    fprintf(stderr, "watchdog: time is up: %s\n", dog.what);
    if (dog.memory != NULL)
        show_memory();
    show_threads();
    if (dog.dump != NULL)
        dog.dump(dog.arg);
    abort();
}

/*
 * By the clock of dog.until: musl has no pthread_cond_clockwait.  Once: a test that has failed may
 * have left a watchdog that waits for it.
 */
static void make_stopped(void)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&dog.stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void watchdog_start(unsigned seconds, const char *what, const void *memory, size_t size,
                    void (*dump)(void *), void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_stopped);
    dog.stop = 0;
    dog.until = clock_in_ns((int64_t)seconds * NS_PER_S);
    dog.what = what;
    dog.memory = memory;
    dog.size = size;
    dog.dump = dump;
    dog.arg = arg;
    if (pthread_create(&dog.thread, NULL, watch, NULL) != 0) {
        fprintf(stderr, "watchdog: no thread\n");
        abort();
    }
}

void watchdog_stop(void)
{
    pthread_mutex_lock(&dog.mutex);
    dog.stop = 1;
    pthread_cond_signal(&dog.stopped);
    pthread_mutex_unlock(&dog.mutex);
    pthread_join(dog.thread, NULL);
}
