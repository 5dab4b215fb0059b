import { Effect, Schema } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { fieldErrorsOf } from "../../../../schemas/platform/errors/fieldErrors.ts"
import { named } from "./argumentNames.ts"
import { marked } from "./marked.ts"

/**
 * Checks a part of a request against the contract before it is sent. Fails with `validation`, whose fields are the
 * arguments of the tool.
 */
export const checked =
  <A, I>(schema: Schema.Codec<A, I>) =>
  (part: A): Effect.Effect<A, ToolFailure> =>
    Schema.encodeEffect(schema, { errors: "all" })(part).pipe(
      Effect.as(part),
      Effect.mapError(({ issue }) =>
        marked("validation", { fields: fieldErrorsOf(issue, "arguments").errors.map(named) })
      )
    )
