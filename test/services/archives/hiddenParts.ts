import { crc32 } from "node:zlib"
import { extraOf } from "../../publishing/archives/headerLies.ts"
import { type MadeEntry, zipOf } from "../../publishing/archives/makeZip.ts"
import { bytesOf } from "../../publishing/image-formats/shared/makeBytes.ts"

const encoder = new TextEncoder()
const u16 = (value: number) => [value & 0xff, (value >>> 8) & 0xff]
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)]

const evil: MadeEntry = { name: "evil.txt", content: "another" }
const EVIL_LOCAL_BYTES = 30 + 8 + 7

/** Bytes that some reader may take for a part of the archive, when it finds them at this place. */
export const hidden = (base: number) => {
  const whole = zipOf([{ ...evil, offset: base }], { directoryOffset: base + EVIL_LOCAL_BYTES })
  const directory = whole.subarray(EVIL_LOCAL_BYTES, -22)
  const zip64 = zipOf([{ ...evil, offset: base - EVIL_LOCAL_BYTES }], { zip64: { offset: base } })
  const prefix = encoder.encode("part")
  return {
    "an archive": whole,
    "an archive with a comment to the end": bytesOf(whole.subarray(0, -2), u16(40), new Uint8Array(40)),
    "an archive that counts from its beginning": zipOf([evil]),
    "an end": zipOf([]),
    "an end of no records in its place": bytesOf(zipOf([]).subarray(0, 16), u32(base), u16(0)),
    "a directory with its end": bytesOf(directory, whole.subarray(-22)),
    "a directory with its end of zip64": zip64.subarray(EVIL_LOCAL_BYTES, -22),
    "a file": whole.subarray(0, EVIL_LOCAL_BYTES),
    "a record": directory,
    "a descriptor and a file": bytesOf(
      prefix,
      u32(0x08074b50),
      u32(crc32(prefix)),
      u32(prefix.length),
      u32(prefix.length),
      whole.subarray(0, EVIL_LOCAL_BYTES)
    ),
    "a long descriptor and a file": bytesOf(
      prefix,
      u32(0x08074b50),
      u32(crc32(prefix)),
      u32(prefix.length),
      u32(0),
      u32(prefix.length),
      u32(0),
      whole.subarray(0, EVIL_LOCAL_BYTES)
    ),
    "a descriptor": bytesOf(u32(0x08074b50), new Uint8Array(12)),
    "half a signature": [0x50, 0x4b]
  }
}

/** Names of the hidden bytes. */
export const hiddenNames = Object.keys(hidden(0)) as ReadonlyArray<keyof ReturnType<typeof hidden>>

/** Data of a field that repeats a name or a comment in Unicode. */
export const unicodeOf = (name: string, crcOf = "a.txt") => [1, ...u32(crc32(crcOf)), ...encoder.encode(name)]
const withCrc = (data: ReadonlyArray<number>) => [...u32(crc32(Uint8Array.from(data))), ...data]
const asiOf = (mode: number, link = "") =>
  withCrc([...u16(mode), ...u32(link.length), ...u16(0), ...u16(0), ...encoder.encode(link)])

/** Extra fields that some reader knows. */
export const EXTRAS: ReadonlyArray<Uint8Array> = [
  extraOf(1, [5, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]),
  extraOf(1, []),
  extraOf(1, [...u32(0), ...u32(0), ...u32(0)]),
  extraOf(1, [1, 0, 0, 0]),
  extraOf(0x0007, [0, 0]),
  extraOf(0x0009, [...u32(4), ...u16(0), ...u32(0)]),
  extraOf(0x000a, [...u32(0), ...u16(1), ...u16(24), ...new Uint8Array(24)]),
  extraOf(0x000d, [...u32(0), ...u32(0), ...u16(0), ...u16(0), ...encoder.encode("/etc/x")]),
  extraOf(0x0014, [0, 0, 0, 0]),
  extraOf(0x0017, [...u16(2), ...u16(0x660e), ...u16(128), ...u16(1)]),
  extraOf(0x2605, encoder.encode("ZPIT\u0005z.txtTEXTtext")),
  extraOf(0x334d, new Uint8Array(28)),
  extraOf(0x4341, encoder.encode("ARC0xxxxxxxxxxxx")),
  extraOf(0x4453, [...u32(0), 0, ...u16(8), ...u32(0)]),
  extraOf(0x4704, new Uint8Array(4)),
  extraOf(0x5455, [1, ...u32(1e9)]),
  extraOf(0x5455, [7, ...u32(1e9)]),
  extraOf(0x5855, [...u32(1e9), ...u32(1e9)]),
  extraOf(0x6375, unicodeOf("comment", "")),
  extraOf(0x6542, [...u32(0), 0]),
  // Bit maps of libarchive, which repeat the record before the data: system, attributes, comment.
  extraOf(0x6c78, [7, ...u16(0x0314), ...u16(0), ...u32(0o120777 * 65_536)]),
  extraOf(0x6c78, [7, ...u16(0x0314), ...u16(0), ...u32(0o040755 * 65_536)]),
  extraOf(0x6c78, [7, ...u16(0x0014), ...u16(0), ...u32(0x10)]),
  extraOf(0x7075, unicodeOf("z.txt")),
  extraOf(0x7075, unicodeOf("a.txt")),
  extraOf(0x7075, [2, 0, 0]),
  extraOf(0x756e, asiOf(0o100644)),
  extraOf(0x756e, asiOf(0o120777, "b.txt")),
  extraOf(0x756e, asiOf(0o040755)),
  extraOf(0x7855, [...u16(0), ...u16(0)]),
  extraOf(0x7875, [1, 4, ...u32(0), 4, ...u32(0)]),
  extraOf(0x9901, [2, 0, 0x41, 0x45, 3, 0, 0]),
  extraOf(0xa11e, [...u16(0), 0]),
  extraOf(0xcafe, []),
  extraOf(0xd935, [...u16(4), 0]),
  extraOf(0xfb4a, new Uint8Array(16)),
  Uint8Array.of(0, 0, 0),
  Uint8Array.of(0, 0, 0, 0)
]
