/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_KMOD_DEVICE_H
#define FW_TEST_KMOD_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <furwock/kernel.h>

/* A descriptor of the device, open in all cases. */
extern int device;

/* The file of the module, which is loaded; NULL: it was there before. */
extern const char *module_file;

/* Load and unload it: 0 or a negative errno. */
int module_load(const char *options);
int module_unload(void);

/*
 * Calls `run` with the module loaded, from this file where it is not (NULL: from none), and unloads
 * it again.  The status of a test: that of `run`, 77 where there is no module, or 1.
 */
int with_module(const char *file, int (*run)(void));

/* An ioctl: its result, or a negative errno. */
long call(int fd, unsigned long number, void *argument);

/* Calls with what most of them have.  FLAGS are those of the call. */
struct fw_kernel_wait waits(const uint32_t *word, uint32_t expected, uint32_t flags);
long wait_for(unsigned long number, const uint32_t *word, uint32_t expected, uint32_t flags);
long wake(unsigned long number, const uint32_t *word, uint32_t count, uint32_t flags);

int64_t now_ns(int clock);

enum { MS = 1000000 };

/* A thread that makes a call which waits. */
struct waiter {
    unsigned long number;
    struct fw_kernel_wait wait;
    long result;
    pid_t tid;
    bool done;
    unsigned order; /* when it was done: 1 is the first */
    pthread_t thread;
};

/* Returns when it sleeps in the kernel, or is done. */
void waiter_start(struct waiter *w);
void waiters_start(struct waiter *w, unsigned n, unsigned long number,
                   const struct fw_kernel_wait *wait);
bool waiter_is_done(const struct waiter *w);
long waiter_join(struct waiter *w);

/* Waits until the condition holds: forever if it never does. */
#define AWAIT(condition)     \
    do {                     \
        while (!(condition)) \
            usleep(1000);    \
    } while (0)

/* A word in shared memory, zero. */
uint32_t *shared_word(void);

/* A child that runs this, and ends with 0 as its status; join returns the status. */
pid_t child_start(void (*run)(void *), void *argument);
int child_join(pid_t child);

#endif
