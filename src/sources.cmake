# SPDX-License-Identifier: MIT
#
# The sources of src/, a list for each layer: whoever compiles one of them again (the drop-in, the
# tests over a fake kernel, the model) takes the list, and the linker leaves out what is not needed.

set(fw_core_sources bucket_lock.c thread_state.c wait.c waitqueue.c)
list(TRANSFORM fw_core_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/core/)

set(fw_thread_sources any.c barrier.c brlock.c brlock_life.c cond.c cond_wake.c event.c latch.c
    mutex.c mutex_requeue.c once.c owner.c permits.c permits_wait.c rwlock.c rwlock_queue.c
    rwlock_turn.c sem.c)
list(TRANSFORM fw_thread_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/thread/)

# What a region is made of (the table of addresses also for the atomics between processes), and the
# locks that stand on it.
set(fw_range_sources ${CMAKE_CURRENT_LIST_DIR}/ipc/region/ranges.c)
set(fw_region_sources directory.c head.c join.c journal.c mapping.c member.c member_list.c named.c
    ranges.c region.c repairs.c)
list(TRANSFORM fw_region_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/ipc/region/)
set(fw_ipc_sources barrier.c barrier_slot.c cond.c journaled.c mutex.c numbered.c once.c permits.c
    recover.c rwlock.c rwlock_write.c sem.c share.c wait.c wait_spin.c)
list(TRANSFORM fw_ipc_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/ipc/)
list(APPEND fw_ipc_sources ${fw_region_sources})

# The kernel boundary: what every library has; what libfurwock has beside that; the robust list;
# what else is for locks between processes; and what is not of libfurwock, but of the drop-in, the
# command and measure/.
set(fw_sys_base_sources clock.c fork.c futex.c panic.c vdso.c)
set(fw_sys_thread_sources cancel.c cpu_count.c futex_pi.c running.c running_ring.c schedule.c
    slice.c thread.c)
set(fw_sys_robust_sources life.c origin.c robust.c)
set(fw_sys_ipc_sources region_file.c wait_any.c)
set(fw_sys_tool_sources count_file.c perf_event.c probe.c say.c)
set(fw_sys_machine_sources)
if(fw_release STREQUAL "x86_64")
    set(fw_sys_machine_sources x86_64/last_cpu.c x86_64/percpu.c x86_64/release.c)
endif()
foreach(list base thread robust ipc tool machine)
    list(TRANSFORM fw_sys_${list}_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/sys/)
endforeach()
set(fw_sys_sources ${fw_sys_base_sources} ${fw_sys_thread_sources} ${fw_sys_robust_sources}
    ${fw_sys_ipc_sources} ${fw_sys_machine_sources})

# Cancelled threads, and exceptions of C++, pass through these: clean-up without setjmp, with
# tables.  Link-time optimisation would inline them into functions that have none (and the archive's
# into those of a program): the clean-up would be lost.
set(fw_unwound_sources ${CMAKE_CURRENT_LIST_DIR}/thread/once.c ${CMAKE_CURRENT_LIST_DIR}/ipc/once.c
    ${CMAKE_CURRENT_LIST_DIR}/sys/cancel.c)
