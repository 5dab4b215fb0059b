import { Effect, Schema, SchemaIssue } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { named } from "./argumentNames.ts"
import { marked } from "./marked.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

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
        marked("validation", {
          fields: format(issue).issues.map(({ path = [] }) =>
            named({
              field: String(path[0] ?? "arguments"),
              code: "invalid",
              message: "Send a value that this argument takes"
            })
          )
        })
      )
    )
