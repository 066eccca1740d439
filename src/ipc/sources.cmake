# SPDX-License-Identifier: MIT
#
# The locks between processes.  Paths from src/.
set(fw_ipc_sources
    ipc/cond.c ipc/journal.c ipc/member.c ipc/mutex.c ipc/nap.c ipc/place.c ipc/recover.c
    sys/origin.c sys/robust.c)
