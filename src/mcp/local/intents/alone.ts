import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { marked } from "../failures/marked.ts"
import { type Body, StateStore } from "../ports/StateStore.ts"
import { endLease, keptAlive, renewLease, secondsOfLease, takeLease } from "../state/leases.sql.ts"

/** A work that no other process does at the same time. */
export interface Alone {
  /** Runs a transaction and renews the lease. Fails when another process took over meanwhile. */
  readonly save: <A, E = never>(body: Body<A, E>) => Effect.Effect<A, E | ToolFailure>
}

/** Makes a way to do one kind of work in one process at a time. The lease of a killed process ends after seconds. */
export const makeAlone = Effect.fnUntraced(function* (name: string) {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom

  return <A, E, R>(use: (alone: Alone) => Effect.Effect<A, E, R>): Effect.Effect<A, E | ToolFailure, R> =>
    Effect.gen(function* () {
      const owner = yield* random.uuidV4()
      const save: Alone["save"] = (body) =>
        store.write((tx) =>
          Effect.gen(function* () {
            if (!takeLease(tx, name, owner)) {
              return yield* marked("intent-in-progress", { retryAfterSeconds: secondsOfLease(tx, name) })
            }
            return yield* body(tx)
          })
        )
      const released = Effect.ignore(store.write((tx) => Effect.sync(() => endLease(tx, name, owner))))
      const signOfLife = store.write((tx) => Effect.sync(() => renewLease(tx, name, owner)))
      yield* save(() => Effect.void)
      return yield* Effect.ensuring(keptAlive(signOfLife)(use({ save })), released)
    })
})
