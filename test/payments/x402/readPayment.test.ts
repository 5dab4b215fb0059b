import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { readPayment } from "../../../src/payments/x402/readPayment.ts"
import { hashOf } from "../../../src/platform/secrets/Secrets.ts"
import { headerOf, payloadOf, POST_URL, validBlock } from "./validPayment.ts"

const QUOTE = `ppi_${"a".repeat(22)}_${"b".repeat(43)}`
const payload = {
  ...payloadOf({
    scheme: "exact",
    network: "nano:mainnet",
    asset: "XNO",
    amount: "1",
    payTo: validBlock.account,
    maxTimeoutSeconds: 900,
    extra: { intentId: QUOTE, validBefore: 1, work: "required", workThreshold: "fffffff800000000" }
  })
}
const header = headerOf(payload)

const read = (signature: string | undefined, older?: string) =>
  Effect.map(readPayment({ "payment-signature": signature, "x-payment": older }), Option.getOrUndefined)

const refusalOf = (signature: string | undefined, older?: string) =>
  read(signature, older).pipe(
    Effect.as("read"),
    Effect.catch(({ _tag }) => Effect.succeed(_tag))
  )

/** A payload with a member of another value. */
const withMember = (name: string, value: unknown) => headerOf({ ...payload, [name]: value })

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

describe("reading a payment", () => {
  it.effect("A payment has what every check needs, and a request without a header has none", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* read(undefined))
      const payment = (yield* read(header))!
      assert.deepStrictEqual(payment.accepted, { ...payload.accepted })
      assert.deepStrictEqual(payment.block, { ...validBlock })
      assert.strictEqual(payment.resource, POST_URL)
      assert.strictEqual(payment.paymentIdentifier, "pay_0123456789abcdef")
      assert.deepStrictEqual(payment.quoteHash, Option.some(hashOf(Redacted.make(QUOTE))))
      assert.lengthOf(payment.payloadHash, 32)
      // The quote proves a purchase for good: nothing prints it.
      assert.strictEqual(Option.getOrThrow(Option.map(payment.quote, Redacted.value)), QUOTE)
      assert.notInclude(String(Option.getOrThrow(payment.quote)), "ppi_")
    })
  )

  it.effect("A payment may use either alphabet, padding or none, and any spelling of the JSON", () =>
    Effect.gen(function* () {
      const unpadded = header.replace(/=+$/, "")
      const { accepted, extensions, payload: inner, resource, x402Version } = payload
      const reordered = { resource, payload: inner, extensions, accepted, x402Version }
      const spelled = [
        unpadded,
        unpadded.replaceAll("+", "-").replaceAll("/", "_"),
        ` ${header} `,
        Buffer.from(JSON.stringify(payload, null, 2)).toString("base64"),
        Buffer.from(JSON.stringify(payload).replaceAll("/", "\\/")).toString("base64url"),
        headerOf(reordered)
      ]
      const { payloadHash } = (yield* read(header))!
      for (const text of spelled) assert.deepStrictEqual((yield* read(text))!.payloadHash, payloadHash, text)
      const umlauts = { ...payload, resource: { url: POST_URL, description: "Über 蔡 🥜?>" } }
      assert.notDeepEqual((yield* read(headerOf(umlauts)))!.payloadHash, payloadHash)
    })
  )

  it.effect("Members that clients add are ignored, and optional ones may be missing", () =>
    Effect.gen(function* () {
      const added = { scheme: "exact", network: "nano:mainnet", paymentId: "x", ...payload }
      assert.strictEqual(yield* refusalOf(headerOf(added)), "read")
      const { accepted, payload: inner } = payload
      const bare = (yield* read(headerOf({ x402Version: 2, accepted, payload: inner })))!
      assert.isUndefined(bare.resource)
      assert.isNull(bare.paymentIdentifier)
      for (const extensions of [{}, null, [], "x", { "payment-identifier": { info: { required: false } } }]) {
        const payment = (yield* read(withMember("extensions", extensions)))!
        assert.isNull(payment.paymentIdentifier, JSON.stringify(extensions))
      }
      for (const resource of [null, {}, "x", []]) {
        assert.isUndefined((yield* read(withMember("resource", resource)))!.resource)
      }
      // A URL that is none is sent, and wrong.
      assert.strictEqual((yield* read(withMember("resource", { url: 1 })))!.resource, "")
      const unquoted = (yield* read(withMember("accepted", { __proto__: { extra: {} } })))!
      assert.isTrue(Option.isNone(unquoted.quote))
    })
  )

  it.effect("A header that is not a payment is refused", () =>
    Effect.gen(function* () {
      const wrong = [
        "",
        "x",
        "%%%",
        `${header},${header}`,
        `${header}=`.repeat(2),
        Buffer.from("{").toString("base64"),
        Buffer.from([0x22, 0xff, 0x22]).toString("base64"),
        ...[null, 1, "x", [], {}, { x402Version: 2 }].map(headerOf),
        headerOf({ accepted: payload.accepted, payload: payload.payload }),
        withMember("accepted", undefined),
        withMember("accepted", []),
        withMember("payload", {}),
        withMember("payload", { block: "{}" }),
        withMember("payload", { block: [] }),
        ...["short", "x".repeat(129), "0123456789abcdef!", 1].map((id) =>
          withMember("extensions", { "payment-identifier": { info: { id } } })
        ),
        withMember("deep", nested(8)),
        withMember("long", "x".repeat(5000))
      ]
      for (const text of wrong) assert.strictEqual(yield* refusalOf(text), "InvalidPayload", text)
      assert.strictEqual(yield* refusalOf(withMember("deep", nested(7))), "read")
      assert.strictEqual(yield* refusalOf(withMember("text", "[".repeat(50))), "read")
      const { detail } = yield* Effect.flip(read(Buffer.from("[".repeat(6000)).toString("base64")))
      assert.match(detail ?? "", /nests objects deeper than 8/)
    })
  )

  it.effect("A header has at most 8192 characters", () =>
    Effect.gen(function* () {
      const room = 8192 - header.length
      const padded = Buffer.from(JSON.stringify(payload) + " ".repeat(7000)).toString("base64")
      assert.strictEqual(yield* refusalOf(padded.slice(0, 8192)), "read")
      assert.strictEqual(yield* refusalOf(padded.slice(0, 8196)), "InvalidPayload")
      assert.isAbove(room, 0)
    })
  )

  it.effect("Another version of x402 is refused by name", () =>
    Effect.gen(function* () {
      const older = headerOf({ x402Version: 1, scheme: "exact", network: "nano", payload: {} })
      assert.strictEqual(yield* refusalOf(older), "InvalidX402Version")
      assert.strictEqual(yield* refusalOf(undefined, older), "InvalidX402Version")
      assert.strictEqual(yield* refusalOf(withMember("x402Version", "2")), "InvalidX402Version")
    })
  )

  it.effect("The older header is read alone or with an equal new one, and two payments are refused", () =>
    Effect.gen(function* () {
      const other = withMember("extensions", {})
      assert.deepStrictEqual(yield* read(undefined, header), yield* read(header))
      assert.strictEqual(yield* refusalOf(header, header), "read")
      assert.strictEqual(yield* refusalOf(header, header.replace(/=+$/, "")), "read")
      assert.strictEqual(yield* refusalOf(header, other), "InvalidPayload")
      assert.strictEqual(yield* refusalOf(header, ""), "InvalidPayload")
      assert.strictEqual(yield* refusalOf("", header), "InvalidPayload")
    })
  )
})
