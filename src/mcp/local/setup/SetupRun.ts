import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import { type Body, StateStore } from "../ports/StateStore.ts"
import { endLease, takeLease } from "../state/leases.sql.ts"

const LEASE = "setup"

/** One run of a setup command; no other run is active at the same time. */
export interface SetupRun {
  /** Runs a transaction and renews the lease. Fails when another process took over meanwhile. */
  readonly save: <A, E = never>(body: Body<A, E>) => Effect.Effect<A, E | ToolFailure>
}

/** Makes a way to run setup commands one at a time, across processes. */
export const makeSetupRuns = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom

  return <A, R>(use: (run: SetupRun) => Effect.Effect<A, ToolFailure, R>): Effect.Effect<A, ToolFailure, R> =>
    Effect.gen(function* () {
      const owner = yield* random.uuidV4()
      const save: SetupRun["save"] = (body) =>
        store.write((tx) =>
          Effect.gen(function* () {
            if (!takeLease(tx, LEASE, owner)) return yield* marked("intent-in-progress")
            return yield* body(tx)
          })
        )
      const released = Effect.ignore(store.write((tx) => Effect.sync(() => endLease(tx, LEASE, owner))))
      yield* save(() => Effect.void)
      return yield* Effect.ensuring(use({ save }), released)
    })
})
