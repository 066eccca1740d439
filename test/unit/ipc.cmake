# SPDX-License-Identifier: MIT
#
# src/ipc/*.c with the real kernel.
foreach(name)
    fw_test(NAME unit_ipc_${name} LABEL unit SOURCES ipc_${name}_test.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
