import { Effect, Layer } from "effect"
import { ProcedureFailures } from "../../../schemas/platform/errors/procedures.ts"
import { hideDefect } from "./defects.ts"

/** Answers what the handler of a procedure leaves unanswered. */
export const layer = Layer.succeed(ProcedureFailures, (call) => Effect.catchDefect(call, hideDefect))
