import { crc32, type createInflateRaw, inflateRawSync } from "node:zlib"

const HEADER_BYTES = 30
const HEADER_SIGNATURE = 0x04034b50
const FLAG_DESCRIPTOR = 0x8
const METHOD_DEFLATED = 8
const LONG = 0xffffffff

/** Returns a name as its bytes. */
export const rawNameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** Returns the bytes that deflated data takes; undefined when they are not followed by its checksum. */
const deflatedBytes = (bytes: Buffer) => {
  try {
    const { buffer, engine } = inflateRawSync(bytes, { info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: ReturnType<typeof createInflateRaw>
    }
    const { bytesWritten } = engine
    const found = [0, 4].map((place) => bytes.readUInt32LE(bytesWritten + place))
    return found.includes(crc32(buffer)) ? bytesWritten : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads the names of an archive from its first byte on, as a program that unpacks a stream does: it believes each header, and
 * knows nothing of the directory. Returns undefined for content that such a program cannot follow, or that is damaged, which
 * screening finds.
 */
export const namesFromStart = (archive: Uint8Array): ReadonlyArray<string> | undefined => {
  const bytes = Buffer.from(archive)
  const names: Array<string> = []
  let at = 0
  while (at + HEADER_BYTES <= bytes.length && bytes.readUInt32LE(at) === HEADER_SIGNATURE) {
    const [flags, method] = [bytes.readUInt16LE(at + 6), bytes.readUInt16LE(at + 8)]
    const [size, nameBytes, extraBytes] = [
      bytes.readUInt32LE(at + 18),
      bytes.readUInt16LE(at + 26),
      bytes.readUInt16LE(at + 28)
    ]
    const data = at + HEADER_BYTES + nameBytes + extraBytes
    names.push(rawNameOf(bytes.subarray(at + HEADER_BYTES, data - extraBytes)))
    if ((flags & FLAG_DESCRIPTOR) !== 0 && method !== METHOD_DEFLATED) return undefined
    if (size === LONG) at = data + Number(bytes.readBigUInt64LE(data - extraBytes + 12))
    else if ((flags & FLAG_DESCRIPTOR) === 0 || size !== 0) at = data + size
    else {
      const deflated = deflatedBytes(bytes.subarray(data))
      if (deflated === undefined) return undefined
      at = data + deflated
    }
    if ((flags & FLAG_DESCRIPTOR) !== 0) at += bytes.readUInt32LE(at) === 0x08074b50 ? 16 : 12
  }
  return names
}
