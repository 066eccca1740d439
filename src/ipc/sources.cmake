# SPDX-License-Identifier: MIT
#
# The locks between processes.  Paths from src/.
set(fw_ipc_sources
    ipc/barrier.c ipc/barrier_place.c ipc/cond.c ipc/directory.c ipc/head.c ipc/join.c
    ipc/journal.c ipc/journaled.c ipc/member.c ipc/member_list.c ipc/mutex.c ipc/named.c ipc/wait.c
    ipc/wait_spin.c ipc/numbered.c ipc/once.c ipc/mapping.c ipc/recover.c ipc/region.c ipc/rwlock.c
    ipc/rwlock_open.c ipc/rwlock_up.c ipc/rwlock_write.c ipc/sem.c ipc/share.c ipc/permits.c
    sys/origin.c sys/robust.c sys/region_file.c sys/wait_any.c)
