# SPDX-License-Identifier: MIT
#
# Permits, semaphore, event and wait-any.  (The latch is one of those that wait-any waits for.)

foreach(name any event permits permits_posix permits_wait sem)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS fw_under_fake fw_cmocka)
endforeach()
fw_test(NAME unit_any_kernel LABEL unit SOURCES any_kernel_test.c sleeper.c
    LIBS furwock furwock_private fw_cmocka)
