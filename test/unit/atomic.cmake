# SPDX-License-Identifier: MIT
#
# Generic atomics, over the fake kernel.
if(NOT TARGET furwock_atomic)
    return()
endif()

get_target_property(atomic_includes furwock_atomic INCLUDE_DIRECTORIES)
list(FILTER atomic_includes EXCLUDE REGEX "src/sys/") # the fake's, not the architecture's
get_target_property(atomic_options furwock_atomic COMPILE_OPTIONS)
get_target_property(atomic_sources furwock_atomic SOURCES)
list(FILTER atomic_sources EXCLUDE REGEX "src/sys/")
add_library(fw_atomic_under_fake STATIC ${atomic_sources})
target_compile_options(fw_atomic_under_fake PRIVATE ${atomic_options})
target_include_directories(fw_atomic_under_fake PUBLIC ${atomic_includes})
target_link_libraries(fw_atomic_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name abi_flag abi_generic abi_pair abi_sized copy fork object rush stripe word_lock
        word_lock_sleep object_between)
    fw_test(NAME unit_atomic_${name} LABEL unit
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/atomic_${name}_test.c
        LIBS fw_atomic_under_fake fw_cmocka m)
    if(TARGET test_unit_atomic_${name})
        target_compile_options(test_unit_atomic_${name} PRIVATE ${atomic_options})
    endif()
endforeach()
