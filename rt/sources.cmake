# SPDX-License-Identifier: MIT
#
# The sources of the library for real-time locks; scx/ is its side of tier B.
set(fw_rt_sources
    boost.c boost_handoff.c ceiling.c death.c group.c liveness.c lock.c open.c period.c pi_lock.c
    pip.c protocol.c proxy.c raise.c task.c trace.c wake.c why.c
    scx/ended.c scx/fault.c scx/join.c scx/user.c)
list(TRANSFORM fw_rt_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
