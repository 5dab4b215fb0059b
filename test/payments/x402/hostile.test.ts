import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import { checked, headerOf, payloadOf, quotes, terms } from "./validPayment.ts"

/** The long form plays ten times as many. */
const HEADERS = Number(process.env["PAYMENT_HEADERS"] ?? 10_000)

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

const deep = fc
  .tuple(
    fc.integer({ min: 1, max: 3000 }),
    fc.constantFrom(["[", "]"], ['{"a":', "}"], ['{"__proto__":', "}"])
  )
  .map(([depth, [open = "", close = ""]]) => nested(depth, open, close))

const names = fc.constantFrom(
  "x402Version",
  "accepted",
  "payload",
  "block",
  "extra",
  "intentId",
  "amount",
  "payTo",
  "resource",
  "url",
  "extensions",
  "payment-identifier",
  "info",
  "id",
  "__proto__",
  "constructor",
  "toString"
)

/** Values with the names of a payment in wrong places. */
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom<unknown>(
      null,
      2,
      1,
      -0,
      Number.MAX_VALUE,
      "",
      "exact",
      "nano:mainnet",
      "XNO",
      "\ud800",
      "0".repeat(64)
    ),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie("tree")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries))
  )
}))

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("hostile payments", () => {
  it.effect(
    "Every hostile payment is refused in words of the contract",
    () =>
      Effect.gen(function* () {
        const { offer } = yield* Quotes
        const valid = headerOf(payloadOf(yield* offer(terms)))
        const payload = payloadOf(yield* offer(terms))
        const headers = fc.oneof(
          fc.string({ maxLength: 200 }),
          fc.string({ unit: "binary", maxLength: 100 }),
          fc.base64String({ maxLength: 400 }),
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
          deep.map(base64),
          fc.json({ maxDepth: 12 }).map(base64),
          tree.map((value) => headerOf(value) || "x"),
          tree.map((value) => headerOf({ ...payload, accepted: value })),
          tree.map((value) => headerOf({ ...payload, payload: { block: value } })),
          tree.map((value) => headerOf({ ...payload, accepted: { ...payload.accepted, extra: value } })),
          tree.map((value) => headerOf({ ...payload, extensions: value, resource: value })),
          fc.nat(valid.length).map((length) => valid.slice(0, length)),
          fc
            .tuple(fc.nat(valid.length), fc.string({ maxLength: 3 }))
            .map(([place, text]) => valid.slice(0, place) + text + valid.slice(place + 1)),
          fc.integer({ min: 8000, max: 20_000 }).map((length) => "A".repeat(length))
        )
        const outcomes = new Map<string, number>()
        for (const header of fc.sample(headers, { numRuns: HEADERS, seed: 8192 })) {
          const result = yield* Effect.result(checked(header))
          const outcome = Result.isSuccess(result)
            ? "paid"
            : result.failure._tag === "PaymentRefused"
              ? result.failure.code
              : result.failure._tag
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
        // Every kind of refusal was met. A cut or changed character may be one that no check reads.
        assert.includeMembers(
          [...outcomes.keys()],
          [
            "InvalidPayload",
            "InvalidX402Version",
            "unsupported_scheme",
            "requirements_mismatch",
            "invalid_block"
          ]
        )
        assert.isAbove(outcomes.get("InvalidPayload") ?? 0, HEADERS / 3)
      }).pipe(Effect.provide(quotes())),
    HEADERS * 12
  )
})
