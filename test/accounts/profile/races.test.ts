import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import { Profiles } from "../../../src/accounts/profile/Profiles.ts"
import { insertOwner, keyOf, ownerId } from "../../support/actors/storedOwner.ts"
import { ownMediaLayer } from "../../support/ownMedia.ts"
import { noRetiredHandles, owners } from "../owners/assembly.ts"
import { twoProcesses } from "./processes.ts"

const assembly = Profiles.layer.pipe(Layer.provide([noRetiredHandles, owners, ownMediaLayer]))

describe("concurrent changes of Profiles (4.2)", () => {
  it.effect("Twenty claims of one handle in two processes leave one owner", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_profile_claims", assembly)
      const numbers = Array.from({ length: 20 }, (_, n) => n)
      yield* Effect.forEach(numbers, (n) => insertOwner(n)).pipe(Effect.provide(processes[0]))
      const outcomes = yield* Effect.forEach(
        numbers,
        (n) =>
          Context.get(processes[n % 2]!, Profiles)
            .update(keyOf(ownerId(n)), { handle: n % 3 === 0 ? "Wanted" : "wANTED", bio: String(n) })
            .pipe(Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "won" as const })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((it) => it === "won").length, 1)
      assert.strictEqual(outcomes.filter((it) => it === "HandleTaken").length, 19)
      const holders = yield* Context.get(processes[0], SqlClient.SqlClient)`
        select bio from owners where lower(handle) = 'wanted'`
      assert.deepStrictEqual(holders, [{ bio: String(outcomes.indexOf("won")) }])
    })
  )

  it.effect("Concurrent changes of different members in two processes are all kept", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_profile_members", assembly)
      const id = yield* insertOwner(1).pipe(Effect.provide(processes[0]))
      const changes: ReadonlyArray<ProfilePatch> = [
        { name: "Ada" },
        { handle: "at_once" },
        { bio: "b" },
        { location: "l" },
        { tipping: { buttonLabel: "T", amounts: [1, 2, 3] } }
      ]
      yield* Effect.forEach(
        changes,
        (change, n) => Context.get(processes[n % 2]!, Profiles).update(keyOf(id), change),
        { concurrency: "unbounded" }
      )
      assert.deepInclude(yield* Context.get(processes[1], Profiles).read(keyOf(id)), {
        name: "Ada",
        handle: "at_once",
        bio: "b",
        location: "l",
        tipping: { buttonLabel: "T", amounts: [1, 2, 3] }
      })
    })
  )
})
