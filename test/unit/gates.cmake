# SPDX-License-Identifier: MIT
#
# Barrier, latch and once.

set(gates ${PROJECT_SOURCE_DIR}/src/thread/barrier.c ${PROJECT_SOURCE_DIR}/src/thread/latch.c
    ${PROJECT_SOURCE_DIR}/src/thread/once.c)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/thread/once.c PROPERTIES
    COMPILE_OPTIONS "-fexceptions;-fasynchronous-unwind-tables") # as the library has it
add_library(fw_gates_under_fake STATIC ${gates})
target_link_libraries(fw_gates_under_fake PUBLIC fw_under_fake PRIVATE fw_house)

foreach(name barrier latch once)
    fw_test(NAME unit_${name} LABEL unit SOURCES ${name}_test.c LIBS fw_gates_under_fake fw_cmocka)
endforeach()
fw_test(NAME unit_once_left LABEL unit SOURCES once_left_test.c LIBS furwock fw_cmocka)
