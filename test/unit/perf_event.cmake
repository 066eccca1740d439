# SPDX-License-Identifier: MIT
fw_test(NAME unit_perf_event LABEL unit SOURCES perf_event_test.c LIBS fw_measure fw_cmocka
    INCLUDES ${PROJECT_SOURCE_DIR}/src)
