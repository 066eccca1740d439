# SPDX-License-Identifier: MIT
#
# The big-reader lock and what it counts with.

foreach(name brlock brlock_life brlock_wait)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS fw_under_fake fw_cmocka)
endforeach()

foreach(name percpu processors)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
