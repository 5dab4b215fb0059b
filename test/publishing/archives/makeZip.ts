import { crc32, deflateRawSync } from "node:zlib"
import { bytesOf } from "../image-formats/shared/makeBytes.ts"

const encoder = new TextEncoder()

/** An entry to write, with every field that an archive may lie about. */
export interface MadeEntry {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly method?: number
  readonly flags?: number
  /** External attributes, as the directory has them. */
  readonly attributes?: number
  /** Version and system of its writer: 2.0 of Unix by default. */
  readonly madeBy?: number
  readonly comment?: Uint8Array
  /** Number of the disk on which it begins, as the directory has it. */
  readonly disk?: number
  readonly crc?: number
  /** Unpacked bytes, as the directory and the header declare them. */
  readonly unpacked?: number
  readonly packed?: Uint8Array
  readonly compressed?: number
  readonly extra?: Uint8Array
  /** Has its sizes in the extra field of zip64. */
  readonly zip64?: boolean
  /** Has its sizes behind the data, as a writer that cannot seek does. */
  readonly descriptor?: "plain" | "signed" | "wrong" | "otherLength"
  /** Members of its local header that contradict the directory. */
  readonly local?: {
    readonly name?: string
    readonly method?: number
    readonly flags?: number
    readonly crc?: number
    readonly compressed?: number
    readonly unpacked?: number
    readonly extra?: Uint8Array
  }
  /** Extra area in the directory alone. */
  readonly directoryExtra?: Uint8Array
  /** Bytes after its data. */
  readonly gap?: Uint8Array
  /** Offset in the directory, in place of its own. */
  readonly offset?: number
}

/** Members of the end of an archive that are not true. */
export interface MadeEnd {
  readonly before?: Uint8Array
  readonly beforeDirectory?: Uint8Array
  readonly after?: Uint8Array
  readonly comment?: Uint8Array
  readonly count?: number
  readonly countOnDisk?: number
  readonly disk?: number
  /** Number of the disk on which the directory begins, when it is another one. */
  readonly directoryDisk?: number
  readonly directoryOffset?: number
  readonly directoryBytes?: number
  /** Writes an end of zip64, with these lies. */
  readonly zip64?: boolean | Zip64Lies
  /** Bytes after the directory that belong to it. */
  readonly afterRecords?: Uint8Array
}

/** Numbers of an end of zip64 that are not true. */
interface Zip64Lies {
  readonly count?: number
  readonly offset?: number
  readonly disk?: number
  readonly locatorDisk?: number
  readonly disks?: number
  /** Leaves the numbers of the end out, as a writer does that needs zip64. */
  readonly isNeeded?: boolean
  /** Bytes after its record that belong to it. */
  readonly more?: Uint8Array
}

const u16 = (value: number) => [value & 0xff, (value >>> 8) & 0xff]
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)]
const u64 = (value: number) => [...u32(value >>> 0), ...u32(Math.floor(value / 2 ** 32))]

const asBytes = (text: string | Uint8Array) => (typeof text === "string" ? encoder.encode(text) : text)

const partsOf = (entry: MadeEntry) => {
  const name = asBytes(entry.name)
  const content = asBytes(entry.content ?? "")
  const method = entry.method ?? 0
  const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content)
  const unpacked = entry.unpacked ?? content.length
  const crc = entry.crc ?? crc32(content)
  const flags = (entry.flags ?? 0) | (entry.descriptor === undefined ? 0 : 8)
  const compressed = entry.compressed ?? packed.length
  return { name, method, packed, unpacked, crc, flags, compressed }
}

const zip64Extra = (unpacked: number, compressed: number) =>
  bytesOf(u16(1), u16(16), u64(unpacked), u64(compressed))

const localOf = (entry: MadeEntry) => {
  const it = partsOf(entry)
  const name = entry.local?.name === undefined ? it.name : encoder.encode(entry.local.name)
  const isLate = entry.descriptor !== undefined
  const unpacked = entry.local?.unpacked ?? (isLate ? 0 : it.unpacked)
  const compressed = entry.local?.compressed ?? (isLate ? 0 : it.compressed)
  const crc = entry.local?.crc ?? (isLate ? 0 : it.crc)
  const extra = bytesOf(
    entry.zip64 === true ? zip64Extra(unpacked, compressed) : [],
    entry.local?.extra ?? entry.extra ?? []
  )
  const sizes =
    entry.zip64 === true && !isLate
      ? [...u32(crc), ...u32(0xffffffff), ...u32(0xffffffff)]
      : [...u32(crc), ...u32(compressed), ...u32(unpacked)]
  const descriptor =
    entry.descriptor === undefined
      ? []
      : [
          ...(entry.descriptor === "plain" ? [] : u32(0x08074b50)),
          ...u32(entry.descriptor === "wrong" ? it.crc ^ 1 : it.crc),
          ...((entry.zip64 === true) !== (entry.descriptor === "otherLength")
            ? [...u64(it.compressed), ...u64(it.unpacked)]
            : [...u32(it.compressed), ...u32(it.unpacked)])
        ]
  return bytesOf(
    u32(0x04034b50),
    u16(20),
    u16(entry.local?.flags ?? it.flags),
    u16(entry.local?.method ?? it.method),
    u32(0x5a21_0000),
    sizes,
    u16(name.length),
    u16(extra.length),
    name,
    extra,
    it.packed,
    descriptor,
    entry.gap ?? []
  )
}

const recordOf = (entry: MadeEntry, offset: number) => {
  const it = partsOf(entry)
  const extra = bytesOf(
    entry.zip64 === true ? zip64Extra(it.unpacked, it.compressed) : [],
    entry.directoryExtra ?? entry.extra ?? []
  )
  const isLong = entry.zip64 === true
  return bytesOf(
    u32(0x02014b50),
    u16(entry.madeBy ?? 0x0314),
    u16(20),
    u16(it.flags),
    u16(it.method),
    u32(0x5a21_0000),
    u32(it.crc),
    u32(isLong ? 0xffffffff : it.compressed),
    u32(isLong ? 0xffffffff : it.unpacked),
    u16(it.name.length),
    u16(extra.length),
    u16(entry.comment?.length ?? 0),
    u16(entry.disk ?? 0),
    u16(0),
    u32(entry.attributes ?? 0),
    u32(entry.offset ?? offset),
    it.name,
    extra,
    entry.comment ?? []
  )
}

/** Writes an archive with any headers. */
export const zipOf = (entries: ReadonlyArray<MadeEntry>, end: MadeEnd = {}): Uint8Array => {
  const locals = entries.map(localOf)
  let offset = end.before?.length ?? 0
  const records = entries.map((entry, index) => {
    const record = recordOf(entry, offset)
    offset += locals[index]?.length ?? 0
    return record
  })
  const directory = bytesOf(...records, end.afterRecords ?? [])
  const at = offset + (end.beforeDirectory?.length ?? 0)
  const lies: Zip64Lies = typeof end.zip64 === "object" ? end.zip64 : {}
  const endAt = at + directory.length
  const long =
    end.zip64 === undefined
      ? []
      : [
          ...u32(0x06064b50),
          ...u64(44 + (lies.more?.length ?? 0)),
          ...u16(45),
          ...u16(45),
          ...u32(lies.disk ?? 0),
          ...u32(lies.disk ?? 0),
          ...u64(lies.count ?? entries.length),
          ...u64(lies.count ?? entries.length),
          ...u64(directory.length),
          ...u64(lies.offset ?? at),
          ...(lies.more ?? []),
          ...u32(0x07064b50),
          ...u32(lies.locatorDisk ?? 0),
          ...u64(endAt),
          ...u32(lies.disks ?? 1)
        ]
  const isLong = end.zip64 === true || lies.isNeeded === true
  const comment = end.comment ?? new Uint8Array(0)
  return bytesOf(
    end.before ?? [],
    ...locals,
    end.beforeDirectory ?? [],
    directory,
    long,
    u32(0x06054b50),
    u16(end.disk ?? 0),
    u16(end.directoryDisk ?? end.disk ?? 0),
    u16(isLong ? 0xffff : (end.countOnDisk ?? end.count ?? entries.length)),
    u16(isLong ? 0xffff : (end.count ?? entries.length)),
    u32(isLong ? 0xffffffff : (end.directoryBytes ?? directory.length)),
    u32(isLong ? 0xffffffff : (end.directoryOffset ?? at)),
    u16(comment.length),
    comment,
    end.after ?? []
  )
}

/** Entries of this many files. */
export const filesOf = (
  count: number,
  nameOf = (index: number) => `f${index}.txt`
): ReadonlyArray<MadeEntry> =>
  Array.from({ length: count }, (_, index) => ({ name: nameOf(index), content: "x" }))
