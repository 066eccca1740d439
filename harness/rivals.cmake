# SPDX-License-Identifier: MIT
#
# The rivals: other people's locks, where they are installed.

harness_adapters(pthread.c)
harness_adapters(pthread_rw.c)
harness_adapters(pthread_cond.c)
harness_adapters(semaphore.c)
harness_adapters(posix_gates.c)
if(CMAKE_CXX_COMPILER)
    harness_adapters(std.cc)
else()
    harness_missing("g++" rw:std-shared-mutex)
endif()

# ThreadSanitizer follows only what it has compiled or intercepts: it knows no lock of another
# library.
set(harness_c11 c11-mtx cond:c11-cnd)
set(harness_nsync nsync rw:nsync cond:nsync)
set(harness_abseil abseil rw:abseil cond:abseil)
set(harness_tbb tbb rw:tbb)
set(harness_ck ck-mcs ck-ticket rw:ck-pflock)
set(harness_foreign ${harness_c11} ${harness_nsync} ${harness_abseil} ${harness_tbb} ${harness_ck}
    parking_lot rw:parking_lot cond:parking_lot rust-std)
if(FURWOCK_SANITIZE STREQUAL "thread")
    harness_missing("ThreadSanitizer cannot see into it" ${harness_foreign})
    return()
endif()

check_include_file(threads.h HARNESS_HAVE_C11_THREADS)
if(HARNESS_HAVE_C11_THREADS)
    harness_adapters(c11.c)
else()
    harness_missing("the C library has no <threads.h>" ${harness_c11})
endif()

find_path(NSYNC_INCLUDE_DIR nsync_mu.h)
find_library(NSYNC_LIBRARY nsync)
mark_as_advanced(NSYNC_INCLUDE_DIR NSYNC_LIBRARY)
if(NSYNC_INCLUDE_DIR AND NSYNC_LIBRARY)
    harness_adapters(nsync.c ${NSYNC_LIBRARY})
else()
    harness_missing("libnsync-dev" ${harness_nsync})
endif()

if(CMAKE_CXX_COMPILER)
    find_package(absl CONFIG QUIET)
    find_package(TBB 2021.4 CONFIG QUIET)
    if(TARGET absl::synchronization)
        harness_adapters(abseil.cc absl::synchronization)
    else()
        harness_missing("libabsl-dev" ${harness_abseil})
    endif()
    if(TARGET TBB::tbb)
        harness_adapters(tbb.cc TBB::tbb)
    else()
        harness_missing("libtbb-dev" ${harness_tbb})
    endif()
else()
    harness_missing("g++" ${harness_abseil} ${harness_tbb})
endif()

# Only headers are used of Concurrency Kit.
find_path(CK_INCLUDE_DIR ck_spinlock.h)
mark_as_advanced(CK_INCLUDE_DIR)
if(CK_INCLUDE_DIR)
    harness_adapters(ck.c)
else()
    harness_missing("libck-dev" ${harness_ck})
endif()

include(rust.cmake)
