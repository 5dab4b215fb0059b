import type { FileFormat } from "../../schemas/publishing/uploads/limits.ts"

const begins = (bytes: Uint8Array, place: number, ...expected: ReadonlyArray<number>) =>
  expected.every((byte, index) => bytes[place + index] === byte)

const letters = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))

/** Returns the format of a file by its first bytes, whatever its name; undefined for a format that is not uploaded. */
export const formatOf = (bytes: Uint8Array): FileFormat | undefined => {
  if (begins(bytes, 0, 0x89, ...letters("PNG\r\n"), 0x1a, 0x0a)) return "png"
  if (begins(bytes, 0, 0xff, 0xd8, 0xff)) return "jpeg"
  if (begins(bytes, 0, ...letters("RIFF")) && begins(bytes, 8, ...letters("WEBP"))) return "webp"
  if (begins(bytes, 0, ...letters("GIF87a")) || begins(bytes, 0, ...letters("GIF89a"))) return "gif"
  return begins(bytes, 0, ...letters("PK"), 3, 4) ? "zip" : undefined
}
