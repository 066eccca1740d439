# SPDX-License-Identifier: MIT
#
# Both with their own copy of what they test, where there is something to test.

set(last_cpu)
set(names last_cpu)
if(fw_release STREQUAL "x86_64")
    set(last_cpu ${PROJECT_SOURCE_DIR}/src/sys/x86_64/last_cpu.c)
    list(APPEND names last_cpu_end) # elsewhere an end has nothing to fence
endif()
foreach(name IN LISTS names)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c ${last_cpu}
        LIBS furwock furwock_private fw_cmocka)
endforeach()
if(TARGET test_unit_last_cpu_end) # not without cmocka, either
    # The linker's --wrap does not reach calls that link-time optimisation sees.
    target_compile_options(test_unit_last_cpu_end PRIVATE -fno-lto)
    target_link_options(test_unit_last_cpu_end PRIVATE LINKER:--wrap=fw_release_fence_)
endif()
