# SPDX-License-Identifier: MIT
#
# src/ipc/*.c with the real kernel, in a region that is made by hand.
foreach(name barrier barrier_place barrier_serial cond directory head join journal journal_attach
        journaled member member_list mutex named numbered once mapping recover region region_owner
        sem permits)
    fw_test(NAME unit_ipc_${name} LABEL unit SOURCES ipc_${name}_test.c ipc_ground.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()

foreach(name wait wait_spin)
    fw_test(NAME unit_ipc_${name} LABEL unit
        SOURCES ipc_${name}_test.c ipc_wait_fixture.c ipc_ground.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()

fw_test(NAME unit_ipc_region_renew LABEL unit SOURCES ipc_region_renew_test.c sleeper.c
    LIBS furwock furwock_private fw_cmocka)

foreach(name region_file wait_any)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c
        LIBS furwock furwock_private fw_cmocka)
endforeach()
