/** A number of an archive. */
export interface Field {
  readonly name: string
  /** Offset of the header or record of its entry. Undefined at the end of the archive. */
  readonly entry: number | undefined
  readonly at: number
  readonly size: 2 | 4
}

type Layout = ReadonlyArray<readonly [name: string, size: 2 | 4]>

const HEADER: Layout = [
  ["version", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 4],
  ["crc", 4],
  ["compressed", 4],
  ["unpacked", 4],
  ["name bytes", 2],
  ["extra bytes", 2]
]

const RECORD: Layout = [
  ["made by", 2],
  ...HEADER,
  ["comment bytes", 2],
  ["disk", 2],
  ["internal attributes", 2],
  ["attributes", 2],
  ["mode", 2],
  ["offset", 4]
]

const END: Layout = [
  ["disk", 2],
  ["disk of the directory", 2],
  ["count on the disk", 2],
  ["count", 2],
  ["bytes of the directory", 4],
  ["offset of the directory", 4],
  ["comment bytes", 2]
]

const END_ZIP64: Layout = [
  ["bytes", 4],
  ["bytes, upper half", 4],
  ["made by", 2],
  ["version", 2],
  ["disk", 4],
  ["disk of the directory", 4],
  ["count on the disk", 4],
  ["count on the disk, upper half", 4],
  ["count", 4],
  ["count, upper half", 4],
  ["bytes of the directory", 4],
  ["bytes of the directory, upper half", 4],
  ["offset of the directory", 4],
  ["offset of the directory, upper half", 4]
]

const LOCATOR: Layout = [
  ["disk of the end of zip64", 4],
  ["offset of the end of zip64", 4],
  ["offset of the end of zip64, upper half", 4],
  ["disks", 4]
]

const SIGNATURES: ReadonlyArray<readonly [signature: number, layout: Layout]> = [
  [0x0403_4b50, HEADER],
  [0x0201_4b50, RECORD],
  [0x0605_4b50, END],
  [0x0606_4b50, END_ZIP64],
  [0x0706_4b50, LOCATOR]
]

/** Returns the numbers of an archive, also those of others within it. */
export const fieldsOf = (archive: Uint8Array): ReadonlyArray<Field> => {
  const bytes = Buffer.from(archive)
  const fields: Array<Field> = []
  for (const [signature, layout] of SIGNATURES) {
    const mark = Buffer.alloc(4)
    mark.writeUInt32LE(signature)
    let entry = 0
    for (let start = bytes.indexOf(mark); start >= 0; start = bytes.indexOf(mark, start + 4)) {
      let at = start + 4
      for (const [name, size] of layout) {
        if (at + size <= bytes.length) fields.push({ name, entry, at, size })
        at += size
      }
      entry++
    }
  }
  return fields
}
