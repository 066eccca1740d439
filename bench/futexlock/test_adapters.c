/* SPDX-License-Identifier: MIT */
/* For the tests of futexlock itself: a lock, and one that lets everybody in. */
#include <pthread.h>

#include "bench/adapters/adapter_define.h"

ADAPTER_ZERO_IS_FREE(any)
ADAPTER_LOCKS(good, pthread_mutex_t, pthread_mutex_lock(l), pthread_mutex_unlock(l))
ADAPTER_LOCKS(open, int, (void)l, (void)l)

static const struct adapter good = {
    .name = "furwock-block",
    .about = "a mutex",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    .size = sizeof(pthread_mutex_t),
    .align = _Alignof(pthread_mutex_t),
    .init = any_init_,
    .lock = good_lock_,
    .unlock = good_unlock_,
};

static const struct adapter open_to_all = {
    .name = "open",
    .about = "lets everybody in",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    .size = sizeof(int),
    .align = _Alignof(int),
    .init = any_init_,
    .lock = open_lock_,
    .unlock = open_unlock_,
};

const struct adapter *adapter_list[] = {&good, &open_to_all, NULL};
struct missing_adapter adapter_missing[] = {{"absent", "libabsent-dev"}, {NULL, NULL}};
