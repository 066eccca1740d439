# SPDX-License-Identifier: MIT
#
# The rivals: other people's locks, where they are installed.

add_adapters(rivals/pthread.c)
add_adapters(rivals/pthread_rw.c)
add_adapters(rivals/pthread_cond.c)
add_adapters(rivals/semaphore.c)
add_adapters(rivals/named_semaphore.c)
add_adapters(rivals/file_locks.c)
add_adapters(rivals/posix_sync.c)
if(CMAKE_CXX_COMPILER)
    add_adapters(rivals/std.cc)
else()
    missing_adapters("g++" rw:std-shared-mutex)
endif()

# Those of other libraries are tested once, in the release build; ThreadSanitizer, which follows
# only what it has compiled or intercepts, would know none of them.
set(adapters_c11 c11-mtx cond:c11-cnd)
set(adapters_nsync nsync rw:nsync cond:nsync)
set(adapters_abseil abseil rw:abseil cond:abseil)
set(adapters_tbb tbb rw:tbb)
set(adapters_ck ck-mcs ck-ticket rw:ck-pflock)
set(adapters_boost boost rw:boost-sharable)
set(adapters_foreign ${adapters_c11} ${adapters_nsync} ${adapters_abseil} ${adapters_tbb}
    ${adapters_ck} ${adapters_boost} parking_lot rw:parking_lot cond:parking_lot rust-std)
if(NOT FURWOCK_ONCE OR FURWOCK_SANITIZE STREQUAL "thread")
    missing_adapters("left out of builds with FURWOCK_ONCE=OFF, and for ThreadSanitizer"
        ${adapters_foreign})
    return()
endif()

check_include_file(threads.h ADAPTERS_HAVE_C11_THREADS)
if(ADAPTERS_HAVE_C11_THREADS)
    add_adapters(rivals/c11.c)
else()
    missing_adapters("the C library has no <threads.h>" ${adapters_c11})
endif()

find_path(NSYNC_INCLUDE_DIR nsync_mu.h)
find_library(NSYNC_LIBRARY nsync)
mark_as_advanced(NSYNC_INCLUDE_DIR NSYNC_LIBRARY)
if(NSYNC_INCLUDE_DIR AND NSYNC_LIBRARY)
    add_adapters(rivals/nsync.c ${NSYNC_LIBRARY})
else()
    missing_adapters("libnsync-dev" ${adapters_nsync})
endif()

if(CMAKE_CXX_COMPILER)
    find_package(absl CONFIG QUIET)
    find_package(TBB 2021.4 CONFIG QUIET)
    if(TARGET absl::synchronization)
        add_adapters(rivals/abseil.cc absl::synchronization)
    else()
        missing_adapters("libabsl-dev" ${adapters_abseil})
    endif()
    if(TARGET TBB::tbb)
        add_adapters(rivals/tbb.cc TBB::tbb)
    else()
        missing_adapters("libtbb-dev" ${adapters_tbb})
    endif()
    # Only headers are used of it.
    find_path(BOOST_INTERPROCESS_INCLUDE_DIR boost/interprocess/sync/interprocess_mutex.hpp)
    mark_as_advanced(BOOST_INTERPROCESS_INCLUDE_DIR)
    if(BOOST_INTERPROCESS_INCLUDE_DIR)
        add_adapters(rivals/boost.cc)
    else()
        missing_adapters("libboost-dev" ${adapters_boost})
    endif()
else()
    missing_adapters("g++" ${adapters_abseil} ${adapters_tbb} ${adapters_boost})
endif()

# Only headers are used of Concurrency Kit.
find_path(CK_INCLUDE_DIR ck_spinlock.h)
mark_as_advanced(CK_INCLUDE_DIR)
if(CK_INCLUDE_DIR)
    add_adapters(rivals/ck.c)
else()
    missing_adapters("libck-dev" ${adapters_ck})
endif()

include(rivals/rust.cmake)
