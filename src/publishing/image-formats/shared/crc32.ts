import { u8 } from "./bytes.ts"

const POLYNOMIAL = 0xedb8_8320

/** Eight tables of 256. The others are the first one, one to seven bytes later. */
const tables = (() => {
  const made = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
    made[byte] = crc
  }
  for (let place = 256; place < made.length; place++) {
    const before = made[place - 256] ?? 0
    made[place] = (before >>> 8) ^ (made[before & 0xff] ?? 0)
  }
  return made
})()

/**
 * Computes the CRC-32 of PNG and ZIP over `bytes` from `start` to before `end`. Takes eight bytes at a time, because it is
 * the largest cost of reading a PNG.
 */
export const crc32 = (bytes: Uint8Array, start: number, end: number): number => {
  let crc = -1
  let at = start
  for (const last = end - 7; at < last; at += 8) {
    const word =
      crc ^ (u8(bytes, at) | (u8(bytes, at + 1) << 8) | (u8(bytes, at + 2) << 16) | (u8(bytes, at + 3) << 24))
    crc =
      (tables[1792 + (word & 0xff)] ?? 0) ^
      (tables[1536 + ((word >>> 8) & 0xff)] ?? 0) ^
      (tables[1280 + ((word >>> 16) & 0xff)] ?? 0) ^
      (tables[1024 + (word >>> 24)] ?? 0) ^
      (tables[768 + u8(bytes, at + 4)] ?? 0) ^
      (tables[512 + u8(bytes, at + 5)] ?? 0) ^
      (tables[256 + u8(bytes, at + 6)] ?? 0) ^
      (tables[u8(bytes, at + 7)] ?? 0)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ (tables[(crc ^ u8(bytes, at)) & 0xff] ?? 0)
  return (crc ^ -1) >>> 0
}
