import { Result, Schema } from "effect"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"

// The options that the API reads bodies with.
const decode = Schema.decodeUnknownResult(ProfilePatch, { onExcessProperty: "error", errors: "all" })

/** Reads a body, which has to be right. */
export const read = (body: unknown) => Result.getOrThrow(decode(body))

/** Returns the errors of a body, each as its field and code. */
export const errorsOf = (body: unknown) => {
  const result = decode(body)
  if (Result.isSuccess(result)) return []
  return fieldErrorsOf(result.failure.issue, "body").errors.map(({ code, field }) => `${field} ${code}`)
}

/** Returns the distinct answers to these bodies: one, if the rule treats all alike. */
export const answersTo = (...bodies: ReadonlyArray<unknown>) => [
  ...new Set(bodies.map((body) => errorsOf(body).join(", ") || "accepted"))
]
