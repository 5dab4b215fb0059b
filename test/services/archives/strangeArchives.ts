import * as fc from "fast-check"
import { extraOf } from "../../publishing/archives/headerLies.ts"
import { type MadeEnd, type MadeEntry, zipOf } from "../../publishing/archives/makeZip.ts"
import { bytesOf } from "../../publishing/image-formats/shared/makeBytes.ts"
import { type Field, fieldsOf } from "./archiveFields.ts"
import { EXTRAS, hidden, hiddenNames, unicodeOf } from "./hiddenParts.ts"

const encoder = new TextEncoder()

/** A place for bytes: at `base` of the archive. */
type Bytes = (base: number) => Uint8Array

const hiding: fc.Arbitrary<Bytes> = fc
  .record({ what: fc.constantFrom(...hiddenNames), gap: fc.constantFrom(0, 0, 0, 1, 3) })
  .map(
    ({ gap, what }) =>
      (base) =>
        bytesOf(new Uint8Array(gap), hidden(base + gap)[what])
  )

const text: fc.Arbitrary<Bytes> = fc
  .constantFrom("", "hello", "hello", "words ".repeat(20))
  .map((it) => () => encoder.encode(it))

const extras: fc.Arbitrary<Bytes> = fc.oneof(
  { arbitrary: fc.constant(() => new Uint8Array(0)), weight: 4 },
  {
    arbitrary: fc
      .array(fc.constantFrom(...EXTRAS), { minLength: 1, maxLength: 2 })
      .map((all) => () => bytesOf(...all)),
    weight: 3
  },
  { arbitrary: hiding.map((at) => (base: number) => extraOf(0xcafe, at(base + 4))), weight: 1 }
)

/** Makes one value of seven, and undefined in place of the others. */
const seldom = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 6 }, { arbitrary, weight: 1 })

const NAMES = [
  "a.txt",
  "b.txt",
  "C.TXT",
  "d/",
  "d/e.txt",
  "f/g/h",
  "é.txt",
  "a.txt;1",
  "k:l",
  "q?",
  "-n",
  "a b",
  "%41",
  "#U0041",
  "~x",
  "$HOME",
  "*.x",
  "[a]",
  "._a.txt",
  "__MACOSX/._a.txt",
  "META-INF/MANIFEST.MF",
  "[Content_Types].xml",
  "mimetype"
]

const MODES = [0, 0, 0, 0, 0, 0o644, 0o4644, 0o2644, 0o1000, 0o100644, 0o104755, 0o040755].map(
  (mode) => mode * 65_536
)
const DOS = [0, 0, 0, 0, 0, 0, 0, 0x20, 0x20, 0x01, 0x40, 0x80, 0x400, 0x2000, 0x08, 0x10]
const SYSTEMS = [3, 3, 3, 3, 0, 0, ...Array.from({ length: 32 }, (_, system) => system)]

/** A second statement of a name or a comment, in Unicode: the same one, or another. */
const UNICODE: ReadonlyArray<(name: string) => Uint8Array> = [
  (name) => extraOf(0x7075, unicodeOf(name, name)),
  (name) => extraOf(0x7075, unicodeOf(name, name)),
  (name) => extraOf(0x7075, unicodeOf(`${name}x`, name)),
  (name) => extraOf(0x7075, unicodeOf(name, `${name}x`)),
  (name) => extraOf(0x7075, [2, ...unicodeOf(name, name).slice(1)]),
  () => extraOf(0x6375, unicodeOf("", "")),
  (name) => bytesOf(extraOf(0x7075, unicodeOf(name, name)), extraOf(0x7075, unicodeOf("z", name)))
]

interface Draft {
  readonly entry: MadeEntry
  readonly unicode: ((name: string) => Uint8Array) | undefined
  readonly content: Bytes
  readonly extra: Bytes
  readonly directoryExtra: Bytes | undefined
  readonly comment: Bytes | undefined
}

const draft: fc.Arbitrary<Draft> = fc.record({
  entry: fc
    .record({
      name: fc.constantFrom(...NAMES),
      method: fc.constantFrom(0, 0, 8),
      madeBy: fc
        .tuple(fc.constantFrom(...SYSTEMS), fc.constantFrom(20, 20, 63, 0))
        .map(([system, version]) => system * 256 + version),
      attributes: fc
        .tuple(fc.constantFrom(...MODES), fc.constantFrom(...DOS))
        .map(([mode, dos]) => mode + dos),
      zip64: fc.constantFrom(false, false, false, true),
      flags: fc.constantFrom(0, 0, 0x800)
    })
    .chain((entry) =>
      fc.constantFrom<MadeEntry>(
        entry,
        entry,
        entry,
        // Java before 23 ends a stream without a word behind an empty file with long numbers.
        ...(entry.zip64 && entry.method === 8
          ? []
          : (["signed", "plain"] as const).map((descriptor): MadeEntry =>
              Object.assign({ descriptor }, entry)
            ))
      )
    ),
  unicode: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 2 },
    { arbitrary: fc.constantFrom(...UNICODE), weight: 1 }
  ),
  content: fc.oneof({ arbitrary: text, weight: 4 }, { arbitrary: hiding, weight: 1 }),
  extra: extras,
  directoryExtra: seldom(extras),
  comment: seldom(fc.oneof(hiding, text))
})

/** A field to change: to a number, for one record or for both of its entry. */
interface Change {
  readonly field: number
  readonly value: number
  readonly isOnBoth: boolean
  readonly isDifference: boolean
}

const VALUES = [
  0, 1, 2, 3, 4, 5, 8, 9, 10, 16, 20, 45, 46, 47, 63, 64, 100, 0x4b50, 0x800, 0x808, 0xff, 0xff00, 0xffff,
  0x1000, 0x4000, 0x8000, 0x0605_4b50, 0x0807_4b50, 0x0201_4b50, 0x0403_4b50, 0x8000_0000, 0xffff_ffff
]

const change: fc.Arbitrary<Change> = fc.record({
  field: fc.nat(999),
  value: fc.oneof(
    fc.constantFrom(...VALUES),
    fc.nat(15).map((bit) => 2 ** bit)
  ),
  isOnBoth: fc.boolean(),
  isDifference: fc.boolean()
})

const write = (bytes: Buffer, { at, size }: Field, value: number) => {
  if (size === 2) bytes.writeUInt16LE(value & 0xffff, at)
  else bytes.writeUInt32LE(value >>> 0, at)
}

const changed = (archive: Uint8Array, { field, isDifference, isOnBoth, value }: Change) => {
  const bytes = Buffer.from(archive)
  const fields = fieldsOf(archive)
  const chosen = fields[field % fields.length]
  if (chosen === undefined) return bytes
  const isTwin = (it: Field) => isOnBoth && it.name === chosen.name && it.entry === chosen.entry
  for (const it of fields.filter((other) => other === chosen || isTwin(other))) {
    const old = it.size === 2 ? bytes.readUInt16LE(it.at) : bytes.readUInt32LE(it.at)
    write(bytes, it, isDifference ? old ^ value : value)
  }
  return bytes
}

/** Writes bytes that know their place: first with another place, to find theirs. */
const placed = (made: (at: (bytes: Bytes) => Uint8Array) => Uint8Array) => {
  const known = new Map<Bytes, Uint8Array>()
  const first = made((bytes) => {
    const written = bytes(0)
    known.set(bytes, written)
    return written
  })
  return made((bytes) => {
    const place = Buffer.from(first).lastIndexOf(known.get(bytes) ?? new Uint8Array(0))
    return bytes(Math.max(0, place))
  })
}

/** Archives that are valid, or nearly so, and have parts of others in all places that may have any bytes. */
export const strangeArchive: fc.Arbitrary<Uint8Array> = fc
  .record({
    drafts: fc.uniqueArray(draft, { minLength: 1, maxLength: 3, selector: ({ entry }) => entry.name }),
    comment: seldom(fc.oneof(hiding, text)),
    before: seldom(fc.constant<Bytes>(() => encoder.encode("#!"))),
    zip64: seldom(
      fc.constantFrom<NonNullable<MadeEnd["zip64"]>>(
        true,
        true,
        { isNeeded: true, more: new Uint8Array(8) },
        {}
      )
    ),
    disks: seldom(fc.constantFrom<Partial<MadeEnd>>({ directoryDisk: 1 }, { disk: 1 })),
    repeated: seldom(fc.constant(1)),
    changes: fc.oneof(
      { arbitrary: fc.constant<ReadonlyArray<Change>>([]), weight: 2 },
      { arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }), weight: 3 },
      { arbitrary: fc.array(change, { minLength: 2, maxLength: 2 }), weight: 1 }
    )
  })
  .map(({ before, changes, comment, disks, drafts, repeated = 0, zip64 }) => {
    const archive = placed((at) => {
      const entries = drafts.map(
        ({ comment: said, content, directoryExtra, entry, extra, unicode }): MadeEntry => {
          const repeated = unicode?.(`${entry.name}`) ?? new Uint8Array(0)
          const isDirectory = `${entry.name}`.endsWith("/")
          return {
            ...entry,
            ...(entry.name === "é.txt" ? { flags: 0x800, madeBy: 0x0314 } : {}),
            content: isDirectory ? "" : at(content),
            extra: bytesOf(repeated, at(extra)),
            ...(directoryExtra === undefined ? {} : { directoryExtra: at(directoryExtra) }),
            ...(said === undefined ? {} : { comment: at(said) })
          }
        }
      )
      const end: MadeEnd = {
        ...disks,
        ...(comment === undefined ? {} : { comment: at(comment) }),
        ...(before === undefined ? {} : { before: at(before) }),
        ...(zip64 === undefined ? {} : { zip64 })
      }
      return zipOf([...entries, ...entries.slice(0, repeated)], end)
    })
    // Names in other letters are the same to all readers only as they are.
    if (drafts.some(({ entry }) => entry.name === "é.txt")) return archive
    let bytes: Uint8Array = archive
    for (const it of changes) bytes = changed(bytes, it)
    return bytes
  })
