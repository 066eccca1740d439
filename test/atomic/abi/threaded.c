/* SPDX-License-Identifier: MIT */
#include "threaded.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *do_nothing(void *unused)
{
    for (;;)
        pause();
    return unused;
}

void become_multithreaded(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0) {
        perror("pthread_create");
        exit(2);
    }
    pthread_detach(thread);
}
