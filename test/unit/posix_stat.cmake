# SPDX-License-Identifier: MIT
#
# What the drop-in counts for furwock run --stat.
fw_test(NAME unit_count_file LABEL "unit;preload" SOURCES count_file_test.c
    LIBS fw_sys_tools furwock furwock_private fw_cmocka)

set(counting ${PROJECT_SOURCE_DIR}/posix/counting)
fw_test(NAME unit_posix_stat_table LABEL "unit;preload" SOURCES posix_stat_table_test.c
    ${counting}/table.c LIBS furwock furwock_private fw_cmocka
    INCLUDES ${PROJECT_SOURCE_DIR}/posix)
fw_test(NAME unit_posix_stat_wait LABEL "unit;preload" SOURCES posix_stat_wait_test.c
    ${counting}/place.c ${counting}/table.c ${counting}/wait.c
    LIBS fw_sys_tools furwock furwock_private fw_cmocka INCLUDES ${counting} ${PROJECT_SOURCE_DIR}/posix)
