/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_RW_ADAPTER_DEFINE_H
#define FW_ADAPTERS_RW_ADAPTER_DEFINE_H

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/rw_adapter.h"

/*
 * A read-write lock in ten lines, in the manner of adapter_define.h:
 *
 *     RW_CALLS(example, struct example, example_read(l), example_unread(l), example_write(l),
 *              example_unwrite(l))
 *     RW_TRIES(example, struct example, example_tryread(l), example_trywrite(l))
 *
 *     const struct rw_adapter rw_adapter_example = {
 *         .name = "example",
 *         .about = "an example",
 *         .family = FAMILY_RIVAL,
 *         .flags = ADAPTER_BLOCKS,
 *         ADAPTER_OBJECT(struct example, example_init_),
 *         .destroy = NULL,
 *         .preference = RW_PREFER_NONE,
 *         RW_MEMBERS(example),
 *         RW_TRY_MEMBERS(example),
 *         RW_NOT_TIMED,
 *     };
 *
 * That order is the struct's, so the same serves C++.
 */
#define RW_CALLS(stem, type, read_, unread_, write_, unwrite_) \
    ADAPTER_CALLS(stem##_rd, type, read_, unread_)             \
    ADAPTER_CALLS(stem##_wr, type, write_, unwrite_)

#define RW_TRIES(stem, type, read_, write_) \
    ADAPTER_TRYLOCK(stem##_rd, type, read_) \
    ADAPTER_TRYLOCK(stem##_wr, type, write_)

#define RW_TIMED(stem, type, read_, write_)   \
    ADAPTER_TIMEDLOCK(stem##_rd, type, read_) \
    ADAPTER_TIMEDLOCK(stem##_wr, type, write_)

#define RW_MEMBERS(stem)                                                                 \
    .rdlock = stem##_rd_lock_, .rdunlock = stem##_rd_unlock_, .rdloop = stem##_rd_loop_, \
    .wrlock = stem##_wr_lock_, .wrunlock = stem##_wr_unlock_, .wrloop = stem##_wr_loop_

#define RW_TRY_MEMBERS(stem) .tryrdlock = stem##_rd_trylock_, .trywrlock = stem##_wr_trylock_
#define RW_TIMED_MEMBERS(stem) \
    .timedrdlock = stem##_rd_timedlock_, .timedwrlock = stem##_wr_timedlock_
#define RW_NO_TRY .tryrdlock = NULL, .trywrlock = NULL
#define RW_NOT_TIMED .timedrdlock = NULL, .timedwrlock = NULL

#endif
