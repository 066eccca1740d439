# SPDX-License-Identifier: MIT
#
# The big-reader lock and what it counts with.

add_library(fw_brlock_under_fake STATIC
    ${PROJECT_SOURCE_DIR}/src/thread/brlock.c ${PROJECT_SOURCE_DIR}/src/thread/brlock_life.c
    ${PROJECT_SOURCE_DIR}/test/fake/fake_percpu.c)
target_link_libraries(fw_brlock_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name brlock brlock_life brlock_wait)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS fw_brlock_under_fake fw_under_fake fw_cmocka)
endforeach()

foreach(name percpu processors)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
