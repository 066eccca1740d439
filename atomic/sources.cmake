# SPDX-License-Identifier: MIT
#
# The sources of the libraries for generic atomics, and the variants of this architecture.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(fw_pair x86_64)
    set(fw_order x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(fw_pair aarch64)
    set(fw_order generic)
else()
    set(fw_pair generic)
    set(fw_order generic)
endif()

set(fw_atomic_sources
    abi_flag.c abi_generic.c abi_pair.c abi_sized.c contended.c copy.c fork.c object.c stripe.c
    word_lock.c)
if(NOT fw_pair STREQUAL "generic")
    list(APPEND fw_atomic_sources arch/${fw_pair}/pair.c)
endif()
# Of the one for memory that processes share, besides.
set(fw_atomic_ipc_sources create.c guard.c region.c robust_lock.c)
list(TRANSFORM fw_atomic_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM fw_atomic_ipc_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/ipc/)

fw_variant(fw_atomic_includes pair=${fw_pair} order=${fw_order})
list(PREPEND fw_atomic_includes ${CMAKE_CURRENT_LIST_DIR})

# The names of the ABI are built-ins to a compiler; ThreadSanitizer has fences explained to it.
# Not with link-time optimisation: the compiler makes these calls when that has begun.
# The shortest of them fill less than a cache line: across two, a load of a pair takes a fifth
# longer.
set(fw_atomic_options -fno-builtin-atomic_thread_fence -fno-lto -falign-functions=64
    $<$<AND:$<C_COMPILER_ID:GNU>,$<STREQUAL:${FURWOCK_SANITIZE},thread>>:-Wno-tsan>)
