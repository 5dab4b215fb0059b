import { Effect, Predicate, References, Schema } from "effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"

/** Returns an error for each argument that a tool does not take. */
const fieldsOf = (tool: Tool.Any, payload: unknown) => {
  // No schema of arguments needs a service.
  const schema = tool.parametersSchema as Schema.Codec<unknown, unknown>
  const args = Predicate.hasProperty(payload, "arguments") ? (payload.arguments ?? {}) : {}
  const decode = Schema.decodeUnknownEffect(schema, {
    errors: "all",
    onExcessProperty: Tool.getStrictMode(tool) === true ? "error" : "ignore"
  })
  return Effect.match(decode(args), {
    onSuccess: () => [],
    onFailure: ({ issue }) => fieldErrorsOf(issue, "arguments").errors
  })
}

const encodeFailure = Schema.encodeSync(ToolFailure)

/** Writes the failure of wrong arguments in the form of every other failure. */
const failureText = (fields: ToolFailure["fields"]) =>
  Effect.map(References.CurrentLogAnnotations, ({ requestId }) => {
    const failure = new ToolFailure({
      code: "validation",
      message: "An argument is not valid",
      retryable: false,
      retryAfterSeconds: null,
      nextStep: "Correct the arguments in `fields`",
      operationId: null,
      fields,
      requestId: typeof requestId === "string" ? requestId : null
    })
    return JSON.stringify(encodeFailure(failure))
  })

/**
 * Answers arguments that a tool does not take as every other failure, which names them. The library would answer a text
 * for people. `refused` is run for each such call.
 */
export const refusingArguments = (
  tools: Readonly<Record<string, Tool.Any>>,
  refused: (tool: string) => Effect.Effect<void> = () => Effect.void
) =>
  McpServer.middleware((call, { payload, target }) =>
    Effect.catch(
      call,
      Effect.fnUntraced(function* (error) {
        const tool = tools[target]
        if (error.code !== McpSchema.INVALID_PARAMS_ERROR_CODE || tool === undefined)
          return yield* Effect.fail(error)
        yield* refused(target)
        const fields = yield* fieldsOf(tool, payload)
        if (fields.length === 0) return yield* Effect.fail(error)
        const result = new McpSchema.CallToolResult({
          isError: true,
          content: [{ type: "text", text: yield* failureText(fields) }]
        })
        // The library hides results from middleware by their type, and passes this one on: tests of both editions see it.
        return result as object as McpServer.MiddlewareSuccess
      })
    )
  )
