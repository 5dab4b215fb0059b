import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  PayoutAddress,
  PayoutAddressRequest
} from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey, type NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { PayoutAddresses } from "../../../src/accounts/payout-address/PayoutAddresses.ts"
import { PublicAnswers } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { owners } from "../owners/assembly.ts"
import { twoProcesses } from "../profile/processes.ts"
import { usableAddresses } from "./addresses.ts"

const answers = Layer.mock(PublicAnswers, {
  find: () => undefined,
  changing: () => (effect) => effect
})

const assembly = PayoutAddresses.layer.pipe(Layer.provide([owners, answers]))

const [first, second] = usableAddresses

/** The body of a PUT, as it arrives over the wire. */
const put = Effect.fn(function* (owner: OwnerId, body: typeof PayoutAddressRequest.Encoded) {
  const request = yield* Effect.orDie(Schema.decodeEffect(PayoutAddressRequest)(body))
  return yield* (yield* PayoutAddresses).save(sessionOf(owner), request)
})

const get = Effect.fn(function* (owner: OwnerId) {
  const answer = yield* (yield* PayoutAddresses).read(sessionOf(owner))
  return yield* Effect.orDie(Schema.decodeEffect(PayoutAddress)(answer))
})

const addressOf = (publicKey: string): NanoAddress => addressOfPublicKey(NanoPublicKey.make(publicKey))

layer(assembly.pipe(Layer.provideMerge(database("test_payout"))))("the payout address (2.4)", (it) => {
  it.effect("An address that was never saved is null at revision 0", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(1)
      assert.deepStrictEqual(yield* get(id), { payoutAddress: null, revision: 0, updatedAt: null })
    })
  )

  it.effect("Each change increments the revision, at the time of the change", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(2)
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5, 0, 0, 123))
      assert.deepStrictEqual(yield* put(id, { payoutAddress: first }), { payoutAddress: first })
      const saved = { payoutAddress: first, revision: 1, updatedAt: "2026-11-21T05:00:00.123000Z" }
      assert.deepEqual<unknown>(yield* get(id), saved)
      yield* TestClock.adjust("1 second")
      yield* put(id, { payoutAddress: second })
      yield* put(id, { payoutAddress: first })
      assert.deepEqual<unknown>(yield* get(id), {
        ...saved,
        revision: 3,
        updatedAt: "2026-11-21T05:00:01.123000Z"
      })
    })
  )

  it.effect("Saving the same address again changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(3)
      yield* put(id, { payoutAddress: first })
      const saved = yield* get(id)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* put(id, { payoutAddress: first }), { payoutAddress: first })
      assert.deepStrictEqual(yield* put(id, { payoutAddress: first, revision: 1 }), { payoutAddress: first })
      assert.deepStrictEqual(yield* get(id), saved)
    })
  )

  it.effect("A stale or a future revision is a revision-conflict", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(4)
      yield* put(id, { payoutAddress: first, revision: 0 })
      for (const revision of [0, 2]) {
        const error = yield* Effect.flip(put(id, { payoutAddress: second, revision }))
        assert.strictEqual(error._tag, "RevisionConflict")
      }
      assert.deepInclude(yield* get(id), { payoutAddress: first, revision: 1 })
      yield* put(id, { payoutAddress: second, revision: 1 })
      assert.deepInclude(yield* get(id), { payoutAddress: second, revision: 2 })
    })
  )

  it.effect("A retry after a lost answer succeeds with the replaced revision and changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(7)
      const request = { payoutAddress: first, revision: 0 }
      yield* put(id, request)
      const saved = yield* get(id)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* put(id, request), { payoutAddress: first })
      assert.deepStrictEqual(yield* get(id), saved)
      const conflict = yield* Effect.flip(put(yield* insertOwner(8), { payoutAddress: first, revision: 1 }))
      assert.strictEqual(conflict._tag, "RevisionConflict")
    })
  )

  it.effect("The legacy prefix xrb_ is read and answered as nano_", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(5)
      const saved = yield* put(id, { payoutAddress: first.replace("nano_", "xrb_") })
      assert.deepStrictEqual(saved, { payoutAddress: first })
      assert.strictEqual((yield* get(id)).payoutAddress, first)
    })
  )

  it.effect("An address is saved without what surrounds it", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(15)
      const saved = yield* put(id, { payoutAddress: ` nano:${first}\n` })
      assert.deepStrictEqual(saved, { payoutAddress: first })
    })
  )

  it.effect("Accounts without a usable private key are refused", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(6)
      const unusable = {
        burn: addressOf("0".repeat(64)),
        "small order": addressOf(`01${"0".repeat(62)}`),
        "not a point": addressOf(`02${"0".repeat(62)}`),
        "not canonical": addressOf("f".repeat(64))
      }
      for (const [why, payoutAddress] of Object.entries(unusable)) {
        const error = yield* Effect.flip(put(id, { payoutAddress }))
        assert.strictEqual(error._tag, "Validation", why)
        assert.deepInclude(error.errors?.[0], { field: "payoutAddress", code: "invalid" }, why)
      }
      assert.deepInclude(yield* get(id), { payoutAddress: null, revision: 0 })
    })
  )

  it.effect("An invalid address, an unknown member and a revision out of bounds are refused", () =>
    Effect.gen(function* () {
      const decode = Schema.decodeUnknownEffect(PayoutAddressRequest, { onExcessProperty: "error" })
      yield* decode({ payoutAddress: first, revision: 2_147_483_647 })
      const bodies = [
        {},
        { payoutAddress: null },
        { payoutAddress: `${first.slice(0, -1)}1` },
        { payoutAddress: first.toUpperCase() },
        { payoutAddress: first, revision: -1 },
        { payoutAddress: first, revision: 1.5 },
        { payoutAddress: first, revision: 2_147_483_648 },
        { payoutAddress: first, owner: 1 }
      ]
      for (const body of bodies) assert.strictEqual((yield* Effect.flip(decode(body)))._tag, "SchemaError")
    })
  )

  it.effect("Of 20 changes of one revision in two processes, one is made", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_payout_revisions", assembly)
      const id = yield* insertOwner(1).pipe(Effect.provide(processes[0]))
      const outcomes = yield* Effect.forEach(
        usableAddresses,
        (payoutAddress, n) =>
          Context.get(processes[n % 2]!, PayoutAddresses)
            .save(sessionOf(id), { payoutAddress, revision: 0 })
            .pipe(Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "saved" as const })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.length, 20)
      assert.strictEqual(outcomes.filter((it) => it === "saved").length, 1)
      assert.strictEqual(outcomes.filter((it) => it === "RevisionConflict").length, 19)
      assert.deepInclude(yield* Context.get(processes[1], PayoutAddresses).read(sessionOf(id)), {
        payoutAddress: usableAddresses[outcomes.indexOf("saved")]!,
        revision: 1
      })
    })
  )

  it.effect("Twenty changes without a revision in two processes are all counted", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_payout_count", assembly)
      const id = yield* insertOwner(1).pipe(Effect.provide(processes[0]))
      yield* Effect.forEach(
        usableAddresses,
        (payoutAddress, n) =>
          Context.get(processes[n % 2]!, PayoutAddresses).save(sessionOf(id), { payoutAddress }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* Context.get(processes[0], PayoutAddresses).read(sessionOf(id))).revision, 20)
    })
  )
})
