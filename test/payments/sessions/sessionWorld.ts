import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { NewPaymentSession } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Watching } from "../../../src/payments/sessions/Watching.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { authorOf } from "../../support/actors/author.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { TestClient, type TestRequest } from "../../support/TestClient.ts"

const START = Date.UTC(2026, 10, 21)

/** Sets the clock to a day of this century, once: the tests of a file share it. */
export const begin = Effect.gen(function* () {
  if ((yield* now).getTime() < START) yield* TestClock.setTime(START)
})

let keys = 0

/** Returns an Idempotency-Key that no other call returns. */
export const newKey = () => `5f0c7a52-6f3c-4b0e-9d52-${String(keys++).padStart(12, "0")}`

/** Asks for a session with a key of its own, unless `key` names one. */
export const openSession = Effect.fnUntraced(function* (
  body: unknown,
  { key = newKey(), token }: { readonly key?: string; readonly token?: string } = {}
) {
  return yield* (yield* TestClient).send("POST", "/api/payment-sessions", {
    body,
    headers: { "idempotency-key": key },
    ...(token === undefined ? {} : { token })
  })
})

/** Opens a session, and returns it with the requests of its holder. */
export const sessionOf = Effect.fnUntraced(function* (body: object, token?: string) {
  const client = yield* TestClient
  const answer = yield* openSession(body, token === undefined ? {} : { token })
  assert.strictEqual(answer.status, 201, answer.text)
  const session: typeof NewPaymentSession.Type = answer.body
  const path = `/api/payment-sessions/${session.sessionId}`
  const asHolder: TestRequest = { headers: { "x-session-token": session.token } }
  return {
    ...session,
    payTo: NanoAddress.make(session.payTo),
    amount: BigInt(session.amountRaw),
    base: BigInt(session.baseAmountRaw),
    path,
    asHolder,
    send: (method: string, suffix = "") => client.send(method, `${path}${suffix}`, asHolder),
    /** Returns the session as its holder sees it. */
    now: Effect.map(client.send("GET", path, asHolder), ({ body: seen }) => seen),
    cancel: client.send("DELETE", path, asHolder),
    /** Says that the payment was sent, by this address if there is one. */
    saySent: (payer?: string) =>
      client.send("POST", `${path}/sent`, { ...asHolder, body: payer === undefined ? {} : { payer } })
  }
})

/** Looks at the ledger for every address that is due, as the workers do. Returns the number of looks. */
export const lookNow = Effect.gen(function* () {
  const watching = yield* Watching
  const at = yield* now
  const due = yield* watching.claim({ at, leaseUntil: later(at, 60_000), limit: 1_000 })
  yield* Effect.forEach(due, watching.look, { discard: true })
  return due.length
})

/** Waits for the next look of every address with a new session, and looks. */
export const lookSoon = Effect.andThen(TestClock.adjust("2 seconds"), lookNow)

/** Looks as often as a session of this age is looked at. */
export const lookAfter = (duration: Parameters<typeof TestClock.adjust>[0]) =>
  Effect.andThen(TestClock.adjust(duration), lookNow)

let authors = 100

/** An author with a Post for sale, for 0.25 XNO, and a payer with 10 XNO. */
export const sale = Effect.gen(function* () {
  yield* begin
  const number = authors++
  const author = yield* authorOf(number)
  const { id } = yield* author.published({
    paidContentMarkdown: "Paid",
    enablePaywall: true,
    priceXno: "0.25"
  })
  const payer = yield* payerOf(number + 1_000)
  yield* payer.fund()
  return { author, payer, postId: id as string, buy: sessionOf({ kind: "purchase", postId: id }) }
})
