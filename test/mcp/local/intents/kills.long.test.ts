import { NodeHttpClient } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { soak } from "../../../support/soak.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { killed, makeAccount, type Phase, phases } from "./killing.ts"
import { writes } from "./writes.ts"

const ROUNDS = soak(1, 3, 20)
/** In the short form, tools take turns: each phase is played with half of them. */
const TURNS = soak(2, 1)
const HOUR = 3_600_000

describe("svc-mcp, killed with -9", () => {
  for (const [number, tool] of Object.keys(writes).entries()) {
    it.live(
      `A process that is killed in any phase of ${tool} has one effect`,
      () =>
        Effect.gen(function* () {
          const account = yield* makeAccount(number)
          let next = account.started()
          const all = Object.keys(phases) as ReadonlyArray<Phase>
          for (const phase of all.filter((_, at) => (at + number) % TURNS === 0)) {
            for (let round = 0; round < ROUNDS; round++) {
              const victim = next
              // The next process starts while this one is killed and its work is resumed.
              next = account.started()
              yield* killed(account, tool, phase, victim).pipe(
                Effect.provideService(TestClient, account.client)
              )
            }
          }
        }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
      HOUR
    )
  }
})
