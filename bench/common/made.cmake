# SPDX-License-Identifier: MIT
#
# Of what the benchmarks are made: cmake -D SOURCE=DIR -D VERSION=X -D OUTPUT=FILE -P made.cmake
# writes it as a JSON object, with each build; their results carry it (front/made.py, made.c).
#
#   commit    of the sources; null without git
#   clean     whether the tree was as committed
#   versions  of furwock and of its rivals, as far as somebody can tell

function(ask result)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE said ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
    if(NOT status STREQUAL "0")
        set(said "")
    endif()
    set(${result} "${said}" PARENT_SCOPE)
endfunction()

set(versions "\"furwock\": \"${VERSION}\"")
macro(add_version name version)
    if(NOT "${version}" STREQUAL "")
        string(APPEND versions ", \"${name}\": \"${version}\"")
    endif()
endmacro()

ask(commit git rev-parse --short=12 HEAD)
ask(changes git status --porcelain)
if(commit STREQUAL "")
    set(commit null)
    set(clean null)
else()
    set(commit "\"${commit}\"")
    set(clean true)
    if(NOT changes STREQUAL "")
        set(clean false)
    endif()
endif()

# pthread, posix, c11 and sysv are of the C library, std of the C++ library.
foreach(rival glibc=libc6 libstdc++=libstdc++6 libatomic=libatomic1 nsync=libnsync-dev
        abseil=libabsl-dev tbb=libtbb-dev boost=libboost-dev ck=libck-dev)
    string(REPLACE "=" ";" pair ${rival})
    list(GET pair 0 name)
    list(GET pair 1 package)
    ask(version dpkg-query --show --showformat "\${Version};" ${package})
    if(NOT version STREQUAL "")
        list(GET version 0 version) # of several architectures
        add_version(${name} "${version}")
    endif()
endforeach()
ask(version rustc --version)
add_version(rust-std "${version}")
file(STRINGS ${SOURCE}/bench/adapters/rivals/rust/Cargo.lock lock)
string(REGEX MATCH "name = \"parking_lot\";version = \"([^\"]*)\"" found "${lock}")
add_version(parking_lot "${CMAKE_MATCH_1}")

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
    "{\"commit\": ${commit}, \"clean\": ${clean}, \"versions\": {${versions}}}\n" @ONLY)
