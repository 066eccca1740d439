# SPDX-License-Identifier: MIT
#
# The generic atomics once more, by clang, where gcc compiles everything else and clang is there: an
# algorithm should not be rated by one compiler's code.  FW_CLANG is empty where there is none.
#
# -DFURWOCK_BENCH_CLANG=OFF leaves it out.
#
#   furwock_atomic_clang          libfurwock-atomic-clang.so, of the library's own sources
#   fw_clang_object(OUT SOURCE DEFINITIONS...)   one more object, as the programs here are compiled

set(FW_CLANG "" CACHE INTERNAL "")
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR CMAKE_CROSSCOMPILING OR FURWOCK_SANITIZE
        OR NOT TARGET furwock_atomic_objects)
    return()
endif()
find_program(FURWOCK_BENCH_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
if(NOT FURWOCK_BENCH_CLANG)
    return()
endif()
execute_process(COMMAND ${FURWOCK_BENCH_CLANG} -dumpversion OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    return()
endif()
set(FW_CLANG ${FURWOCK_BENCH_CLANG} CACHE INTERNAL "")
set(FW_CLANG_VERSION ${version} CACHE INTERNAL "")
set(FW_CLANG_FLAGS -O2 -g1 -std=c11 -fPIC -fvisibility=hidden CACHE INTERNAL "")

set(of furwock_atomic_objects)
set(FW_ATOMIC_CLANG_FILE ${CMAKE_CURRENT_BINARY_DIR}/libfurwock-atomic-clang.so)
add_custom_command(OUTPUT ${FW_ATOMIC_CLANG_FILE} VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${FW_CLANG} ${FW_CLANG_FLAGS} -shared -pthread
        -D_GNU_SOURCE
        "-I$<JOIN:$<TARGET_PROPERTY:${of},INCLUDE_DIRECTORIES>,;-I>"
        -fno-builtin-atomic_thread_fence -fno-lto -falign-functions=64
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/atomic/libatomic.map
        -Wl,-z,now -Wl,-z,initfirst -Wl,--no-undefined
        "$<TARGET_PROPERTY:${of},SOURCES>" -o ${FW_ATOMIC_CLANG_FILE}
    DEPENDS furwock_atomic_shared
    COMMENT "libfurwock-atomic.so by clang ${FW_CLANG_VERSION}")
add_custom_target(furwock_atomic_clang ALL DEPENDS ${FW_ATOMIC_CLANG_FILE})

function(fw_clang_object out source)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.clang.o)
    add_custom_command(OUTPUT ${object} VERBATIM DEPFILE ${object}.d
        COMMAND ${FW_CLANG} ${FW_CLANG_FLAGS} -D_GNU_SOURCE ${ARGN}
            -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
            -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
        DEPENDS ${source} COMMENT "${source} by clang ${FW_CLANG_VERSION}")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(${out} ${object} PARENT_SCOPE)
endfunction()
