# SPDX-License-Identifier: MIT
#
# Where the release is the generic one, a claim is refused, and the test says only that.
fw_test(NAME unit_claim LABEL unit SOURCES claim_test.c LIBS furwock furwock_private fw_cmocka)
