# SPDX-License-Identifier: MIT
#
# What the kernel does for mutexes with priorities.
if(TARGET furwock_posix_objects)
    fw_test(NAME unit_futex_pi LABEL "unit;preload" SOURCES futex_pi_test.c sleeper.c
        LIBS furwock_posix_objects furwock_private fw_cmocka)
    fw_test(NAME unit_schedule LABEL "unit;preload" SOURCES schedule_test.c
        LIBS furwock_posix_objects furwock_private fw_cmocka)
endif()
