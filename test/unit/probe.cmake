# SPDX-License-Identifier: MIT
fw_test(NAME unit_probe LABEL unit
    SOURCES probe_test.c LIBS fw_sys_tools furwock furwock_private fw_cmocka)
