import { crc32 } from "node:zlib"
import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { type MadeEntry, zipOf } from "./makeZip.ts"

const encoder = new TextEncoder()
const file: MadeEntry = { name: "a.txt", content: "hello" }
const other: MadeEntry = { name: "b.txt", content: "there" }

const u16 = (value: number) => [value & 0xff, value >>> 8]
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)]

/** Returns an extra field. */
export const extraOf = (id: number, data: Uint8Array | ReadonlyArray<number>) =>
  bytesOf(u16(id), u16(data.length), [...data])

/** Returns the extra field of zip64, with these sizes. */
export const zip64Of = (unpacked: number, compressed: number): Uint8Array =>
  extraOf(1, [...u32(unpacked), ...u32(0), ...u32(compressed), ...u32(0)])

/** Returns the extra field of zip64 with all its numbers. Both sizes are the same. */
export const wholeZip64Of = (size: number, offset: number, disk: number): Uint8Array =>
  extraOf(1, [...u32(size), ...u32(0), ...u32(size), ...u32(0), ...u32(offset), ...u32(0), ...u32(disk)])

/** Returns the extra field with another name of the file `a.txt`. */
const unicodePathOf = (name: string) => extraOf(0x7075, [1, ...u32(crc32("a.txt")), ...encoder.encode(name)])

/** Returns an archive whose first header says this, and its directory does not. */
const saying = (local: NonNullable<MadeEntry["local"]>, entry: MadeEntry = file) =>
  zipOf([{ ...entry, extra: new Uint8Array(0), local }, other])

/** Sizes that stand in the field of zip64. */
const inZip64 = { unpacked: 0xffffffff, compressed: 0xffffffff }

const directory: MadeEntry = { name: "d/" }
const behind: MadeEntry = { ...file, descriptor: "signed" }

/** Bytes of the second entry of `saying`, which a program that believes its first one never finds. */
const HIDING_BYTES = 40

/**
 * Archives that a program that reads from the start understands otherwise than one that reads the directory. The directory of
 * each is right.
 */
export const headerLies: Readonly<Record<string, Uint8Array>> = {
  "a directory that hides the next entry": saying({ compressed: HIDING_BYTES }, directory),
  "a directory with a size before its data": saying({ unpacked: 5 }, directory),
  "a directory with a checksum before its data": saying({ crc: 5 }, directory),
  "a directory that is encrypted before its data": saying({ flags: 1 }, directory),
  "a directory in UTF-8 before its data": saying({ flags: 0x800 }, directory),
  "a directory of hidden bytes": zipOf([
    { ...directory, method: 8, unpacked: 0, packed: zipOf([other]) },
    file
  ]),
  "no sizes and no checksum before the data": saying({ crc: 0, compressed: 0, unpacked: 0 }),
  "another compressed size before the data and behind it": saying({ compressed: HIDING_BYTES }, behind),
  "another size before the data and behind it": saying({ unpacked: 9 }, behind),
  "another checksum before the data and behind it": saying({ crc: 9 }, behind),
  "another name of Unicode before the data": saying({ extra: unicodePathOf("../z.txt") }),
  "zip64 before the data with other sizes": saying({ extra: zip64Of(6, 6) }),
  "a size that zip64 before the data does not have": saying({ ...inZip64, extra: extraOf(1, []) }),
  "a size of a directory that zip64 before the data does not have": saying(
    { ...inZip64, extra: extraOf(1, []) },
    directory
  ),
  "the one size of a directory where zip64 before the data has to have two": saying(
    { ...inZip64, extra: extraOf(1, new Uint8Array(8)) },
    directory
  ),
  "zip64 twice before the data, with other sizes": saying({
    ...inZip64,
    extra: bytesOf(zip64Of(5, 5), zip64Of(6, 6))
  }),
  "zip64 twice before the data of a directory, with other sizes": saying(
    { ...inZip64, extra: bytesOf(zip64Of(0, 0), zip64Of(6, 6)) },
    directory
  ),
  "encryption by AES before the data": saying({ extra: extraOf(0x9901, [2, 0, 0x41, 0x45, 3, 0, 0]) }),
  "an extra field beyond its end before the data": saying({ extra: Uint8Array.of(0xfe, 0xca, 200, 0) })
}
