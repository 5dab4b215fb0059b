import type { ByteRange } from "../../platform/ports/ObjectStorage.ts"

/** A part of a resource: `length` bytes, at least one, from `offset` on. */
export type SatisfiableRange = Required<ByteRange> & { readonly length: number }

const SINGLE = /^bytes=(\d*)-(\d*)$/i

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

/** The part of a request that names a range. */
interface RangeRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Reads the range of a GET. `If-Range` limits it to callers that have the same resource. */
export const rangeOf = (
  { headers, method }: RangeRequest,
  size: number,
  etag: string
): SatisfiableRange | null | undefined =>
  method === "GET" && (headers["if-range"] === undefined || headers["if-range"] === etag)
    ? byteRangeOf(headers["range"], size)
    : undefined

/** Returns the value of `Content-Range` for a part; without one, for a range beyond the resource. */
export const contentRangeOf = (range: SatisfiableRange | null, size: number): string =>
  range === null ? `bytes */${size}` : `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`
