# SPDX-License-Identifier: MIT
#
# Tier B without its scheduler, which needs none, nor any priority.
fw_rt_test(ended)
