import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Struct } from "effect"
import * as fc from "fast-check"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import { checked, headerOf, payloadOf, quotes, terms } from "./validPayment.ts"

type Path = ReadonlyArray<string>

/** Returns the path of every member of a value. */
const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => {
        const own: Path = path.concat(name)
        return [own].concat(pathsOf(inner, own))
      })
    : []

/** Returns a copy with another value at a path; `undefined` leaves the member out. */
const withValue = (value: unknown, [name, ...rest]: Path, other: unknown): unknown => {
  if (name === undefined) return other
  const members = value as Record<string, unknown>
  return { ...members, [name]: withValue(members[name], rest, other) }
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value)

/** Texts near a text: a character changed, lost, added, or in the other case. */
const nearTo = (text: string) =>
  fc
    .tuple(fc.nat(text.length), fc.constantFrom("", "0", "1", "a", "F", " ", "\u0000", "🥜"), fc.nat(1))
    .map(([place, other, lost]) => text.slice(0, place) + other + text.slice(place + lost))

const mutationsOf = (value: unknown): fc.Arbitrary<unknown> => {
  const any = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.integer(), fc.double())
  if (typeof value === "number") {
    return fc.oneof(any, fc.constantFrom(value + 1, value - 1, -value, String(value)))
  }
  if (typeof value !== "string") return any
  return fc.oneof(
    any,
    nearTo(value),
    fc.constantFrom(value.toLowerCase(), value.toUpperCase(), value.replace("nano_", "xrb_"), ` ${value}`)
  )
}

/** Returns the parts of a payment that no mutation may change while the payment is taken. */
const paymentOf = (header: string) =>
  Effect.map(checked(header), Struct.omit(["hasWork"])).pipe(Effect.result)

/** Members that no check reads, as payers may send any. */
const ignored = (path: Path) =>
  (path[0] === "extensions" && path[1] !== "payment-identifier") || path.join(".") === "resource.description"

describe("a changed payment", () => {
  it.effect("A changed payment is refused, or is the same payment", () =>
    Effect.gen(function* () {
      const { offer } = yield* Quotes
      const payload = payloadOf(yield* offer(terms))
      const valid = Result.getOrThrow(yield* paymentOf(headerOf(payload)))
      const mutation = fc
        .constantFrom(...pathsOf(payload))
        .chain((path) => fc.tuple(fc.constant(path), mutationsOf(valueAt(payload, path))))
      let refusals = 0
      let same = 0
      for (const [path, value] of fc.sample(mutation, { numRuns: 1500, seed: 402 })) {
        const result = yield* paymentOf(headerOf(withValue(payload, path, value)))
        if (Result.isSuccess(result)) {
          same++
          assert.deepStrictEqual(result.success, valid, path.join("."))
        } else {
          refusals++
          assert.isFalse(ignored(path), path.join("."))
          assert.include(["PaymentRefused", "InvalidPayload", "InvalidX402Version"], result.failure._tag)
        }
      }
      assert.isAbove(refusals, 500)
      assert.isAbove(same, 50)
    }).pipe(Effect.provide(quotes()))
  )
})
