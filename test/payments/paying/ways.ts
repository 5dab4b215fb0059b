import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import type { authorOf } from "../../support/actors/author.ts"
import { base64Json, fromBase64, inTime, payloadOf } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { paidPost } from "../access/paidPost.ts"

/** The things that a block pays for by x402. */
export const kinds = ["purchase", "tip"] as const
export type Kind = (typeof kinds)[number]

const HALF = `5${"0".repeat(29)}`

type Author = Effect.Success<ReturnType<typeof authorOf>>

/** A Post of an author, bought or tipped. */
const targetOf = Effect.fnUntraced(function* (kind: Kind, author: Author) {
  const { id } = yield* author.published(paidPost)
  const postId = id as string
  const [method, path, body] =
    kind === "purchase"
      ? ["GET", `/api/posts/${postId}/access`, {}]
      : ["POST", `/api/posts/${postId}/tips`, { body: { amountRaw: HALF } }]

  return {
    postId,
    /** Sends the request that is paid for, with a payment if there is one. */
    ask: Effect.fnUntraced(function* (payment?: string) {
      const headers = payment === undefined ? {} : { headers: { "payment-signature": payment } }
      return yield* (yield* TestClient).send(method as string, path as string, {
        ...(body as object),
        ...headers
      })
    }),
    /** Returns the number of purchases or tips of the Post. */
    count: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const table = sql(kind === "purchase" ? "purchases" : "tips")
      return (yield* sql`select from ${table} where post_id = ${postId}`).length
    })
  }
})

/** A wallet of this number with money, and a new Post that it pays for. */
export const paying = Effect.fnUntraced(function* (kind: Kind, author: Author, number: number) {
  const target = yield* targetOf(kind, author)
  const payer = yield* payerOf(number)
  yield* payer.fund()
  return {
    ...target,
    payer,
    /** Gets a 402 and signs a block for it. Returns the header to send, and sends nothing. */
    sign: Effect.gen(function* () {
      const terms = fromBase64((yield* target.ask()).headers.get("payment-required"))
      const [{ amount, payTo }] = terms.accepts
      const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
      return { block, terms, payment: base64Json(payloadOf(terms, block)) }
    })
  }
})

/** Returns the status of an answer with the code of its error. */
export const seen = ({ body, status }: TestAnswer) => [status, body.data?.code ?? null]

/** Repeats a request as a payer does, at most 20 times, while the answer is that the payment is being settled. */
export const insist = <R>(request: Effect.Effect<TestAnswer, never, R>) =>
  inTime(
    Effect.repeat(request, {
      while: ({ body }) => body.data?.code === "settlement_pending",
      schedule: Schedule.spaced("2 seconds"),
      times: 20
    })
  )
