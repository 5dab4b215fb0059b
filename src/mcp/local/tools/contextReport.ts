import { Effect } from "effect"
import type { LocalContext } from "../../../../schemas/mcp/local/coreTools.ts"
import { API_VERSION } from "../../tools/hostedContext.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { Release } from "../service/Release.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { activeGrants, type Grant } from "../state/grants.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { countIncomplete } from "../state/intents.sql.ts"
import { readMeta } from "../state/meta.sql.ts"
import { sumsOf } from "../state/reservations.sql.ts"
import { makeIdentityReport } from "./identityReport.ts"
import { timeOf } from "./times.ts"

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

/** Makes the report on the identity, its permissions and the release, which is made for each call. */
export const makeContextReport = Effect.gen(function* () {
  const store = yield* StateStore
  const { origin } = yield* ServiceApi
  const release = yield* Release
  const { report: identityReport } = yield* makeIdentityReport

  const report = Effect.gen(function* () {
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

  return { report }
})
