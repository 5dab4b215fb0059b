import { Effect } from "effect"
import type { LocalContext } from "../../../../schemas/mcp/local/coreTools.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { API_VERSION } from "../../tools/hostedContext.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { Release } from "../service/Release.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { activeGrants, type Grant } from "../state/grants.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { countIncomplete } from "../state/intents.sql.ts"
import { readMeta } from "../state/meta.sql.ts"
import { sumsOf } from "../state/reservations.sql.ts"
import { makeWalletReport } from "../wallet/walletReport.ts"
import { makeIdentityReport } from "./identityReport.ts"
import { timeOf } from "./times.ts"

/** Returns what the newest spending grant allows. */
const spendingOf = (tx: Transaction, grants: ReadonlyArray<Grant>): LocalContext["spending"] => {
  const grant = grants.find(({ kind }) => kind === "spending")
  const granted = grant?.maxTotalRaw ?? 0n
  const { reservedRaw, spentRaw } =
    grant === undefined ? { reservedRaw: 0n, spentRaw: 0n } : sumsOf(tx, grant.id)
  const amounts = {
    granted,
    spent: spentRaw,
    reserved: reservedRaw,
    remaining: granted - spentRaw - reservedRaw
  }
  return {
    configured: readMeta(tx, "nano-rpc") !== undefined,
    ...Object.fromEntries(
      Object.entries(amounts).flatMap(([name, raw]) => [
        [`${name}Raw`, String(raw)],
        [`${name}Xno`, xnoOfRaw(raw)]
      ])
    )
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

/**
 * Makes the report on the identity, its wallet, its permissions and the release, which is made for each call. `roots` are
 * the directories from which files are uploaded.
 */
export const makeContextReport = Effect.fnUntraced(function* (roots: ReadonlyArray<string>) {
  const store = yield* StateStore
  const { origin } = yield* ServiceApi
  const release = yield* Release
  const { report: identityReport } = yield* makeIdentityReport
  const { report: walletReport } = yield* makeWalletReport

  const report = Effect.gen(function* () {
    const [{ identity, publication }, wallet, released] = yield* Effect.all(
      [identityReport, walletReport, release.status],
      { concurrency: 3 }
    )
    const { permission, ...state } = yield* store.read((tx) => Effect.succeed(permissionsOf(tx, origin)))
    return {
      edition: "local",
      service: { name: "Pennypress", baseUrl: origin, apiVersion: API_VERSION },
      identity,
      publication: { ...publication, permission },
      ...state,
      wallet,
      files: roots,
      release: released
    } satisfies LocalContext
  })

  return { report }
})
