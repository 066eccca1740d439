# SPDX-License-Identifier: MIT
#
# What the generic atomics between processes are made of; test/atomic/ipc has the rest.
if(NOT TARGET furwock_atomic_ipc)
    return()
endif()

foreach(name origin robust robust_list atomic_region atomic_robust_lock)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/${name}_test.c
        LIBS furwock_atomic_ipc furwock_private fw_measure fw_cmocka
        INCLUDES ${PROJECT_SOURCE_DIR}/atomic ${PROJECT_SOURCE_DIR}/atomic/ipc)
    if(TARGET test_unit_${name} AND FURWOCK_SANITIZE STREQUAL thread AND
       CMAKE_C_COMPILER_ID STREQUAL GNU)
        target_compile_options(test_unit_${name} PRIVATE -Wno-tsan) # fences, as in the library
    endif()
endforeach()
if(TARGET test_unit_atomic_robust_lock)
    target_link_options(test_unit_atomic_robust_lock PRIVATE
        LINKER:--wrap=fw_futex_wait LINKER:--wrap=fw_futex_wake)
endif()
