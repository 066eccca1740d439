# SPDX-License-Identifier: MIT
#
# Variants.  Sources here have no #if: `#include <rwlock_kind.h>` is another file for another
# library, because the include path is another.  This is the table of all headers of which there is
# more than one: an axis, its headers, and its kinds, each with the directory that it adds to the
# path.  CMake files take their paths from here, by fw_variant(); tools/check-style holds the table
# against the tree.

# fw_axis(AXIS HEADERS header... KINDS kind=directory...): directories from the top of the tree.
function(fw_axis axis)
    cmake_parse_arguments(A "" "" "HEADERS;KINDS" ${ARGN})
    foreach(row IN LISTS A_KINDS)
        string(REGEX MATCH "^([^=]+)=(.+)$" row ${row})
        set_property(GLOBAL PROPERTY fw_variant_${axis}_${CMAKE_MATCH_1}
            ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2})
    endforeach()
endfunction()

# fw_variant(<variable> AXIS=KIND...): the directories of these kinds, for an include path.
function(fw_variant variable)
    set(directories)
    foreach(word IN LISTS ARGN)
        string(REPLACE "=" "_" name ${word})
        get_property(directory GLOBAL PROPERTY fw_variant_${name})
        if(NOT IS_DIRECTORY "${directory}")
            message(FATAL_ERROR "cmake/variants.cmake has no ${word}")
        endif()
        list(APPEND directories ${directory})
    endforeach()
    set(${variable} ${directories} PARENT_SCOPE)
endfunction()

# How a lock is released and claimed, whose CPU a thread had last, counters of a CPU, time slices:
# by restartable sequences (x86-64, with glibc's rseq), or without.  -DFURWOCK_RELEASE chooses; the
# kind is fw_release.
#   x86_64, generic    all libraries and programs
#   fake               unit tests over the fake kernel (test/support/fake): release and counters
#   model              fw-model: release and claim are steps of its scheduler
fw_axis(release
    HEADERS sys_claim_arch.h sys_last_cpu_arch.h sys_percpu_arch.h sys_release_arch.h
            sys_slice_arch.h
    KINDS x86_64=src/sys/x86_64 generic=src/sys/generic fake=test/support/fake
          model=test/model/subject)

# How the kernel is called.  The kind is fw_call.
#   x86_64, aarch64    by the instruction; errno stays as it is
#   libc               by syscall(), on other architectures
#   model              fw-model: no kernel
fw_axis(call
    HEADERS sys_call_arch.h
    KINDS x86_64=src/sys/call/x86_64 aarch64=src/sys/call/aarch64 libc=src/sys/call/libc
          model=test/model/subject)

# Which numbers a read-write lock has for its preferences.
#   furwock            libfurwock, and all that looks into its locks: those of fw_rwlock_kind
#   posix              the drop-in: the C library's, which are in static initialisers
fw_axis(rwlock
    HEADERS rwlock_kind.h
    KINDS furwock=src/thread/default posix=posix)

# Does the drop-in count who waits for what?
#   quiet              libfurwock-pthread.so, and the drop-in's functions under their own names
#   counting           libfurwock-pthread-stat.so, for furwock run --stat
fw_axis(stat
    HEADERS fw_stat.h
    KINDS quiet=posix/quiet counting=posix/counting)

# Under which names the drop-in's functions are visible.
#   glibc              the C library's, with the versions that `versions` says: the two libraries
#   own                fw_posix_...: tests, which need the C library's beside them, and fw-model
fw_axis(export
    HEADERS fw_export.h
    KINDS glibc=posix/export own=posix/noexport)

# The versions of the C library's names, with versions.map for the linker, by processor.
fw_axis(versions
    HEADERS fw_versions.h
    KINDS x86_64=posix/export/x86_64 aarch64=posix/export/aarch64)

# Which lock guards an atomic object that no instruction can handle.
#   private            libfurwock-atomic: a lock of the process
#   ipc                libfurwock-atomic-ipc: a robust lock in the memory that processes share
fw_axis(guard
    HEADERS guard.h
    KINDS private=atomic/private ipc=atomic/ipc)

# A pair of words in one instruction, by processor; the kind is fw_pair.  (fw-model takes the first
# that it finds: its own pair, and the order of x86-64.)
#   x86_64             cmpxchg16b, and loads by vector where the processor says that they are atomic
#   aarch64            casp where the processor has it, else exclusive loads and stores
#   generic            none: a lock
#   model              fw-model: a step of its scheduler
fw_axis(pair
    HEADERS atomic_pair.h
    KINDS x86_64=atomic/arch/x86_64 aarch64=atomic/arch/aarch64 generic=atomic/arch/generic
          model=test/model/subject)

# What a sequentially consistent operation needs beside the object's lock.  The kind is fw_pair,
# where there is one, and else generic.
#   x86_64             nothing
#   generic            fences
fw_axis(order
    HEADERS atomic_order.h
    KINDS x86_64=atomic/arch/x86_64 generic=atomic/arch/generic)

# Whether a process has one thread only.  (The header is included as sys/single_threaded.h.)
#   furwock            the C library's variable, and what the lock remembers
#   model              fw-model: its program says so
fw_axis(threads
    HEADERS sys/single_threaded.h
    KINDS furwock=src model=test/model/subject)

# Two more are chosen by `-include`, because the header has users outside of this tree and keeps its
# path: the replacement comes first, and takes the include guard of include/furwock/bits/atomic.h.
#   test/model/subject/atomic.h   fw-model: an operation is a step of its scheduler
#   test/support/kill_at_step_calls.h   tests that kill a process before each step of the library
