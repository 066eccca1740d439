/* SPDX-License-Identifier: MIT */
/* nsync_mu of nsync (Mike Burrows; github.com/google/nsync). */
#include <nsync.h>

#include "adapter_define.h"

ADAPTER_INIT(nsync, nsync_mu, (nsync_mu_init(l), 0))
ADAPTER_CALLS(nsync, nsync_mu, nsync_mu_lock(l), nsync_mu_unlock(l))
ADAPTER_TRYLOCK(nsync, nsync_mu, nsync_mu_trylock(l) ? 0 : EBUSY)

const struct adapter adapter_nsync = {
    .name = "nsync",
    .about = "nsync_mu of nsync",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_ZERO,
    ADAPTER_TYPE(nsync, nsync_mu),
    .trylock = nsync_trylock_,
};
