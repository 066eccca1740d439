# SPDX-License-Identifier: MIT
fw_test(NAME unit_probe LABEL unit
    SOURCES probe_test.c ${PROJECT_SOURCE_DIR}/src/sys/probe.c
    LIBS furwock furwock_private fw_cmocka)
