import { Result, Schema } from "effect"
import { fieldErrorsOf } from "../../schemas/platform/errors/fieldErrors.ts"

type Text = Schema.Codec<string, string>

/** Returns the saved text, or the code and message of its refusal. */
export const answerTo = (schema: Text, text: string) => {
  const result = Schema.decodeResult(schema, { errors: "all" })(text)
  if (Result.isSuccess(result)) return result.success
  return (
    fieldErrorsOf(result.failure.issue, "body").errors.map(({ code, message }) => `${code}: ${message}`)[0] ??
    "refused"
  )
}
