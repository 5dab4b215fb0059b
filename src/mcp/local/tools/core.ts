import { DateTime, Effect } from "effect"
import {
  CoreToolkit,
  type LocalContext,
  type OperationArguments,
  type OperationReport
} from "../../../../schemas/mcp/local/coreTools.ts"
import { API_VERSION } from "../../tools/hostedContext.ts"
import { marked } from "../failures/marked.ts"
import { ServiceApi } from "../http/ServiceApi.ts"
import { Intents, savedOutcome } from "../intents/Intents.ts"
import { Resumables } from "../intents/Resumables.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { Release } from "../release/Release.ts"
import { activeGrants, type Grant } from "../state/GrantsRepo.ts"
import { readIdentity } from "../state/IdentityRepo.ts"
import { countIncomplete, incompleteIntents, type Intent, readIntent } from "../state/IntentsRepo.ts"
import { readMeta } from "../state/meta.sql.ts"
import { sumsOf } from "../state/ReservationsRepo.ts"
import { makeIdentityReport } from "./identityReport.ts"

/** Operations in a list, at most. */
const LISTED_MAX = 20

const timeOf = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

const nullableTime = (millis: number | null) => (millis === null ? null : timeOf(millis))

/** Returns what the newest spending grant allows. */
const spendingOf = (tx: Transaction, grants: ReadonlyArray<Grant>): LocalContext["spending"] => {
  const grant = grants.find(({ kind }) => kind === "spending")
  const granted = grant?.maxTotalRaw ?? 0n
  const { reservedRaw, spentRaw } =
    grant === undefined ? { reservedRaw: 0n, spentRaw: 0n } : sumsOf(tx, grant.id)
  return {
    configured: readMeta(tx, "nano-rpc") !== undefined,
    grantedRaw: String(granted),
    spentRaw: String(spentRaw),
    reservedRaw: String(reservedRaw),
    remainingRaw: String(granted - spentRaw - reservedRaw)
  }
}

const permissionsOf = (tx: Transaction, origin: string) => {
  const identity = readIdentity(tx)
  const grants = activeGrants(tx).filter(
    (grant) => grant.origin === origin && grant.ownerId === identity?.ownerId
  )
  const has = (kind: Grant["kind"]) => grants.some((grant) => grant.kind === kind)
  return {
    permission: has("standing")
      ? ("standing" as const)
      : has("draft")
        ? ("draft" as const)
        : ("none" as const),
    grants: grants.map(({ expiresAt, kind, postId, revision }) => ({
      kind,
      expiresAt: timeOf(expiresAt),
      postId,
      revision
    })),
    spending: spendingOf(tx, grants),
    incompleteOperations: identity === undefined ? 0 : countIncomplete(tx, identity.ownerId)
  }
}

const makeReports = Effect.gen(function* () {
  const resumables = yield* Resumables

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
      refusal: outcome !== undefined && "refusal" in outcome ? { ...outcome.refusal } : null
    }
  }
})

/** The handlers of the tools that every selection has. */
export const makeCoreHandlers = Effect.gen(function* () {
  const store = yield* StateStore
  const { origin } = yield* ServiceApi
  const release = yield* Release
  const intents = yield* Intents
  const resumables = yield* Resumables
  const { report: identityReport } = yield* makeIdentityReport
  const reportOf = yield* makeReports

  const context = Effect.gen(function* () {
    const { identity, publication } = yield* identityReport
    const { permission, ...state } = yield* store.read((tx) => Effect.succeed(permissionsOf(tx, origin)))
    return {
      edition: "local",
      service: { name: "Pennypress", baseUrl: origin, apiVersion: API_VERSION },
      identity,
      publication: { ...publication, permission },
      ...state,
      release: yield* release.status
    } satisfies LocalContext
  })

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

  return CoreToolkit.of({ svc_context: () => context, svc_operation: operation })
})
