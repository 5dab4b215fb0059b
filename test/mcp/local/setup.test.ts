import { assert, layer } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { readCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { readIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { readSetup, recordOf } from "../../../src/mcp/local/state/setup.sql.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { type Sent, type Trouble, troubled, Wire } from "./Wire.ts"

/** One process of the local edition over a directory. */
const processOn = (directory: string) => Layer.build(edition(directory))

const stateOf = StateStore.use((store) =>
  store.read((tx) =>
    Effect.succeed({
      identity: readIdentity(tx),
      setup: recordOf(readSetup(tx)),
      keyId: readCredential(tx, "publishing-key")?.keyId,
      seed: readCredential(tx, "wallet-seed") !== undefined
    })
  )
)

const newAgent = (handle: string, name = "Agent Smith") =>
  Setups.use((setups) => setups.newIdentity({ intent: "agent", name, handle }))
const newHuman = (handle: string) =>
  Setups.use((setups) => setups.newIdentity({ intent: "human", name: "A human", handle }))

const codeOf = Effect.fnUntraced(function* <A, R>(effect: Effect.Effect<A, { readonly code: string }, R>) {
  return yield* Effect.match(effect, { onFailure: ({ code }) => code, onSuccess: () => "done" })
})

const is = (method: string, path: RegExp) => (request: Sent) =>
  request.method === method && path.test(request.path)

/** The requests of a setup, each with the failure of a run that loses it for good. */
const steps: ReadonlyArray<readonly [string, (request: Sent) => boolean, string]> = [
  ["challenge", is("POST", /nano\/challenge$/), "service-unavailable"],
  ["claim", is("POST", /nano\/claim$/), "service-unavailable"],
  ["me", is("GET", /\/me$/), "service-unavailable"],
  ["key", is("POST", /api-keys$/), "service-unavailable"],
  ["profile", is("PATCH", /\/profile$/), "service-unavailable"],
  ["payout read", is("GET", /payout-address$/), "service-unavailable"],
  ["payout", is("PUT", /payout-address$/), "service-unavailable"],
  ["declaration", is("POST", /declare-agent$/), "agent-declaration-failed-resume-setup"],
  ["verification", is("GET", /\/profile$/), "agent-verification-failed-resume-setup"]
]

layer(serviceBehindWire("test_mcp_local_setup"))("setups by a local wallet", (it) => {
  it.effect("A setup makes an agent, or a human who never declares", () =>
    Effect.gen(function* () {
      const wire = yield* Wire
      yield* Effect.gen(function* () {
        yield* newAgent("agent_one")
        const state = yield* stateOf
        assert.deepInclude(state.identity, { handle: "agent_one", method: "local-nano" })
        assert.deepStrictEqual(state.setup, { intent: "agent", status: "complete", phase: "complete" })
        assert.strictEqual(yield* codeOf(newAgent("agent_one")), "identity-already-selected")
        assert.strictEqual(yield* codeOf(newHuman("human_one")), "identity-already-selected")
        const { call } = yield* toolsOf
        const { identity, publication } = (yield* call("svc_context")).result
        assert.deepInclude(identity, {
          status: "verified",
          authorKind: "agent",
          authorKindStatus: "verified",
          handle: "agent_one"
        })
        assert.deepStrictEqual(publication, { ready: true, blockers: [], permission: "none" })
      }).pipe(Effect.scoped, Effect.provide(edition(yield* stateDirectory)))

      wire.sent.length = 0
      yield* Effect.gen(function* () {
        yield* newHuman("human_one")
        assert.deepStrictEqual((yield* stateOf).setup, {
          intent: "human",
          status: "complete",
          phase: "complete"
        })
        const { call } = yield* toolsOf
        assert.deepInclude((yield* call("svc_context")).result.identity, { authorKind: "human" })
      }).pipe(Effect.scoped, Effect.provide(edition(yield* stateDirectory)))
      assert.isFalse(wire.sent.some(({ path }) => path.endsWith("declare-agent")))
    })
  )

  for (const [index, [name, picked, code]] of steps.entries()) {
    for (const trouble of ["lost", "unsent"] as const) {
      it.effect(`A setup goes on after the request "${name}" was ${trouble}`, () =>
        Effect.gen(function* () {
          const wire = yield* Wire
          const directory = yield* stateDirectory
          const handle = `agent_${index}_${trouble}`
          wire.sent.length = 0
          yield* troubled(picked, trouble satisfies Trouble, 3)
          const first = yield* codeOf(newAgent(handle)).pipe(
            Effect.scoped,
            Effect.provide(edition(directory))
          )
          // A write without a key is sent once, so its answer may be lost just once.
          assert.strictEqual(first, code)
          yield* troubled(() => false, "lost")
          const second = yield* Effect.gen(function* () {
            const result = yield* codeOf(newAgent(handle))
            return { result, state: yield* stateOf }
          }).pipe(Effect.scoped, Effect.provide(edition(directory)))
          assert.strictEqual(second.result, "done")
          assert.strictEqual(second.state.identity?.handle, handle)
          assert.strictEqual(second.state.setup?.status, "complete")
          // One wallet, and one owner, with any answer lost.
          const accounts = wire.sent
            .filter(({ path }) => path.endsWith("nano/challenge"))
            .map(({ body }) => body)
          assert.strictEqual(new Set(accounts).size, 1)
          // Answers that were lost came with the same key each time.
          const keys = wire.sent
            .filter(is("POST", /api-keys$/))
            .map(({ headers }) => headers["idempotency-key"])
          assert.isAtMost(new Set(keys).size, 1)
        })
      )
    }
  }

  it.effect("A setup takes another handle while the Profile has none, in one process at a time", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const one = yield* processOn(directory)
      const other = yield* processOn(directory)
      const within = <A, E>(
        context: Context.Context<Layer.Success<ReturnType<typeof edition>>>,
        effect: Effect.Effect<A, E, Setups | StateStore>
      ) => Effect.provideContext(effect, context)
      assert.strictEqual(yield* within(one, codeOf(newAgent("agent_one"))), "handle-taken")
      assert.deepInclude((yield* within(one, stateOf)).setup, { status: "pending", phase: "authorized" })
      assert.strictEqual(yield* within(one, codeOf(newHuman("agent_two"))), "identity-already-selected")
      const both = yield* Effect.all(
        [within(one, codeOf(newAgent("agent_two"))), within(other, codeOf(newAgent("agent_three")))],
        { concurrency: 2 }
      )
      assert.sameMembers(both, ["done", "intent-in-progress"])
      const { identity } = yield* within(one, stateOf)
      assert.include(["agent_two", "agent_three"], identity?.handle)
    })
  )
})
