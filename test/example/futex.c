/* SPDX-License-Identifier: MIT */
#include <furwock/futex.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int await_flag(const fw_deadline *d);
void raise_flag(void);

#include "futex_example.h"

/* One wait that nobody ends, and one that another thread does. */

static void *raise_soon(void *unused)
{
    usleep(10000);
    raise_flag();
    return unused;
}

int main(void)
{
    fw_deadline past = {{0, 0}, CLOCK_MONOTONIC}, late = {{0, 0}, CLOCK_MONOTONIC};
    pthread_t other;

    clock_gettime(CLOCK_MONOTONIC, &late.at);
    late.at.tv_sec += 60;
    if (await_flag(&past) != ETIMEDOUT)
        return EXIT_FAILURE;
    if (pthread_create(&other, NULL, raise_soon, NULL) != 0)
        return EXIT_FAILURE;
    if (await_flag(&late) != 0 || await_flag(NULL) != 0)
        return EXIT_FAILURE;
    pthread_join(other, NULL);
    return EXIT_SUCCESS;
}
