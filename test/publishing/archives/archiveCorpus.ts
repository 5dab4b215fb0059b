import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { descriptorLies, endLies, kindLies, otherDisks } from "./endLies.ts"
import { headerLies, wholeZip64Of, zip64Of } from "./headerLies.ts"
import { filesOf, type MadeEnd, type MadeEntry, zipOf } from "./makeZip.ts"
import { ordinary } from "./ordinaryArchives.ts"
import { unicodeAgreements, unicodeLies, unicodeUnsafe } from "./unicodeFields.ts"

const encoder = new TextEncoder()
/** A file of an archive. */
export const file: MadeEntry = { name: "a.txt", content: "hello" }
const other: MadeEntry = { name: "b.txt", content: "there" }
const MEBIBYTE = 1024 * 1024

/** An entry that declares these sizes. Nothing is inflated, so the data need not have them. */
const declaring = (name: string, unpacked: number, compressed: number): MadeEntry => ({
  name,
  method: 8,
  unpacked,
  packed: new Uint8Array(compressed)
})
const ending = (end: MadeEnd) => zipOf([file, other], end)
/** An archive with one file of this name. */
export const named = (name: string | Uint8Array, flags = 0x800) => zipOf([{ name, content: "x", flags }])
const unix = (mode: number) => (mode << 16) >>> 0
const nested = (depth: number) => [...Array.from({ length: depth - 1 }, () => "d"), "f"].join("/")
/** Directories that stand in names alone, with a file in the last ones. */
const directories = (count: number) =>
  zipOf(
    Array.from({ length: count }, (_, index) => ({ name: `d${index}/`, content: "" })).concat({
      name: "f",
      content: "x"
    })
  )
const implied = (count: number) => zipOf(filesOf(count, (index) => `d${index}/f`))

/** Archives that every program unpacks to the same files. */
export const accepted: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(
    Object.entries(ordinary).map(([writer, base64]) => [
      `an archive of ${writer}`,
      new Uint8Array(Buffer.from(base64, "base64"))
    ])
  ),
  ...unicodeAgreements,
  "stored and deflated files": zipOf([file, { name: "b", content: "x".repeat(99), method: 8 }]),
  "zip64 at its end": ending({ zip64: true }),
  "zip64 at its end that it needs": ending({ zip64: { isNeeded: true } }),
  "zip64 at its end, and a comment": ending({ zip64: true, comment: encoder.encode("made by a test") }),
  "zip64 of an entry": zipOf([{ ...file, zip64: true }, other]),
  "zip64 of an entry that has no need of it": zipOf([{ ...file, extra: zip64Of(5, 5) }]),
  "zip64 of an entry behind its data": zipOf([{ ...file, zip64: true, descriptor: "signed" }, other]),
  "sizes behind the data, without their signature": zipOf([{ ...file, descriptor: "plain" }, other]),
  "deflated directories, before and behind their sizes": zipOf([
    { name: "d/", method: 8 },
    { name: "e/", method: 8, descriptor: "signed" },
    file
  ]),
  "sizes before and behind the data": zipOf([
    { ...file, descriptor: "signed", local: { compressed: 5, unpacked: 5 } },
    other
  ]),
  "zip64 before the data alone": zipOf([
    { ...file, extra: new Uint8Array(0), local: { extra: zip64Of(5, 5) } },
    other
  ]),
  "a comment": ending({ comment: encoder.encode("made by a test") }),
  "the longest comment": ending({ comment: new Uint8Array(0xffff) }),
  "zip64 of an entry with the number of its disk": zipOf([
    { ...file, directoryExtra: wholeZip64Of(5, 0, 0) }
  ]),
  "a stored archive in a stream of stored files": zipOf([
    { name: "in.zip", content: zipOf([{ ...file, descriptor: "signed" }]), descriptor: "signed" },
    other
  ]),
  "300 records": zipOf([
    ...filesOf(128, (i) => `d${i % 86}/${i}`),
    ...Array.from({ length: 128 }, (_, i) => ({ name: `d${i}/` }))
  ]),
  "128 files": zipOf(filesOf(128)),
  "128 directories": directories(128),
  "128 directories in names": implied(128),
  "100 MiB unpacked": zipOf([declaring("a", 100 * MEBIBYTE, 420_000)]),
  "20 MiB at any ratio": zipOf([declaring("a", 20 * MEBIBYTE, 10)]),
  "250 : 1 beyond 20 MiB": zipOf([declaring("a", 25_000_000, 100_000)]),
  "a name of 255 bytes": named("n".repeat(255)),
  "32 levels": named(nested(32)),
  "names in all scripts": zipOf(
    ["книга.txt", "本.txt", "كتاب", "é", "e\u0301x"].map((name) => ({ name, flags: 0x800, content: "x" }))
  ),
  "names in UTF-8 without its flag": named("é.txt", 0),
  "bits of set-id, which unpacking ignores": zipOf([{ ...file, attributes: unix(0o104755) }]),
  "a directory with its mode": zipOf([
    { name: "d/", attributes: unix(0o040755) },
    { name: "d/f", attributes: unix(0o100644) }
  ])
}

/** Archives to refuse, by the code of their refusal. */
export const refused: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
  unsupported_type: {
    "an empty file": new Uint8Array(0),
    "an empty archive": zipOf([]),
    "another type": encoder.encode("%PDF-1.7 and more than twenty-two bytes"),
    "bytes before the first entry": ending({ before: encoder.encode("MZ stub") }),
    ...otherDisks,
    "the mark of a split archive": Uint8Array.from([0x50, 0x4b, 7, 8, ...ending({})])
  },
  ambiguous: {
    "a truncated archive": ending({}).subarray(0, 60),
    "another name before the data": zipOf([{ ...file, local: { name: "z.txt" } }]),
    "another method before the data": zipOf([{ ...file, local: { method: 8 } }]),
    "another size before the data": zipOf([{ ...file, local: { unpacked: 6 } }]),
    "another checksum before the data": zipOf([{ ...file, local: { crc: 1 } }]),
    "another flag before the data": zipOf([{ ...file, local: { flags: 1 } }]),
    "a directory with another name before its data": zipOf([file, { name: "d/", local: { name: "e/" } }]),
    "a wrong descriptor": zipOf([{ ...file, descriptor: "wrong" }, other]),
    "a stored entry of two sizes": zipOf([{ ...file, unpacked: 9 }]),
    "a lower count": ending({ count: 1, countOnDisk: 1 }),
    "a higher count": ending({ count: 3, countOnDisk: 3 }),
    "two counts": ending({ countOnDisk: 1 }),
    "a wrong offset of the directory": ending({ directoryOffset: 1 }),
    "a wrong size of the directory": ending({ directoryBytes: 10 }),
    "bytes after the end": ending({ after: encoder.encode("tail") }),
    "bytes before the directory": ending({ beforeDirectory: encoder.encode("hidden") }),
    "a gap between entries": zipOf([{ ...file, gap: zipOf([other]).subarray(0, 40) }, other]),
    "overlapping entries": zipOf([file, { ...other, offset: 0 }]),
    "a second end in the comment": ending({ comment: zipOf([file]) }),
    "an end of zip64 with another count": ending({ zip64: { count: 1 } }),
    "an end of zip64 with another offset": ending({ zip64: { offset: 3 } }),
    "a directory with content": zipOf([file, { name: "d/", content: "x" }]),
    "a file with the attribute of a directory": zipOf([{ ...file, attributes: 0x10 }]),
    "zip64 of an entry twice, with other sizes": zipOf([
      {
        ...file,
        extra: bytesOf(zip64Of(6, 6), zip64Of(5, 5)),
        local: { extra: new Uint8Array(0) }
      }
    ]),
    "zip64 of an entry that it needs and lacks": zipOf([
      { ...file, compressed: 0xffffffff, unpacked: 0xffffffff }
    ]),
    "zip64 before the data that contradicts the directory": zipOf([
      { ...file, zip64: true, local: { unpacked: 6 } }
    ]),
    "zip64 of an entry that contradicts its record": zipOf([{ ...file, extra: zip64Of(6, 6) }]),
    "301 records": zipOf(filesOf(301)),
    ...headerLies,
    ...endLies,
    ...descriptorLies,
    ...kindLies,
    ...unicodeLies
  },
  encrypted: {
    "an encrypted entry": zipOf([{ ...file, flags: 1, packed: new Uint8Array(17), unpacked: 5 }]),
    "strong encryption": zipOf([{ ...file, flags: 0x41 }]),
    "an entry of AES": zipOf([{ ...file, flags: 1, method: 99 }]),
    "masked headers": zipOf([{ ...file, flags: 0x2000 }])
  },
  unsupported_method: Object.fromEntries(
    [1, 9, 12, 14, 93, 95, 97].map((method) => [`method ${method}`, zipOf([{ ...file, method }])])
  ),
  unsafe_name: Object.fromEntries([
    ...Object.entries(unicodeUnsafe),
    ...[
      "",
      "/etc/passwd",
      "C:/x",
      "c:x",
      "\\\\host\\x",
      "a\\b",
      "../x",
      "a/../x",
      "..",
      "./x",
      "a//b",
      "a\u0000b",
      "a\u0007b",
      "a\u0085b",
      "a\u202eb",
      "a\u2066b",
      "a.",
      "a ",
      "d./x",
      "a.txt;1",
      "a;",
      "d;22/x",
      "CON",
      "con.txt",
      "d/NUL",
      "LPT9.tar.gz",
      "com¹",
      "n".repeat(256),
      nested(33)
    ].flatMap((name) => [
      [JSON.stringify(name.slice(0, 40)), named(name)],
      [`${JSON.stringify(name.slice(0, 40))} without the flag of UTF-8`, named(name, 0)]
    ])
  ]),
  not_regular: {
    ...Object.fromEntries(
      [0o120777, 0o020666, 0o060660, 0o010644, 0o140755].map((mode) => [
        mode.toString(8),
        zipOf([{ ...file, attributes: unix(mode) }])
      ])
    ),
    "the name of a disk": zipOf([file, { ...other, madeBy: 20, attributes: 0x8 }]),
    "a link of Windows": zipOf([file, { ...other, madeBy: 20, attributes: 0x420 }])
  },
  duplicate_name: {
    "twice the same": zipOf([file, file]),
    "in another case": zipOf([file, { ...file, name: "A.TXT" }]),
    "in another form of Unicode": zipOf([
      { ...file, name: "é" },
      { ...file, name: "e\u0301" }
    ]),
    "a file that is a directory": zipOf([
      { ...file, name: "a" },
      { ...file, name: "A/b" }
    ]),
    "a file and a directory": zipOf([{ ...file, name: "a" }, { name: "a/" }]),
    "a directory twice": zipOf([{ name: "d/" }, { name: "D/" }, file])
  },
  no_files: { "directories alone": zipOf([{ name: "d/" }]) },
  too_many_files: { "129 files": zipOf(filesOf(129)) },
  too_many_directories: {
    "129 directories": directories(129),
    "129 directories in names": zipOf([...filesOf(128, (index) => `d${index}/f`), { name: "d128/" }])
  },
  too_large_unpacked: { "a byte more than 100 MiB": zipOf([declaring("a", 100 * MEBIBYTE + 1, 420_000)]) },
  ratio: {
    "a byte more than 250 : 1": zipOf([declaring("a", 25_000_001, 100_000)]),
    "a byte more than 20 MiB, of two files": zipOf([
      declaring("a", 20 * MEBIBYTE, 10),
      declaring("b", 1, 83_000)
    ])
  }
}
