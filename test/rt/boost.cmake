# SPDX-License-Identifier: MIT
#
# MPCP and FMLP+, and death and storms under all protocols.
if(CMAKE_CROSSCOMPILING)
    return()
endif()
add_library(rt_tasks STATIC tasks.c fixture.c)
target_link_libraries(rt_tasks PUBLIC processes furwock_rt_private PRIVATE fw_house)

# The library, with a word to the test before each step that others can see.
add_library(furwock_rt_stepped STATIC EXCLUDE_FROM_ALL ${fw_rt_sources})
target_compile_options(furwock_rt_stepped PRIVATE
    -include ${PROJECT_SOURCE_DIR}/test/support/kill_at_step_calls.h)
target_link_libraries(furwock_rt_stepped PUBLIC furwock PRIVATE fw_house furwock_rt_private)

# Queues with moments that a thread sanitizer draws out too far.
if(NOT FURWOCK_SANITIZE STREQUAL "thread")
    foreach(name boost process storm dead_id users)
        fw_rt_test(${name} LIBS rt_tasks furwock_rt)
    endforeach()
    fw_test(NAME rt_death LABEL rt SOURCES death_test.c
        LIBS kill_at_step rt_tasks furwock_rt_stepped furwock_rt_private)
    set_tests_properties(rt_death PROPERTIES RUN_SERIAL ON)
endif()
