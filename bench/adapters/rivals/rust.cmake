# SPDX-License-Identifier: MIT
#
# The rivals from Rust: a small crate, built by cargo while CMake configures, because whether it
# can be built decides which adapters there are.  std's mutex needs the compiler only; parking_lot
# has to be fetched once.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    rivals/rust/Cargo.toml rivals/rust/Cargo.lock rivals/rust/lib.rs rivals/rust/std_face.rs
    rivals/rust/parking_lot_face.rs rivals/rust/parking_lot_cond_face.rs
    rivals/rust/parking_lot_rw_face.rs)
set(rust_fetched parking_lot rw:parking_lot cond:parking_lot)

find_program(CARGO_EXECUTABLE cargo)
mark_as_advanced(CARGO_EXECUTABLE)
set(rust_target_dir ${CMAKE_CURRENT_BINARY_DIR}/rust)
set(rust_library ${rust_target_dir}/release/librivals.a)

# rust_cargo(RESULT ARGS...): runs cargo on the crate; stays inside the build tree.
function(rust_cargo result command)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env CARGO_TARGET_DIR=${rust_target_dir} CARGO_NET_RETRY=1
            CARGO_HTTP_TIMEOUT=20 ${CARGO_EXECUTABLE} ${command} --quiet --locked ${ARGN}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/rivals/rust
        TIMEOUT 300
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/rust-${command}.log "${output}")
    set(${result} ${status} PARENT_SCOPE)
endfunction()

if(NOT CARGO_EXECUTABLE)
    missing_adapters("cargo" ${rust_fetched} rust-std)
    return()
elseif(CMAKE_CROSSCOMPILING)
    missing_adapters("cargo is not set up for another CPU here"
        ${rust_fetched} rust-std)
    return()
endif()

# What was fetched before is used without asking the network.
rust_cargo(rust_status build --release --offline --features parking_lot)
if(NOT rust_status STREQUAL "0")
    rust_cargo(rust_status build --release --features parking_lot)
endif()
if(rust_status STREQUAL "0")
    add_adapters(rivals/parking_lot.c)
else()
    missing_adapters("cargo could not fetch or build the crate" ${rust_fetched})
    rust_cargo(rust_status build --release --offline)
endif()
if(rust_status STREQUAL "0")
    add_adapters(rivals/rust_std.c ${rust_library} gcc_s ${CMAKE_DL_LIBS} m)
else()
    missing_adapters("cargo could not build the crate" rust-std)
endif()
