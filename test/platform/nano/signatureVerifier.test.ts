import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as OffloadInline from "../../../layers/testing/OffloadInline.ts"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { NanoAddress, NanoSignature } from "../../../schemas/platform/Nano.ts"
import { makeSignatureVerifier, type SignedMessage } from "../../../src/platform/nano/signatureVerifier.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { vectors } from "./vectors.ts"

const address = Schema.decodeUnknownSync(NanoAddress)

const verify = (signed: SignedMessage) =>
  Effect.flatMap(makeSignatureVerifier, (verifySignature) => verifySignature(signed))

/** The published signatures over off-chain messages. */
const published: ReadonlyArray<SignedMessage> = vectors.noms.map(({ account, message, signature }) => ({
  account: address(account),
  message,
  format: "noms",
  signature: NanoSignature.make(signature)
}))

const signedBy = (number: number, message: string, format: "noms" | "blake2b" = "noms"): SignedMessage => {
  const wallet = walletOf(number)
  return {
    account: wallet.account,
    message,
    format,
    signature: NanoSignature.make(signMessage(wallet, message, format))
  }
}

const adapters = {
  "in threads": OffloadThreads.layer({ unfinishedPerKeyMax: 100 }),
  inline: OffloadInline.layer
}

for (const [name, adapter] of Object.entries(adapters)) {
  layer(adapter)(`signatures verified ${name}`, (it) => {
    it.effect("A signature of the account over the message is good, in either format and case", () =>
      Effect.gen(function* () {
        for (const signed of published) assert.isTrue(yield* verify(signed), signed.message)
        const signed = signedBy(1, "hello", "blake2b")
        assert.isTrue(yield* verify(signed))
        const upperCase = NanoSignature.make(signed.signature.toUpperCase())
        assert.isTrue(yield* verify({ ...signed, signature: upperCase }))
      })
    )

    it.effect("A signature over another message, format or account, or a changed one, is bad", () =>
      Effect.gen(function* () {
        const signed = signedBy(1, "hello")
        const other = signedBy(2, "hello")
        assert.isTrue(yield* verify(signed))
        assert.isFalse(yield* verify({ ...signed, message: "hello " }))
        assert.isFalse(yield* verify({ ...signed, format: "blake2b" }))
        assert.isFalse(yield* verify({ ...signed, account: other.account }))
        assert.isFalse(yield* verify({ ...signed, signature: other.signature }))
        assert.isFalse(yield* verify({ ...signed, signature: NanoSignature.make("f".repeat(128)) }))
      })
    )

    for (const vector of vectors.negativeSignatures) {
      it.effect(`A signature of a key that every signer could sign for is bad: ${vector.address}`, () =>
        Effect.gen(function* () {
          const signature = NanoSignature.make(vector.signature)
          const account = address(vector.address)
          for (const message of ["", "a", "b", "c", "d", "e", "f", "g", "h"]) {
            assert.isFalse(yield* verify({ account, message, format: "noms", signature }))
          }
        })
      )
    }

    it.effect("Good and bad signatures are distinguished when many are verified together", () =>
      Effect.gen(function* () {
        const good = signedBy(1, "hello")
        const bad = { ...good, message: "other" }
        const all = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? bad : good))
        assert.deepStrictEqual(
          yield* Effect.forEach(all, verify, { concurrency: "unbounded" }),
          all.map((signed) => signed === good)
        )
      })
    )
  })
}

describe("verifying in threads", () => {
  const turns = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

  it.effect("Verifying in threads gives other fibers their turn", () =>
    Effect.gen(function* () {
      const signed = signedBy(1, "hello")
      const many = Effect.forEach(Array.from({ length: 50 }), () => verify(signed), {
        concurrency: "unbounded",
        discard: true
      })
      const others = Effect.forever(
        Effect.tap(
          turns,
          Effect.sync(() => count++)
        )
      )
      let count = 0
      yield* Effect.raceFirst(many, others)
      assert.isAbove(count, 50)
    }).pipe(Effect.provide(OffloadThreads.layer({ unfinishedPerKeyMax: 100 })))
  )

  it.effect("Too many waiting signatures of one account make the verifier unavailable", () =>
    Effect.gen(function* () {
      const signed = signedBy(1, "hello")
      const exits = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.result(Effect.catchDefect(verify(signed), Effect.fail)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        exits.map((exit) => (exit._tag === "Success" ? exit.success : exit.failure)),
        [...Array.from({ length: 4 }, () => true), ...Array.from({ length: 2 }, () => unavailable)]
      )
      assert.isTrue(yield* verify(signed))
    }).pipe(Effect.provide(OffloadThreads.layer({ unfinishedPerKeyMax: 4 })))
  )

  const unavailable = new DependencyUnavailable({ dependency: "signature verification" })
})
