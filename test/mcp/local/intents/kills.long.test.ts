import { NodeHttpClient } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { soak } from "../../../support/soak.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { type Account, killed, makeAccount, type Phase, phases } from "./killing.ts"
import { writes } from "./writes.ts"

const ROUNDS = soak(1, 3, 20)
/** In the short form, tools take turns: each phase is played with a third of them. */
const TURNS = soak(3, 1)
const HOUR = 3_600_000

/** The account of all tools, at one service. */
class OneAccount extends Context.Service<OneAccount, Account>()(
  "pennypress/test/mcp/local/intents/kills.long.test/OneAccount"
) {
  static readonly layer = Layer.effect(OneAccount, makeAccount(0)).pipe(
    Layer.provideMerge(NodeHttpClient.layerUndici)
  )
}

layer(OneAccount.layer, { excludeTestServices: true, timeout: HOUR })("svc-mcp, killed with -9", (it) => {
  for (const [number, tool] of Object.keys(writes).entries()) {
    it.effect(
      `A process that is killed in any phase of ${tool} has one effect`,
      () =>
        Effect.gen(function* () {
          const account = yield* OneAccount
          const all = Object.keys(phases) as ReadonlyArray<Phase>
          const kills = all
            .filter((_, at) => (at + number) % TURNS === 0)
            .flatMap((phase) => Array.from({ length: ROUNDS }, () => phase))
          let next = account.started()
          for (const [at, phase] of kills.entries()) {
            const victim = next
            // The next process starts while this one is killed and its work is resumed.
            if (at + 1 < kills.length) next = account.started()
            yield* killed(account, tool, phase, victim).pipe(
              Effect.provideService(TestClient, account.client)
            )
          }
        }),
      HOUR
    )
  }
})
