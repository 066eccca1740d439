# SPDX-License-Identifier: MIT
BUILD ?= build

build:
	cmake -S . -B $(BUILD)
	cmake --build $(BUILD)

test: build
	cd $(BUILD) && ctest --output-on-failure

clean:
	rm -rf $(BUILD)

.PHONY: build test clean
