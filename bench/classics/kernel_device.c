/* SPDX-License-Identifier: MIT */
#include "kernel_device.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/panic.h"

static struct {
    int fd;
    char missing[160];
} device = {.fd = -1};

static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_device(void)
{
    struct fw_kernel_version version = {.size = sizeof version};

    device.fd = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    if (device.fd < 0)
        snprintf(device.missing, sizeof device.missing, "%s: %s%s", FW_KERNEL_DEVICE,
                 strerror(errno), errno == ENOENT ? " (furwock kernel load)" : "");
    else if (ioctl(device.fd, FW_KERNEL_VERSION, &version) < 0)
        snprintf(device.missing, sizeof device.missing, "%s is of another kind: %s",
                 FW_KERNEL_DEVICE, strerror(errno));
    else if (version.interface != FW_KERNEL_INTERFACE)
        snprintf(device.missing, sizeof device.missing,
                 "%s has interface %u, not %u: load the module that belongs to this build",
                 FW_KERNEL_DEVICE, version.interface, (unsigned)FW_KERNEL_INTERFACE);
    else
        return;
    if (device.fd >= 0)
        close(device.fd);
    device.fd = -1;
}

const char *kernel_device_missing(void)
{
    pthread_once(&opened, open_device);
    return device.fd < 0 ? device.missing : NULL;
}

int kernel_device_call(unsigned long number, void *argument)
{
    int result;

    if (kernel_device_missing() != NULL)
        fw_panic_errno_("lock in the kernel", ENODEV);
    result = ioctl(device.fd, number, argument);
    if (result >= 0)
        return result;
    switch (errno) {
    case EAGAIN: /* the word was another */
    case EINTR:
    case ETIMEDOUT:
    case EFAULT: /* its memory is there no more */
    case EDEADLK:
    case EPERM:
    case EOWNERDEAD:
    case EOVERFLOW:
        return -errno;
    default:
        fw_panic_errno_("lock in the kernel", errno);
    }
}

int kernel_device_wait(unsigned long number, const uint32_t *word, uint32_t expected,
                       uint32_t flags, int64_t deadline)
{
    struct fw_kernel_wait wait = {.size = sizeof wait,
                                  .flags = flags,
                                  .word = (uintptr_t)word,
                                  .expected = expected,
                                  .deadline = deadline};
    int result;

    do {
        result = kernel_device_call(number, &wait);
    } while (result == -EINTR);
    return result;
}

int kernel_device_wake(unsigned long number, const uint32_t *word, uint32_t n, uint32_t flags,
                       uint32_t semaphore)
{
    struct fw_kernel_wake wake = {.size = sizeof wake,
                                  .flags = flags,
                                  .word = (uintptr_t)word,
                                  .count = n,
                                  .number = semaphore};
    int result = kernel_device_call(number, &wake);

    return result == -EFAULT ? 0 : result;
}
