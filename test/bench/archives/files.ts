import { deflateRawSync } from "node:zlib"
import { type MadeEntry, zipOf } from "../../publishing/archives/makeZip.ts"
import { randomFrom } from "../words.ts"

const KIBIBYTE = 1024

/** A part of a book: random letters, which deflate to two thirds. */
const textOf = (random: () => number, bytes: number) => {
  const text = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at++) text[at] = 97 + Math.floor(random() * 26)
  return text
}

/** Makes a ZIP of about so many bytes, with ten deflated files, and one that is stored and fills it up. */
export const archiveOf = (seed: number, bytes: number): Buffer => {
  const random = randomFrom(seed)
  const part = textOf(random, Math.floor(bytes / 16))
  const packed = deflateRawSync(part)
  const entries = Array.from({ length: 10 }, (_, n): MadeEntry => ({
    name: `chapter-${n}/text.txt`,
    content: part,
    method: 8,
    packed
  }))
  const rest = Math.max(0, bytes - packed.length * entries.length - 4 * KIBIBYTE)
  return Buffer.from(zipOf([...entries, { name: "pictures.bin", content: textOf(random, rest) }]))
}
