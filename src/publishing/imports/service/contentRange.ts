import { Result } from "effect"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"

/** The part of a file that a request carries. */
export interface Piece {
  readonly offset: number
  readonly bytes: number
}

const RANGE = /^bytes (\d{1,13})-(\d{1,13})\/(\d{1,13})$/

const refuse = (message: string): Result.Result<Piece, FieldError> =>
  Result.fail({ field: "Content-Range", code: "invalid", message })

/**
 * Returns the part of a file of `byteSize` bytes that a request with these headers carries: the whole file without a
 * `Content-Range`.
 */
export const pieceOf = (
  range: string | undefined,
  contentLength: number,
  byteSize: number
): Result.Result<Piece, FieldError> => {
  if (range === undefined) {
    if (contentLength === byteSize) return Result.succeed({ offset: 0, bytes: contentLength })
    return refuse(
      `Send all ${byteSize} bytes that the import was begun with, or a piece with its Content-Range: this request has ${contentLength}`
    )
  }
  const [, first, last, total] = (RANGE.exec(range.trim()) ?? []).map(Number)
  if (first === undefined || last === undefined || total === undefined)
    return refuse("Send `bytes a-b/total` with the first and the last byte of the piece, counted from 0")
  if (total !== byteSize) return refuse(`Send ${byteSize} as the total: the import was begun with it`)
  if (last < first || last >= total)
    return refuse("End the piece within the file, and not before its beginning")
  if (last - first + 1 !== contentLength)
    return refuse(`Send as many bytes as the range has: ${last - first + 1}, and not ${contentLength}`)
  return Result.succeed({ offset: first, bytes: contentLength })
}
