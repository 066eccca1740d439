/* SPDX-License-Identifier: MIT */
/* Uses generic atomics as C has them, and a lock of furwock's beside them if there is one. */
#include <stdatomic.h>
#include <stdio.h>

#ifdef WITH_MUTEX
#include <furwock.h>

static fw_mutex mutex = FW_MUTEX_INIT;
#endif

struct large {
    long value[5];
};

static _Atomic struct large object;

int main(void)
{
    struct large seen = object, next = {{1, 2, 3, 4, 5}};

#ifdef WITH_MUTEX
    fw_mutex_lock(&mutex);
#endif
    if (!atomic_compare_exchange_strong(&object, &seen, next))
        return 1;
    seen = atomic_exchange(&object, seen);
    if (seen.value[4] != 5)
        return 1;
#ifdef WITH_MUTEX
    fw_mutex_unlock(&mutex);
#endif
    puts("furwock is ready");
    return 0;
}
