import { DateTime, Effect, Result } from "effect"
import { MalformedRevision } from "../../../schemas/publishing/posts/errors.ts"

const WIRE_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

/** Returns true for a time that exists, because `Date.parse` turns February 30 into a day in March. */
const isMoment = (text: string) => {
  const day = WIRE_TIME.exec(text)?.[1]
  if (day === undefined || Number.isNaN(Date.parse(text))) return false
  return DateTime.formatIsoDateUtc(DateTime.makeUnsafe(`${day}T00:00:00Z`)) === day
}

const unquoted = (value: string) => /^"(.*)"$/.exec(value.trim())?.[1] ?? value.trim()

/** The headers that name a revision. */
export interface RevisionHeaders {
  readonly "x-post-revision"?: string | undefined
  readonly "if-match"?: string | undefined
}

/** The wrong header, with the code and the message of its error. */
interface RevisionError {
  readonly field: "X-Post-Revision" | "If-Match"
  readonly code: "invalid" | "mismatch"
  readonly message: string
}

const invalid = (field: RevisionError["field"]) =>
  Result.fail<RevisionError>({
    field,
    code: "invalid",
    message: "Send the updatedAt of the Post as GET returns it"
  })

/** Returns the required revision: of X-Post-Revision, or of the legacy If-Match; both must agree (spec 4.3.9). */
export const requiredRevision = (
  headers: RevisionHeaders
): Result.Result<string | undefined, RevisionError> => {
  const revision = headers["x-post-revision"] === undefined ? undefined : unquoted(headers["x-post-revision"])
  const match = headers["if-match"] === undefined ? undefined : unquoted(headers["if-match"])
  if (revision !== undefined && !isMoment(revision)) return invalid("X-Post-Revision")
  if (match !== undefined && !isMoment(match)) return invalid("If-Match")
  if (revision !== undefined && match !== undefined && revision !== match) {
    const message = "Send one of X-Post-Revision and If-Match, or the same value in both"
    return Result.fail({ field: "If-Match", code: "mismatch", message })
  }
  return Result.succeed(revision ?? match)
}

/**
 * Returns the revision that a request requires the Post to have, quoted or not, or undefined. Fails with
 * `MalformedRevision` for a value that cannot be the `updatedAt` of a Post.
 */
export const revisionOf = (headers: RevisionHeaders): Effect.Effect<string | undefined, MalformedRevision> =>
  Effect.mapError(
    Effect.fromResult(requiredRevision(headers)),
    (error) => new MalformedRevision({ errors: [error] })
  )
