import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { extraOf, wholeZip64Of } from "./headerLies.ts"
import { type MadeEnd, type MadeEntry, zipOf } from "./makeZip.ts"

const encoder = new TextEncoder()
const file: MadeEntry = { name: "a.txt", content: "hello" }
const other: MadeEntry = { name: "b.txt", content: "there" }
const END_BYTES = 22
const DESCRIPTOR_SIGNATURE = 0x08074b50

const ending = (end: MadeEnd) => zipOf([file, other], end)

/** Returns a comment of the last entry that looks like an end of zip64, which no number of the end asks for. */
const endOfZip64 = zipOf([], { zip64: {} }).subarray(0, -END_BYTES)

/** Archives of two files whose end some programs find in another place, or understand otherwise. */
export const endLies: Readonly<Record<string, Uint8Array>> = {
  "an end of no records in the comment": ending({ comment: zipOf([]) }),
  "an end in the comment that does not reach the last byte": ending({
    comment: bytesOf(zipOf([]), encoder.encode(" made by a test"))
  }),
  "the signature of an end in the last four bytes": ending({ comment: encoder.encode("PK\u0005\u0006") }),
  "the signature of an end in the length of the comment": ending({
    comment: bytesOf([5, 6], new Uint8Array(0x4b50 - 2))
  }),
  "an end of zip64 in the comment of the last entry": zipOf([file, { ...other, comment: endOfZip64 }]),
  "an end of zip64 with more than it has to have": ending({
    zip64: { isNeeded: true, more: new Uint8Array(12) }
  }),
  "bytes behind the last record": ending({ afterRecords: encoder.encode("PK\u0005\u0005\u0000\u0000") })
}

/** Archives that say to have parts on other disks. */
export const otherDisks: Readonly<Record<string, Uint8Array>> = {
  "one disk of many": ending({ disk: 1 }),
  "a directory on another disk": ending({ directoryDisk: 1 }),
  "a directory on the disk of the largest number": ending({ directoryDisk: 0xffff }),
  "an entry on another disk": zipOf([file, { ...other, disk: 1 }]),
  "an end of zip64 on another disk": ending({ zip64: { isNeeded: true, locatorDisk: 1 } }),
  "a directory of zip64 on another disk": ending({ zip64: { isNeeded: true, disk: 1 } }),
  "two disks of zip64": ending({ zip64: { isNeeded: true, disks: 2 } })
}

/** Archives whose numbers behind the data programs that read from the start find in another place. */
export const descriptorLies: Readonly<Record<string, Uint8Array>> = {
  "long numbers behind the data without zip64": zipOf([{ ...file, descriptor: "otherLength" }, other]),
  "short numbers behind the data with zip64": zipOf([
    { ...file, descriptor: "otherLength", zip64: true },
    other
  ]),
  "a checksum behind the data that looks like a signature": zipOf([
    { ...file, method: 8, descriptor: "plain", crc: DESCRIPTOR_SIGNATURE },
    other
  ]),
  "stored data that has its end within": zipOf([
    {
      ...file,
      descriptor: "signed",
      content: bytesOf(encoder.encode("partPK\u0007\u0008crc."), [4, 0, 0, 0, 4, 0, 0, 0], zipOf([other]))
    }
  ]),
  "stored data whose end has no signature, and data that has": zipOf([
    { name: "d/", descriptor: "plain" },
    { ...file, descriptor: "signed" }
  ])
}

/** Archives with an entry that some programs make another kind of than others. */
export const kindLies: Readonly<Record<string, Uint8Array>> = {
  "a file that is a directory on an Amiga": zipOf([{ ...file, madeBy: 0x0114, attributes: 0o4644 * 65_536 }]),
  "attributes that libarchive reads before the data": zipOf([
    { ...file, extra: new Uint8Array(0), local: { extra: extraOf(0x6c78, [4, 0xff, 0xa1, 0, 0]) } }
  ]),
  "a link of ASi": zipOf([
    { ...file, extra: extraOf(0x756e, [0, 0, 0, 0, 0xff, 0xa1, 0, 0, 0, 0, 0, 0, 0, 0]) }
  ]),
  "zip64 of an entry on another disk": zipOf([{ ...file, directoryExtra: wholeZip64Of(5, 0, 1) }]),
  "zip64 of an entry with half a number": zipOf([{ ...file, extra: extraOf(1, [5, 0, 0, 0]) }])
}
