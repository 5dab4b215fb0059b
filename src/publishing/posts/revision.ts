import { Effect, Result } from "effect"
import { MalformedRevision } from "../../../schemas/publishing/posts/errors.ts"

const WIRE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

/** A thirteenth month has the form of a moment and is none. */
const isMoment = (text: string) => WIRE_TIME.test(text) && !Number.isNaN(Date.parse(text))

const unquoted = (value: string) => /^"(.*)"$/.exec(value.trim())?.[1] ?? value.trim()

/** Which header is wrong, for the malformed-revision error. */
export interface RevisionRefusal {
  readonly field: "X-Post-Revision" | "If-Match"
  readonly code: "invalid" | "mismatch"
}

/**
 * The revision that a request requires the Post to have: of X-Post-Revision, or of the legacy If-Match, quoted or
 * not; both must agree (specification 4.3.9). Undefined when it requires none.
 */
const requiredRevision = (headers: {
  readonly "x-post-revision"?: string | undefined
  readonly "if-match"?: string | undefined
}): Result.Result<string | undefined, RevisionRefusal> => {
  const revision = headers["x-post-revision"] === undefined ? undefined : unquoted(headers["x-post-revision"])
  const match = headers["if-match"] === undefined ? undefined : unquoted(headers["if-match"])
  if (revision !== undefined && !isMoment(revision)) {
    return Result.fail({ field: "X-Post-Revision", code: "invalid" })
  }
  if (match !== undefined && !isMoment(match)) return Result.fail({ field: "If-Match", code: "invalid" })
  if (revision !== undefined && match !== undefined && revision !== match) {
    return Result.fail({ field: "If-Match", code: "mismatch" })
  }
  return Result.succeed(revision ?? match)
}

/** As {@link requiredRevision}, refused as the wire says it. */
export const revisionOf = (
  headers: Parameters<typeof requiredRevision>[0]
): Effect.Effect<string | undefined, MalformedRevision> =>
  Effect.mapError(Effect.fromResult(requiredRevision(headers)), (refusal) => {
    const message = "The revision is the updatedAt of the Post; both headers must agree"
    return new MalformedRevision({ data: { code: "malformed_revision", errors: [{ ...refusal, message }] } })
  })
