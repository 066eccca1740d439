# SPDX-License-Identifier: MIT
#
# Barrier, latch and once.

foreach(name barrier latch once)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c LIBS fw_under_fake fw_cmocka)
endforeach()
fw_test(NAME unit_once_left LABEL unit SOURCES once_left_test.c LIBS furwock fw_cmocka)
