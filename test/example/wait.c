/* SPDX-License-Identifier: MIT */
#include <furwock/mutex.h>

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

int enter(fw_mutex *m);

#include "wait_example.h"

/* Two threads enter, patiently. */

enum { TIMES = 20000 };

static fw_mutex lock = FW_MUTEX_INIT;
static long entered;

static void *visit(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        if (enter(&lock) != 0)
            abort();
        entered++;
        fw_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t other;

    if (pthread_create(&other, NULL, visit, NULL) != 0)
        return EXIT_FAILURE;
    visit(NULL);
    pthread_join(other, NULL);
    return entered == 2L * TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
