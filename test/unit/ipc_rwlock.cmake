# SPDX-License-Identifier: MIT
#
# The read-write lock between processes, in a region that is made by hand.
fw_test(NAME unit_ipc_share LABEL unit SOURCES ipc_share_test.c ipc_ground.c
    LIBS furwock furwock_private fw_cmocka)
foreach(name rwlock rwlock_open rwlock_up rwlock_write)
    fw_test(NAME unit_ipc_${name} LABEL unit
        SOURCES ipc_${name}_test.c ipc_rwlock_ground.c ipc_ground.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
