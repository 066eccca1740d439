/* SPDX-License-Identifier: MIT */
#include <furwock/ipc/interrupt.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/region.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

int lock_unless_stopped(fw_ipc_mutex *m);
void stop(void);

#include "ipc_interrupt_example.h"

static void *wait_for_it(void *m)
{
    return (void *)(intptr_t)lock_unless_stopped(m);
}

/* A thread waits for a mutex that is never released, and is asked to stop. */
int main(void)
{
    void *memory =
        mmap(NULL, FW_REGION_MIN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fw_region *region;
    fw_ipc_mutex *m;
    pthread_t thread;
    void *error;

    if (memory == MAP_FAILED ||
        fw_region_adopt(memory, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_mutex(region, "lock", FW_REGION_CREATE, &m) != 0 || fw_ipc_mutex_lock(m) != 0 ||
        pthread_create(&thread, NULL, wait_for_it, m) != 0)
        return EXIT_FAILURE;
    stop(); /* it waits by now, or will not */
    if (pthread_join(thread, &error) != 0 || (intptr_t)error != ECANCELED ||
        fw_ipc_mutex_unlock(m) != 0)
        return EXIT_FAILURE;
    return lock_unless_stopped(m) == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* it can be had at once */
}
