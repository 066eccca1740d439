/* SPDX-License-Identifier: MIT */
/* mtx_t of <threads.h>: its deadlines are on CLOCK_REALTIME, so there is no timed call here. */
#include <threads.h>

#include "adapter_define.h"

ADAPTER_INIT(mtx, mtx_t, mtx_init(l, mtx_timed) == thrd_success ? 0 : ENOMEM)
ADAPTER_DESTROY(mtx, mtx_t, mtx_destroy(l))
ADAPTER_CALLS(mtx, mtx_t, mtx_lock(l), mtx_unlock(l))
ADAPTER_TRYLOCK(mtx, mtx_t, mtx_trylock(l) == thrd_success ? 0 : EBUSY)

const struct adapter adapter_c11_mtx = {
    .name = "c11-mtx",
    .about = "mtx_t of C11, as the C library has it",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_TYPE(mtx, mtx_t),
    .destroy = mtx_destroy_,
    .trylock = mtx_trylock_,
};
