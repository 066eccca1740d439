# SPDX-License-Identifier: MIT
"""The kill storm: what happens to two processes when a third one is killed?"""
