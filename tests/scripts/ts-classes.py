#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ts-classes.py CODEC FILE CLASSES: compares what the helper of ts-classes.sh says of the pictures of
a transport stream (CLASSES) with what GStreamer's codecparsers say of the same pictures.

CODEC is h264, h265 or mpeg2, the video of FILE. The parsers are called in the library that GStreamer's
own elements use, so that no header of their interface is needed."""

import collections
import ctypes
import ctypes.util
import sys

RANDOM_ACCESS, REFERENCE, NON_REFERENCE = 2, 3, 5  # GstTfrcClass
NAMES = {RANDOM_ACCESS: "random access", REFERENCE: "reference", NON_REFERENCE: "not referenced"}
TYPES = {0x1B: "h264", 0x24: "h265", 0x02: "mpeg2"}
ROOM = 1 << 16  # for structs of the library: more than the largest has


class H264NalUnit(ctypes.Structure):
    _fields_ = [("ref_idc", ctypes.c_uint16), ("type", ctypes.c_uint16), ("idr", ctypes.c_uint8), ("size", ctypes.c_uint),
                ("offset", ctypes.c_uint), ("room", ctypes.c_uint8 * 512)]


class H265NalUnit(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint8), ("layer_id", ctypes.c_uint8), ("temporal_id_plus1", ctypes.c_uint8), ("size", ctypes.c_uint),
                ("offset", ctypes.c_uint), ("room", ctypes.c_uint8 * 512)]


class H264Slice(ctypes.Structure):
    _fields_ = [("first_mb", ctypes.c_uint32), ("type", ctypes.c_uint32), ("room", ctypes.c_uint8 * ROOM)]


class MpegPacket(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_uint8), ("offset", ctypes.c_uint), ("size", ctypes.c_int)]


class MpegPicture(ctypes.Structure):
    _fields_ = [("tsn", ctypes.c_uint16), ("type", ctypes.c_uint8), ("room", ctypes.c_uint8 * 512)]


def load():
    name = ctypes.util.find_library("gstcodecparsers-1.0")
    if name is None:
        print("there is no libgstcodecparsers-1.0")
        sys.exit(77)
    library = ctypes.CDLL(name)
    for function in ("gst_h264_nal_parser_new", "gst_h265_parser_new"):
        getattr(library, function).restype = ctypes.c_void_p
    return library


class Parser:
    """Classes of pictures, each as the bytes of one PES packet."""

    def __init__(self):
        self.library = load()

    def units(self, new, unit, data):
        """Yields the NAL units in @data; a start code behind them ends the last one."""
        data += b"\0\0\1\x09\xf0"
        buffer = ctypes.create_string_buffer(data, len(data))
        at = 0
        while new(buffer, at, len(data), ctypes.byref(unit)) == 0:
            yield unit
            at = unit.offset + unit.size
            self.buffer = buffer  # what the unit points to lives as long as the unit is used


class H264(Parser):
    def __init__(self):
        super().__init__()
        self.parser = ctypes.c_void_p(self.library.gst_h264_nal_parser_new())

    def identify(self, buffer, at, size, unit):
        return self.library.gst_h264_parser_identify_nalu(self.parser, buffer, ctypes.c_uint(at), ctypes.c_size_t(size), unit)

    def picture(self, data, announced):
        for unit in self.units(self.identify, H264NalUnit(), data):
            announced |= unit.type == 7
            if unit.type not in (1, 5):
                self.library.gst_h264_parser_parse_nal(self.parser, ctypes.byref(unit))
                continue
            head = H264Slice()
            assert self.library.gst_h264_parser_parse_slice_hdr(self.parser, ctypes.byref(unit), ctypes.byref(head), 0, 0) == 0
            if unit.type == 5 or announced and unit.ref_idc and head.type % 5 in (2, 4):
                return RANDOM_ACCESS
            return REFERENCE if unit.ref_idc else NON_REFERENCE
        return None


class H265(Parser):
    def __init__(self):
        super().__init__()
        self.parser = ctypes.c_void_p(self.library.gst_h265_parser_new())

    def identify(self, buffer, at, size, unit):
        return self.library.gst_h265_parser_identify_nalu(self.parser, buffer, ctypes.c_uint(at), ctypes.c_size_t(size), unit)

    def picture(self, data, announced):
        for unit in self.units(self.identify, H265NalUnit(), data):
            if unit.type < 32:
                assert unit.temporal_id_plus1 == 1 and unit.layer_id == 0  # x265 makes no layers unless asked
                if 16 <= unit.type <= 23:
                    return RANDOM_ACCESS
                return NON_REFERENCE if unit.type < 15 and unit.type % 2 == 0 else REFERENCE
        return None


class Mpeg2(Parser):
    def picture(self, data, announced):
        buffer = ctypes.create_string_buffer(data, len(data))
        packet, picture = MpegPacket(), MpegPicture()
        at = 0
        while self.library.gst_mpeg_video_parse(ctypes.byref(packet), buffer, ctypes.c_size_t(len(data)), ctypes.c_uint(at)):
            at = packet.offset
            if packet.type == 0:
                assert self.library.gst_mpeg_video_packet_parse_picture_header(ctypes.byref(packet), ctypes.byref(picture))
                return {1: RANDOM_ACCESS, 3: NON_REFERENCE}.get(picture.type, REFERENCE)
        return None


def packets(data):
    for at in range(0, len(data) - 187, 188):
        packet = data[at:at + 188]
        field = 1 + packet[4] if packet[3] & 0x20 else 0
        yield ((packet[1] & 0x1F) << 8 | packet[2], bool(packet[1] & 0x40), field > 1 and bool(packet[5] & 0x40),
               packet[4 + field:] if packet[3] & 0x10 else b"")


def video_pid(stream, codec):
    """The PID in the first PMT, which is one packet."""
    pmt_pid = None
    for pid, start, _, payload in stream:
        if pid == 0 and start:
            for at in range(9, 4 + ((payload[2] & 0xF) << 8 | payload[3]) - 4, 4):
                if payload[at:at + 2] != b"\0\0":
                    pmt_pid = (payload[at + 2] & 0x1F) << 8 | payload[at + 3]
        elif pid == pmt_pid and start:
            at = 13 + ((payload[11] & 0xF) << 8 | payload[12])
            while at < 4 + ((payload[2] & 0xF) << 8 | payload[3]) - 4:
                if TYPES.get(payload[at]) == codec:
                    return (payload[at + 1] & 0x1F) << 8 | payload[at + 2]
                at += 5 + ((payload[at + 3] & 0xF) << 8 | payload[at + 4])
    sys.exit(f"no {codec} in the stream")


def main():
    codec, movie, classes = sys.argv[1:]
    stream = list(packets(open(movie, "rb").read()))
    said = [tuple(map(int, line.split())) for line in open(classes, encoding="ascii")]
    pid = video_pid(stream, codec)
    assert len(said) == len(stream) and all(a[0] == b[0] for a, b in zip(said, stream, strict=True))

    # Pictures of the stream: bytes, random_access_indicator, and what was said of their packets
    pictures = []
    for (its_pid, start, random_access, payload), (_, its_class, picture, group) in zip(stream, said, strict=True):
        if its_pid != pid or not payload:
            continue
        if start:
            pictures.append([b"", random_access, []])
        if pictures:
            pictures[-1][0] += payload
            pictures[-1][2].append((its_class, picture, group))

    parser = {"h264": H264, "h265": H265, "mpeg2": Mpeg2}[codec]()
    wrong = guesses = groups = 0
    counts = collections.Counter()
    for number, (pes, random_access, said_of) in enumerate(pictures, 1):
        expected = parser.picture(pes[9 + pes[8]:], random_access)
        counts[expected] += 1
        groups += expected == RANDOM_ACCESS
        guesses += sum(its_class != said_of[-1][0] for its_class, _, _ in said_of)
        if said_of[-1][0] != expected or any(picture != number for _, picture, _ in said_of) or said_of[-1][2] != groups:
            wrong += 1
            if wrong <= 20:
                print(f"picture {number}: {NAMES.get(expected)}, group {groups}; said {said_of[0]} ... {said_of[-1]}")
    print(f"{codec}: {len(pictures)} pictures, " + ", ".join(f"{counts[c]} {name}" for c, name in NAMES.items())
          + f"; {wrong} wrong, {guesses} packets guessed otherwise")
    return wrong > 0 or not all(counts[c] for c in NAMES) or None in counts


if __name__ == "__main__":
    sys.exit(main())
