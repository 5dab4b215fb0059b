import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { ChallengeId } from "../../../schemas/platform/Ids.ts"
import { NanoSignature } from "../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { readIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { codeTo, wrongCode } from "../../support/mailbox.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { noTrouble, type Sent, troubled, Wire } from "./Wire.ts"

const within = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(stateDirectory, (directory) => Effect.provide(Effect.scoped(test), edition(directory)))

const codeOf = <A, R>(effect: Effect.Effect<A, { readonly code: string }, R>) =>
  Effect.match(effect, { onFailure: ({ code }) => code, onSuccess: () => "done" })

const identity = StateStore.use((store) => store.read((tx) => Effect.succeed(readIdentity(tx))))

const rowsOf = (table: string) =>
  StateStore.use((store) => store.read((tx) => Effect.succeed(tx.all(`select * from ${table}`))))

const isKey = ({ method, path }: Sent) => method === "POST" && path.endsWith("/api-key")

type Challenge = { readonly challengeId: ChallengeId; readonly message: string }

const signed = (wallet: ReturnType<typeof walletOf>, { challengeId, message }: Challenge) => ({
  challengeId,
  signature: NanoSignature.make(signMessage(wallet, message))
})

layer(serviceBehindWire("test_mcp_local_setup_elsewhere"))("identities from elsewhere", (it) => {
  it.effect("An identity is proved by the wallet that signs its message, and by no other one", () =>
    within(
      Effect.gen(function* () {
        yield* noTrouble
        const setups = yield* Setups
        const wallet = walletOf(901)
        const challenge = yield* setups.externalWallet(wallet.account)
        assert.include(challenge.message, wallet.account)
        const forged = signed(walletOf(902), challenge)
        assert.strictEqual(yield* codeOf(setups.claim(forged)), "challenge-refused")
        const unknown = { ...forged, challengeId: ChallengeId.make(crypto.randomUUID()) }
        assert.strictEqual(yield* codeOf(setups.claim(unknown)), "challenge-refused")
        assert.isUndefined(yield* identity)
        yield* setups.claim(signed(wallet, yield* setups.externalWallet(wallet.account)))
        assert.deepInclude(yield* identity, { method: "external-nano", walletAddress: wallet.account })
        assert.strictEqual(yield* codeOf(setups.externalWallet(wallet.account)), "identity-already-selected")
        const { call } = yield* toolsOf
        assert.deepInclude((yield* call("svc_context")).result.identity, { status: "verified", setup: null })

        const again = yield* setups.reconnect
        assert.strictEqual(again.next, "claim")
        if (again.next === "claim") yield* setups.claim(signed(wallet, again.challenge))
        assert.lengthOf(yield* rowsOf("claims"), 0)
      })
    )
  )

  it.effect("An identity is proved by a mailbox, as a new account or another session", () =>
    within(
      Effect.gen(function* () {
        const setups = yield* Setups
        const wire = yield* Wire
        const email = EmailAddressInput.make("penny@example.test")
        yield* troubled(({ path }) => path.endsWith("/registrations"), "lost", 3)
        assert.strictEqual(yield* codeOf(setups.email(email, true)), "service-unavailable")
        yield* noTrouble
        wire.sent.length = 0
        yield* setups.email(email, true)
        const code = yield* codeTo("penny@example.test")
        assert.strictEqual(
          yield* codeOf(setups.verifyEmail({ code: wrongCode(code) as typeof code })),
          "code-refused"
        )
        // The key of the registration comes once; a lost one is replaced.
        yield* troubled(isKey, "lost")
        assert.strictEqual(yield* codeOf(setups.verifyEmail({ code })), "service-unavailable")
        yield* noTrouble
        assert.deepInclude(yield* identity, { method: "email", walletAddress: null })

        // The code is used, so that the next session needs another one.
        assert.strictEqual((yield* setups.reconnect).next, "email")
        yield* TestClock.adjust("2 minutes")
        yield* setups.reconnectEmail(email)
        yield* setups.verifyEmail({ code: yield* codeTo("penny@example.test") })
        const { call } = yield* toolsOf
        assert.deepInclude((yield* call("svc_context")).result.identity, {
          status: "verified",
          method: "email"
        })
        assert.strictEqual((yield* call("svc_list_drafts")).result.total, 0)
        // The address was needed for the setup alone.
        assert.notInclude(JSON.stringify(yield* rowsOf("setup_steps")), "penny@example.test")
      })
    )
  )

  it.effect("An identity is not replaced by another owner, whose session ends immediately", () =>
    within(
      Effect.gen(function* () {
        const setups = yield* Setups
        const wire = yield* Wire
        const first = EmailAddressInput.make("first@example.test")
        const other = EmailAddressInput.make("other@example.test")
        yield* within(
          Effect.gen(function* () {
            const elsewhere = yield* Setups
            yield* elsewhere.email(other, true)
            yield* elsewhere.verifyEmail({ code: yield* codeTo("other@example.test") })
          })
        )
        yield* setups.email(first, true)
        yield* setups.verifyEmail({ code: yield* codeTo("first@example.test") })
        const before = [yield* identity, yield* rowsOf("credentials")]
        yield* TestClock.adjust("2 minutes")
        yield* setups.reconnectEmail(other)
        wire.sent.length = 0
        const verified = codeOf(setups.verifyEmail({ code: yield* codeTo("other@example.test") }))
        assert.strictEqual(yield* verified, "owner-mismatch")
        assert.deepStrictEqual([yield* identity, yield* rowsOf("credentials")], before)
        assert.isTrue(wire.sent.some(({ path }) => path === "/api/v1/auth/logout"))
      })
    )
  )
})
