# SPDX-License-Identifier: MIT
#
# The second with the real kernel, if that has time slice extensions, and in tools/vm.
fw_test(NAME unit_slice LABEL unit SOURCES slice_test.c ${PROJECT_SOURCE_DIR}/src/sys/slice.c
    LIBS furwock furwock_private fw_cmocka)
fw_test(NAME unit_slice_kernel LABEL unit slice SOURCES slice_kernel_test.c
    ${PROJECT_SOURCE_DIR}/src/sys/slice.c LIBS furwock furwock_private)
