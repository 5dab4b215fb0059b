import { createHmac, hkdfSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { Offer } from "../../../schemas/payments/x402/Offer.ts"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { MAX_RAW, NanoPublicKey, addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import { textOfTerms } from "../../../src/payments/quotes/terms.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { base62 } from "../../../src/platform/secrets/base62.ts"
import { hashOf } from "../../../src/platform/secrets/Secrets.ts"
import { POST_URL, SECRET, post, quotes, terms, wallets } from "../x402/validPayment.ts"

const offered = Effect.flatMap(Quotes, ({ offer }) => offer(terms))

type Echo = Readonly<Record<string, unknown>>

const refusalOf = (accepted: Echo, target: PaymentTarget = post, resource?: string) =>
  Effect.flatMap(Quotes, ({ check }) => check(target, accepted, [POST_URL], resource)).pipe(
    Effect.as("taken"),
    Effect.catchTag("PaymentRefused", ({ code }) => Effect.succeed(code))
  )

const withExtra = (offer: Offer, extra: object) => ({ ...offer, extra: { ...offer.extra, ...extra } })

const uuid = fc.uuid().map((id) => id.toLowerCase())
const anyAddress = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((key) => addressOfPublicKey(NanoPublicKey.make(Buffer.from(key).toString("hex"))))
const anyTarget: fc.Arbitrary<PaymentTarget> = fc.oneof(
  uuid.map((id) => ({ kind: "purchase" as const, postId: PostId.make(id) })),
  fc.tuple(fc.option(uuid), fc.option(uuid), uuid).map(([postId, commentId, recipientId]) => ({
    kind: "tip" as const,
    postId: postId === null ? null : PostId.make(postId),
    commentId: commentId === null ? null : CommentId.make(commentId),
    recipientId: OwnerId.make(recipientId)
  }))
)

describe("quotes", () => {
  it.effect("A quote is accepted with the terms that it was made for", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_795_236_600_700)
      const { check } = yield* Quotes
      const offer = yield* offered
      assert.deepStrictEqual(offer, {
        scheme: "exact",
        network: "nano:mainnet",
        asset: "XNO",
        amount: "50000000000000000000000000000",
        payTo: wallets.author.account,
        maxTimeoutSeconds: 900,
        extra: {
          intentId: offer.extra.intentId,
          validBefore: 1_795_237_500,
          work: "required",
          workThreshold: "fffffff800000000"
        }
      })
      assert.match(offer.extra.intentId, /^ppi_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
      for (const resource of [undefined, POST_URL]) {
        assert.deepStrictEqual(yield* check(post, { ...offer }, [POST_URL], resource), {
          quoteHash: hashOf(Redacted.make(offer.extra.intentId)),
          amountRaw: terms.amountRaw,
          payTo: terms.payTo,
          validBefore: new Date(1_795_237_500_000)
        })
      }
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A quote is an HMAC-SHA-256 over its terms, under a key of its own", () =>
    Effect.gen(function* () {
      const { extra } = yield* offered
      const [, name = "", mac] = extra.intentId.split("_")
      const text = [
        "quote/1",
        name,
        "nano:mainnet",
        "purchase",
        post.kind === "purchase" ? post.postId : "",
        "50000000000000000000000000000",
        wallets.author.account,
        extra.validBefore
      ].join("\n")
      const key = Buffer.from(hkdfSync("sha256", SECRET, "pennypress", "quotes", 32))
      assert.strictEqual(mac, base62(createHmac("sha256", key).update(text).digest()))
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("Quotes of one Post differ only in their intentId", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* offered, yield* offered]
      assert.notStrictEqual(one.extra.intentId, other.extra.intentId)
      assert.deepStrictEqual(withExtra(one, { intentId: "" }), withExtra(other, { intentId: "" }))
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A quote ends with its last second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_795_236_600_000)
      const offer = { ...(yield* offered) }
      yield* TestClock.adjust(899_999)
      assert.strictEqual(yield* refusalOf(offer), "taken")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* refusalOf(offer), "quote_expired")
      // A later end is another term.
      assert.strictEqual(
        yield* refusalOf(withExtra(yield* offered, { validBefore: 1_795_240_000 })),
        "requirements_mismatch"
      )
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A quote is refused with the code of the first member that differs", () =>
    Effect.gen(function* () {
      const offer = yield* offered
      const other: PaymentTarget = {
        kind: "purchase",
        postId: PostId.make("0190f3c2-7b1e-7c4a-9d52-000000000000")
      }
      const { intentId } = offer.extra
      const mismatches: ReadonlyArray<Echo> = [
        { ...offer, amount: "50000000000000000000000000001" },
        { ...offer, amount: 5e28 },
        { ...offer, amount: undefined },
        { ...offer, payTo: wallets.stranger.account },
        { ...offer, payTo: offer.payTo.replace(/.$/, "1") },
        { ...offer, maxTimeoutSeconds: 901 },
        { ...offer, extra: undefined },
        { ...offer, extra: [] },
        withExtra(offer, { work: "optional" }),
        withExtra(offer, { workThreshold: "fffffff7ffffffff" }),
        withExtra(offer, { validBefore: offer.extra.validBefore + 1 }),
        withExtra(offer, { validBefore: String(offer.extra.validBefore) }),
        withExtra(offer, { intentId: undefined }),
        withExtra(offer, { intentId: `${intentId}0` }),
        withExtra(offer, { intentId: intentId.replace("ppi_", "ppr_") }),
        // The largest number of 43 digits is no 32 bytes.
        withExtra(offer, { intentId: `${intentId.slice(0, -43)}${"z".repeat(43)}` })
      ]
      for (const accepted of mismatches) {
        assert.strictEqual(yield* refusalOf(accepted), "requirements_mismatch", JSON.stringify(accepted))
      }
      assert.strictEqual(yield* refusalOf({ ...offer, scheme: "upto" }), "unsupported_scheme")
      assert.strictEqual(yield* refusalOf({ ...offer, scheme: "upto", network: "x" }), "unsupported_scheme")
      assert.strictEqual(yield* refusalOf({ ...offer, network: "nano:dev", amount: "1" }), "invalid_network")
      assert.strictEqual(yield* refusalOf({ ...offer, asset: "XRB" }), "invalid_network")
      assert.strictEqual(yield* refusalOf({ ...offer }, other), "requirements_mismatch")
      assert.strictEqual(yield* refusalOf({ ...offer }, post, `${POST_URL}/`), "requirements_mismatch")
      assert.strictEqual(yield* refusalOf({ ...offer }, post, POST_URL), "taken")
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A quote is the same in every spelling of hex and addresses", () =>
    Effect.gen(function* () {
      const offer = yield* offered
      const spelled = { ...offer, payTo: offer.payTo.replace("nano_", "xrb_"), unknown: { member: true } }
      assert.strictEqual(yield* refusalOf(spelled), "taken")
      assert.strictEqual(yield* refusalOf(withExtra(offer, { workThreshold: "FFFFFFF800000000" })), "taken")
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A quote of a former secret is accepted, and one of another secret is not", () =>
    Effect.gen(function* () {
      const [former, current] = [SECRET, "the secret that came after that one"]
      const offer = { ...(yield* offered.pipe(Effect.provide(quotes(former)))) }
      const under = (secrets: string) => refusalOf(offer).pipe(Effect.provide(quotes(secrets)))
      assert.strictEqual(yield* under(former), "taken")
      assert.strictEqual(yield* under(`${current},${former}`), "taken")
      assert.strictEqual(yield* under(current), "requirements_mismatch")
      const renewed = { ...(yield* offered.pipe(Effect.provide(quotes(`${current},${former}`)))) }
      assert.strictEqual(yield* refusalOf(renewed).pipe(Effect.provide(quotes(current))), "taken")
    })
  )

  it.effect("A quote of a development ledger needs no work, and is refused by another ledger", () =>
    Effect.gen(function* () {
      const offer = { ...(yield* offered.pipe(Effect.provide(quotes(SECRET, "development")))) }
      assert.strictEqual(offer.network, "nano:dev")
      assert.include(offer.extra, { work: "optional", workThreshold: "0000000000000000" })
      assert.strictEqual(yield* refusalOf(offer).pipe(Effect.provide(quotes(SECRET, "development"))), "taken")
      assert.strictEqual(yield* refusalOf(offer).pipe(Effect.provide(quotes())), "invalid_network")
      const moved = {
        ...withExtra(offer, { work: "required", workThreshold: "fffffff800000000" }),
        network: "nano:mainnet"
      }
      assert.strictEqual(yield* refusalOf(moved).pipe(Effect.provide(quotes())), "requirements_mismatch")
    })
  )

  it("Different terms never have the same text", () => {
    const anyTerms = fc.record({
      target: anyTarget,
      amountRaw: fc.bigInt({ min: 0n, max: MAX_RAW }),
      payTo: anyAddress,
      name: fc.stringMatching(/^[0-9A-Za-z]{22}$/),
      network: fc.constantFrom("nano:mainnet", "nano:test", "nano:beta", "nano:dev"),
      validBefore: fc.nat()
    })
    const json = (value: unknown) =>
      JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}` : inner))
    fc.assert(
      fc.property(
        anyTerms,
        anyTerms,
        fc.constantFrom("target", "amountRaw", "payTo", "name", "network", "validBefore"),
        (one, other, member) => {
          const changed = { ...one, [member]: other[member] }
          assert.strictEqual(textOfTerms(changed) === textOfTerms(one), json(changed) === json(one))
        }
      )
    )
  })

  it.effect("Changing any digit of a quote invalidates it", () =>
    Effect.gen(function* () {
      const offer = yield* offered
      const { intentId } = offer.extra
      for (let place = 0; place < intentId.length; place++) {
        const digit = intentId.charAt(place) === "a" ? "b" : "a"
        const changed = intentId.slice(0, place) + digit + intentId.slice(place + 1)
        const code = yield* refusalOf(withExtra(offer, { intentId: changed }))
        assert.strictEqual(code, "requirements_mismatch", changed)
      }
    }).pipe(Effect.provide(quotes()))
  )
})
