# SPDX-License-Identifier: MIT
#
# Permits, semaphore, event and wait-any.  (The latch is one of those that wait-any waits for.)

set(counters any.c event.c latch.c permits.c permits_wait.c sem.c)
list(TRANSFORM counters PREPEND ${PROJECT_SOURCE_DIR}/src/thread/)
add_library(fw_counters_under_fake STATIC ${counters})
target_link_libraries(fw_counters_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name any event permits permits_posix permits_wait sem)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS fw_counters_under_fake fw_cmocka)
endforeach()
fw_test(NAME unit_any_kernel LABEL unit SOURCES any_kernel_test.c sleeper.c
    LIBS furwock furwock_private fw_cmocka)
