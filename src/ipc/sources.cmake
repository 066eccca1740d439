# SPDX-License-Identifier: MIT
#
# The locks between processes.  Paths from src/.
set(fw_ipc_sources
    sys/origin.c sys/robust.c)
