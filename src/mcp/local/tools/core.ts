import { Effect } from "effect"
import {
  CoreToolkit,
  type OperationArguments,
  type OperationReport
} from "../../../../schemas/mcp/local/coreTools.ts"
import { marked } from "../failures/marked.ts"
import { Intents } from "../intents/Intents.ts"
import { savedOutcome } from "../intents/outcomes.ts"
import { Resumables } from "../intents/Resumables.ts"
import { LocalFiles } from "../ports/LocalFiles.ts"
import { StateStore } from "../ports/StateStore.ts"
import { place, withWholeCommands } from "../service/commands.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { incompleteIntents, type Intent, readIntent } from "../state/intents.sql.ts"
import { makeContextReport } from "./contextReport.ts"
import { nullableTime, timeOf } from "./times.ts"

/** Maximum number of operations in a list. */
const LISTED_MAX = 20

const makeReports = Effect.gen(function* () {
  const resumables = yield* Resumables
  const here = yield* place

  return (intent: Intent): OperationReport => {
    const outcome = savedOutcome(intent)
    return {
      operationId: intent.id,
      tool: intent.tool,
      phase: intent.phase,
      authorizedAt: timeOf(intent.authorizedAt),
      dispatchedAt: nullableTime(intent.dispatchedAt),
      completedAt: nullableTime(intent.completedAt),
      resumable: intent.phase !== "complete" && resumables.has(intent.tool),
      result: outcome !== undefined && "result" in outcome ? { ...(outcome.result as object) } : null,
      refusal:
        outcome !== undefined && "refusal" in outcome ? { ...withWholeCommands(outcome.refusal, here) } : null
    }
  }
})

/** The handlers of the tools that every selection has. */
export const makeCoreHandlers = Effect.gen(function* () {
  const store = yield* StateStore
  const intents = yield* Intents
  const resumables = yield* Resumables
  const context = yield* makeContextReport((yield* LocalFiles).roots)
  const reportOf = yield* makeReports

  const found = Effect.fnUntraced(function* (id: string) {
    const { identity, intent } = yield* store.read((tx) =>
      Effect.succeed({ identity: readIdentity(tx), intent: readIntent(tx, id.toLowerCase()) })
    )
    if (intent === undefined || intent.ownerId !== identity?.ownerId) return yield* marked("not-found")
    return intent
  })

  const resume = Effect.fnUntraced(function* (id: string) {
    const intent = yield* found(id)
    const resumable = resumables.get(intent.tool)
    if (intent.phase !== "complete" && resumable !== undefined) {
      // A refusal is part of the report; an open outcome fails with its reason.
      yield* resumable(intents, intent).pipe(
        Effect.catch((failure) =>
          Effect.flatMap(found(id), ({ phase }) =>
            phase === "complete" ? Effect.void : Effect.fail(failure)
          )
        )
      )
    }
    return yield* found(id)
  })

  const operation = Effect.fnUntraced(function* ({ action, operation_id: id }: OperationArguments) {
    if (id === undefined) {
      if (action === "resume") {
        return yield* marked("validation", {
          fields: [{ field: "operation_id", code: "required", message: "Name the operation to resume" }]
        })
      }
      const intents = yield* store.read((tx) =>
        Effect.succeed(incompleteIntents(tx, readIdentity(tx)?.ownerId ?? "", LISTED_MAX))
      )
      return { operations: intents.map(reportOf) }
    }
    const intent = yield* action === "resume" ? resume(id) : found(id)
    return { operations: [reportOf(intent)] }
  })

  return CoreToolkit.of({ svc_context: () => context.report, svc_operation: operation })
})
