# SPDX-License-Identifier: MIT
#
# src/ipc/*.c with the real kernel, in a region that is made by hand.
foreach(name cond journal member mutex nap place recover)
    fw_test(NAME unit_ipc_${name} LABEL unit SOURCES ipc_${name}_test.c ipc_ground.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
