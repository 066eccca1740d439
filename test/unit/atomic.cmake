# SPDX-License-Identifier: MIT
#
# Generic atomics, over the fake kernel.
if(NOT TARGET furwock_atomic)
    return()
endif()

fw_variant(guard_includes guard=private)
add_library(fw_atomic_under_fake STATIC ${fw_atomic_sources})
target_compile_options(fw_atomic_under_fake PRIVATE ${fw_atomic_options})
target_include_directories(fw_atomic_under_fake PUBLIC ${guard_includes} ${fw_atomic_includes})
target_link_libraries(fw_atomic_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name abi_flag abi_generic abi_pair abi_sized copy fork object rush stripe word_lock
        word_lock_sleep object_between)
    fw_test(NAME unit_atomic_${name} LABEL unit
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/atomic_${name}_test.c
        LIBS fw_atomic_under_fake fw_cmocka m)
    if(TARGET test_unit_atomic_${name})
        target_compile_options(test_unit_atomic_${name} PRIVATE ${fw_atomic_options})
    endif()
endforeach()
