import type { ByteRange } from "../../platform/ports/ObjectStorage.ts"

/** A part of a resource: `length` bytes, at least one, from `offset` on. */
export type SatisfiableRange = Required<ByteRange> & { readonly length: number }

const SINGLE = /^bytes=(\d*)-(\d*)$/

/**
 * Reads a Range header for a resource of `size` bytes (RFC 9110, section 14.2). Returns undefined for the whole resource:
 * the header is absent, malformed, or asks for several parts. Returns null for a part beyond the resource.
 */
export const byteRangeOf = (
  header: string | undefined,
  size: number
): SatisfiableRange | null | undefined => {
  const [, first = "", last = ""] = SINGLE.exec(header?.replaceAll(" ", "") ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? null : { offset: size - length, length }
  }
  const offset = Number(first)
  const end = last === "" ? size : Math.min(Number(last) + 1, size)
  if (last !== "" && Number(last) < offset) return undefined
  return offset >= size ? null : { offset, length: end - offset }
}
