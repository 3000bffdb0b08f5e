#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a transport stream that has clock references and nothing else: 100 packets in a second."""

import sys

for n in range(100):
    pcr = n * 900
    head = bytes((0x47, 0x01, 0x00, 0x20 | n % 16, 183, 0x10)) + ((pcr << 15) | 0x7E00).to_bytes(6, "big")
    sys.stdout.buffer.write(head + bytes(0xFF for _ in range(188 - len(head))))
