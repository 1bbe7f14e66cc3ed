#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""edk2.py IMAGE: the variables of an edk2 store, read without tacit: an oracle for its answers.

Prints a JSON array of the records that are current values, in the order of the store, with what
`tacit vars list` says about each and the data. The layout is that of edk2's VariableFormat.h: a
firmware volume header, a store header at 0x48, records of 60 bytes and name and data from 0x64.
"""
import json
import struct
import sys
import uuid

RECORD = struct.Struct("<HBBIQ16sIII16s")
SHORT = ["nv", "bs", "rt", "hr", "aw", "at", "append"]


def records(image):
    size = struct.unpack_from("<I", image, 0x58)[0]
    at = 0x64
    while at + RECORD.size <= 0x48 + size:
        start, state, _, attr, _, time, _, name_size, data_size, guid = RECORD.unpack_from(image, at)
        if start != 0x55AA:
            return
        name_at = at + RECORD.size
        data_at = name_at + name_size
        name = image[name_at:data_at].decode("utf-16-le").rstrip("\0")
        yield {
            "name": name,
            "guid": str(uuid.UUID(bytes_le=guid)),
            "attributes": [word for bit, word in enumerate(SHORT) if attr >> bit & 1],
            "attr": attr,
            "size": data_size,
            "state": state,
            "time": text_of(time),
            "data": image[data_at:data_at + data_size].hex(),
        }
        at = (data_at + data_size + 3) & ~3


def text_of(time):
    fields = struct.unpack_from("<HBBBBB", time)
    return "%04d-%02d-%02dT%02d:%02d:%02d" % fields if any(fields) else None


def main():
    with open(sys.argv[1], "rb") as file:
        image = file.read(0x100000)
    live = [record for record in records(image) if record["state"] in (0x3F, 0x3E)]
    for record in live:
        record["state"] = "live"
    json.dump(live, sys.stdout)


main()
