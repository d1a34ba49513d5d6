"""Writes format.txt: a journal by its documentation (journal.rs), for the test that the crate writes the same."""
import struct, zlib

SALT = 0x0123456789ABCDEF
crc = lambda data: struct.pack("<I", zlib.crc32(data))
head = b"VITRINEJ" + struct.pack("<I", 2)
head += crc(head)
head += struct.pack("<Q", SALT)
head += crc(head)
journal = head + head


def record(kind, place, snapshot, path="", data=b"", modified=0):
    global journal
    path = path.encode()
    bytes_ = b"\xf5VJ\n" + struct.pack("<BBHQQQ", kind, place, len(path), len(data), snapshot, modified)
    bytes_ += crc(path) + crc(data)
    bytes_ += crc(struct.pack("<QQ", SALT, len(journal)) + bytes_)
    journal += bytes_ + path + data


ALONE, FIRST, LAST, BETWEEN = 0, 1, 2, 3
record(6, ALONE, 3)
record(8, ALONE, 3, data=struct.pack("<Q", 3) + b"start")
record(1, ALONE, 7, "old", b"1", 9)
record(5, ALONE, 7)
record(1, ALONE, 8, "a/b", b"hi", 1700000000123)
record(2, ALONE, 9, "c")
record(4, ALONE, 10, "c", "é".encode())
record(1, FIRST, 11, "x", b"1")
record(1, BETWEEN, 11, "y", b"")
record(1, LAST, 11, "z", b"3")
record(3, ALONE, 12, "a")
record(7, ALONE, 13, "x", struct.pack("<QQ", 1, 2) + crc(b"hxyz") + b"xyz", 5)
record(8, ALONE, 13, data=struct.pack("<Q", 12) + "käse".encode())
record(9, ALONE, 13, data=b"start")
digits = journal.hex()
print("\n".join(digits[at : at + 112] for at in range(0, len(digits), 112)))
