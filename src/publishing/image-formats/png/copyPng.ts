import * as Result from "effect/Result"
import { copyOf, fourLetters } from "../shared/bytes.ts"
import { crc32 } from "../shared/crc32.ts"
import { exifOf } from "../shared/exif.ts"
import type { ImageRefusal } from "../shared/refusal.ts"
import { endOf, isPicture, PNG_SIGNATURE, pngChunks, pngHeader, pngTypes } from "./pngChunks.ts"
import { EXIF, orientationIn } from "./pngExif.ts"

const between = (least: number, most: number) => (length: number) => length >= least && length <= most
const exactly = (bytes: number) => between(bytes, bytes)

/**
 * Lists the chunks outside the picture that change how it looks, with their possible lengths. Programs read one of each,
 * before the picture; a longer, later or second one could only hide something. An ICC profile is kept with its texts:
 * they are about colours and devices, and the picture changes without it.
 */
const looks = (colourType: number): ReadonlyMap<number, (length: number) => boolean> => {
  const samples = colourType === 0 ? 1 : colourType === 4 ? 2 : colourType === 6 ? 4 : 3
  const background = colourType === 3 ? 1 : colourType === 0 || colourType === 4 ? 2 : 6
  return new Map([
    [fourLetters("gAMA"), exactly(4)],
    [fourLetters("cHRM"), exactly(32)],
    [fourLetters("sRGB"), exactly(1)],
    [fourLetters("iCCP"), between(3, Infinity)],
    [fourLetters("cICP"), exactly(4)],
    [fourLetters("mDCV"), exactly(24)],
    [fourLetters("cLLI"), exactly(8)],
    [fourLetters("sBIT"), exactly(samples)],
    [fourLetters("bKGD"), exactly(background)],
    [fourLetters("tRNS"), colourType === 3 ? between(1, 256) : exactly(colourType === 0 ? 2 : 6)],
    [fourLetters("pHYs"), exactly(9)]
  ])
}

/** Makes an eXIf chunk with the orientation alone. */
const exifChunk = (orientation: number): Uint8Array => {
  const exif = exifOf(orientation)
  const chunk = new Uint8Array(12 + exif.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, exif.length)
  view.setUint32(4, EXIF)
  chunk.set(exif, 8)
  view.setUint32(8 + exif.length, crc32(chunk, 4, 8 + exif.length))
  return chunk
}

/** Copies a PNG without the chunks that do not change how it looks. */
export const copyPng = (bytes: Uint8Array): Result.Result<ReadonlyArray<Uint8Array>, ImageRefusal> =>
  Result.map(pngChunks(bytes), (chunks) => {
    const copy = copyOf(bytes)
    const isLook = looks(pngHeader(bytes, chunks[0])?.colourType ?? 0)
    const seen = new Set<number>()
    copy.keep(0, PNG_SIGNATURE.length)
    for (const chunk of chunks) {
      const isFirst = !seen.has(chunk.type)
      seen.add(chunk.type)
      if (isPicture(chunk)) copy.keep(chunk.start, endOf(chunk))
      else if (isFirst && chunk.type === EXIF) {
        const orientation = orientationIn(bytes, chunk)
        if (orientation !== undefined) copy.put(exifChunk(orientation))
      } else if (isFirst && !seen.has(pngTypes.data) && isLook.get(chunk.type)?.(chunk.length) === true) {
        copy.keep(chunk.start, endOf(chunk))
      }
    }
    return copy.done()
  })
