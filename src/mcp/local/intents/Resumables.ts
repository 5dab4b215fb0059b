import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { Intent } from "../state/intents.sql.ts"
import type { Intents } from "./Intents.ts"
import type { Operation } from "./Operation.ts"

type Resume = (intents: Intents["Service"], intent: Intent) => Effect.Effect<unknown, ToolFailure>

/** The operations of all toolsets by their tools, for `svc_operation`. */
export class Resumables extends Context.Service<Resumables, ReadonlyMap<string, Resume>>()(
  "pennypress/mcp/local/intents/Resumables"
) {}

/** Returns an operation as an entry of {@link Resumables}. */
export const resumable = <Args, Request, Look, Result>(
  operation: Operation<Args, Request, Look, Result>
): readonly [string, Resume] => [operation.tool, (intents, intent) => intents.resume(operation, intent)]
