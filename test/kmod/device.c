/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"
#include "test/support/asleep.h"

int device = -1;
const char *module_file;

int module_load(const char *options)
{
    int fd = open(module_file, O_RDONLY | O_CLOEXEC);
    int error = 0;

    if (fd < 0)
        return -errno;
    if (syscall(SYS_finit_module, fd, options, 0) != 0)
        error = -errno;
    close(fd);
    return error;
}

int module_unload(void)
{
    return syscall(SYS_delete_module, "furwock", O_NONBLOCK) == 0 ? 0 : -errno;
}

int with_module(const char *file, int (*run)(void))
{
    int error = -ENOENT, status, fd;

    module_file = file != NULL && access(file, R_OK) == 0 ? file : NULL;
    if (access(FW_KERNEL_DEVICE, F_OK) == 0)
        module_file = NULL;
    else if (module_file != NULL)
        error = module_load("mode=0666");
    fd = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    if (fd < 0 && module_file != NULL && error != -EPERM) {
        printf("Bail out! %s: %s\n", module_file, strerror(-error));
        return 1;
    }
    if (fd < 0) {
        printf("1..0 # SKIP no %s: %s\n", FW_KERNEL_DEVICE, strerror(errno));
        return 77;
    }
    close(fd);
    status = run();
    if (module_file != NULL && (error = module_unload()) != 0) {
        printf("# the module is not unloaded in the end: %s\n", strerror(-error));
        status = 1;
    }
    return status;
}

long call(int fd, unsigned long number, void *argument)
{
    int result = ioctl(fd, number, argument);

    return result < 0 ? -errno : result;
}

struct fw_kernel_wait waits(const uint32_t *word, uint32_t expected, uint32_t flags)
{
    return (struct fw_kernel_wait){.size = sizeof(struct fw_kernel_wait),
                                   .flags = flags,
                                   .word = (uintptr_t)word,
                                   .expected = expected,
                                   .deadline = FW_KERNEL_NEVER};
}

long wait_for(unsigned long number, const uint32_t *word, uint32_t expected, uint32_t flags)
{
    struct fw_kernel_wait wait = waits(word, expected, flags);

    return call(device, number, &wait);
}

long wake(unsigned long number, const uint32_t *word, uint32_t count, uint32_t flags)
{
    struct fw_kernel_wake wake = {
        .size = sizeof wake, .flags = flags, .word = (uintptr_t)word, .count = count};

    return call(device, number, &wake);
}

int64_t now_ns(int clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

static unsigned done_so_far;

static void *run(void *argument)
{
    struct waiter *w = argument;

    __atomic_store_n(&w->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    w->result = call(device, w->number, &w->wait);
    w->order = __atomic_add_fetch(&done_so_far, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    return NULL;
}

bool waiter_is_done(const struct waiter *w)
{
    return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE);
}

void waiter_start(struct waiter *w)
{
    pid_t tid;

    w->done = false;
    w->tid = 0;
    CHECK(pthread_create(&w->thread, NULL, run, w) == 0);
    AWAIT((tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE)) != 0);
    AWAIT(waiter_is_done(w) || is_asleep(tid));
}

void waiters_start(struct waiter *w, unsigned n, unsigned long number,
                   const struct fw_kernel_wait *wait)
{
    for (unsigned i = 0; i < n; i++) {
        w[i].number = number;
        w[i].wait = *wait;
        waiter_start(&w[i]);
    }
}

long waiter_join(struct waiter *w)
{
    pthread_join(w->thread, NULL);
    return w->result;
}

uint32_t *shared_word(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(page != MAP_FAILED);
    return page;
}

pid_t child_start(void (*run_child)(void *), void *argument)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run_child(argument);
        fflush(stdout);
        _Exit(0);
    }
    return child;
}

int child_join(pid_t child)
{
    int status = 0;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
