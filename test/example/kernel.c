/* SPDX-License-Identifier: MIT */
#include <furwock/kernel.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

int await_flag(const uint32_t *flag);
int raise_flag(uint32_t *flag);

#include "kernel_example.h"

static uint32_t flag;

static void *wait_for_it(void *result)
{
    *(int *)result = await_flag(&flag);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int result = -1;

    fd = open(FW_KERNEL_DEVICE, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        printf("skipped: %s: %s (the module is not loaded)\n", FW_KERNEL_DEVICE, strerror(errno));
        return 77;
    }
    if (pthread_create(&thread, NULL, wait_for_it, &result) != 0)
        return EXIT_FAILURE;
    if (raise_flag(&flag) != 0)
        return EXIT_FAILURE;
    pthread_join(thread, NULL);
    return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
