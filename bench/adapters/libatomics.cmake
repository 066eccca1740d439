# SPDX-License-Identifier: MIT
#
# libatomics: this build's library for generic atomics and the system's, side by side in a process.
# Whoever links it has this build's made first.  It needs 16-byte integers, as the libraries do.

if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    return()
endif()
add_library(libatomics STATIC libatomics.c)
target_include_directories(libatomics PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(libatomics PRIVATE fw_house PUBLIC ${CMAKE_DL_LIBS})
include(${CMAKE_CURRENT_LIST_DIR}/other_compiler.cmake)
if(FW_CLANG)
    add_dependencies(libatomics furwock_atomic_clang)
    target_compile_definitions(libatomics PRIVATE
        LIBATOMICS_CLANG_FILE="${FW_ATOMIC_CLANG_FILE}")
endif()
foreach(pair FURWOCK:furwock_atomic_shared IPC:furwock_atomic_ipc_shared)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 target)
    if(TARGET ${target})
        add_dependencies(libatomics ${target})
        target_compile_definitions(libatomics PRIVATE
            LIBATOMICS_${name}_FILE="$<TARGET_FILE:${target}>")
    endif()
endforeach()
