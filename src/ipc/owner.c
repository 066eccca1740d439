/* SPDX-License-Identifier: MIT */
/* Assertions that the caller is the owner: furwock/ipc/mutex.h, rwlock.h. */
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/rwlock.h>

#include "sys/panic.h"

void fw_ipc_mutex_assert_held(const fw_ipc_mutex *m)
{
    if (!fw_ipc_mutex_is_held_by_me(m))
        fw_panic_object_("mutex between processes is not held by the caller", m, sizeof *m);
}

void fw_ipc_rwlock_assert_held(const fw_ipc_rwlock *l, fw_ipc_rwlock_mode mode)
{
    if (fw_ipc_rwlock_held_by_me(l) < mode)
        fw_panic_object_("read-write lock between processes is not held so by the caller", l,
                         sizeof *l);
}
