import { assert, it } from "@effect/vitest"
import { Context, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, base64Json, buyerOf, inTime, payloadOf } from "../../support/actors/buyer.ts"
import { signedBlock } from "../../support/actors/payer.ts"
import { TestClient, type TestRequest } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paidPost, SECRET } from "./paidPost.ts"

/** Sends a request as a payer does: again, for as long as the answer is that the payment is being settled. */
const insist = (postId: string, request: TestRequest & { readonly payment: string }) =>
  Effect.repeat(access(postId, request), {
    while: ({ body }) => body.data?.code === "settlement_pending",
    schedule: Schedule.spaced("2 seconds")
  })

/** Sends requests to two processes by turns, all at once. Returns the answers. */
const race = Effect.fnUntraced(function* (
  processes: ReadonlyArray<Context.Context<any>>,
  postId: string,
  requests: ReadonlyArray<TestRequest & { readonly payment: string }>
) {
  return yield* inTime(
    Effect.forEach(
      requests,
      (request, number) =>
        Effect.provideService(
          insist(postId, request),
          TestClient,
          Context.get(processes[number % 2]!, TestClient)
        ),
      { concurrency: "unbounded" }
    )
  )
})

const counted = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly settled: number; readonly purchases: number; readonly open: number }>`
    select (select count(*)::int from settlements where post_id = ${postId} and state = 'settled') as settled,
      (select count(*)::int from settlements where post_id = ${postId} and state in ('settling', 'lapsed')) as open,
      (select count(*)::int from purchases where post_id = ${postId}) as purchases`
  return row
})

it.effect(
  "Payments that race in two processes are taken once",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_payments_access_races")
      yield* Effect.gen(function* () {
        const author = yield* authorOf(1)
        const newPost = Effect.map(author.published(paidPost), ({ id }) => id as string)
        const buyer = yield* buyerOf(2)
        const published = Effect.flatMap(NanoLedgerMemory, (ledger) => ledger.published)

        // 100 requests with one header: one purchase, and 100 equal answers.
        const first = yield* newPost
        const { payment } = yield* buyer.sign(first)
        const answers = yield* race(
          processes,
          first,
          Array.from({ length: 100 }, () => ({ payment }))
        )
        const statuses = new Map<number, number>()
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
        assert.deepStrictEqual([...statuses], [[200, 100]])
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
        assert.deepStrictEqual(yield* counted(first), { settled: 1, purchases: 1, open: 0 })

        // One wallet with many quotes, and blocks that all follow its frontier.
        const second = yield* newPost
        const signed = yield* Effect.forEach(Array.from({ length: 20 }), () => buyer.sign(second))
        const before = (yield* published).length
        const many = yield* race(processes, second, signed)
        // The block is the same, as signatures are deterministic: one quote pays, and the others are refused.
        for (const { body, status, text } of many)
          if (status !== 200) {
            assert.strictEqual(body.data.code, "block_already_used", text)
            assert.notInclude(text, "secret")
          }
        assert.strictEqual(many.filter(({ status }) => status === 200).length, 1)
        assert.deepStrictEqual(yield* counted(second), { settled: 1, purchases: 1, open: 0 })
        assert.strictEqual(new Set((yield* published).slice(before).map((block) => block.signature)).size, 1)

        // One block on two Posts.
        const [third, fourth] = [yield* newPost, yield* newPost]
        const one = yield* buyer.sign(third)
        const two = yield* buyer.sign(fourth)
        const [a, b] = yield* inTime(
          Effect.all(
            [
              insist(third, { payment: one.payment }),
              insist(fourth, { payment: base64Json(payloadOf(two.terms, one.block)) })
            ],
            { concurrency: 2 }
          )
        )
        assert.strictEqual([a, b].filter(({ status }) => status === 200).length, 1)
        // Two blocks that follow one frontier, each with a quote of its own: the wallet pays once.
        const fifth = yield* newPost
        const left = yield* buyer.sign(fifth)
        const right = yield* buyer.sign(fifth)
        const elsewhere = signedBlock(buyer.wallet, { ...right.block, representative: author.wallet.account })
        const both = yield* race(processes, fifth, [
          { payment: left.payment },
          { payment: base64Json(payloadOf(right.terms, elsewhere)) }
        ])
        assert.include(
          both.map(({ status }) => status),
          200
        )
        for (const { body, status } of both)
          assert.isTrue(status === 200 || ["frontier_moved", "previous_in_flight"].includes(body.data.code))
        assert.deepStrictEqual(yield* counted(fifth), { settled: 1, purchases: 1, open: 0 })

        // Buying against withdrawing and against a new price: a purchase on the old terms, or a refusal that cost nothing.
        for (const change of ["unpublish", "reprice", "free"] as const) {
          const post = yield* newPost
          const order = yield* buyer.sign(post)
          const sent = (yield* published).length
          const [answer] = yield* inTime(
            Effect.all(
              [
                insist(post, { payment: order.payment }),
                change === "unpublish"
                  ? author.unpublish(post)
                  : author.patch(post, change === "free" ? { enablePaywall: false } : { priceXno: "0.75" })
              ],
              { concurrency: 2 }
            )
          )
          const count = yield* counted(post)
          const wasSent = (yield* published).length > sent
          assert.strictEqual(count?.purchases, wasSent ? 1 : 0, change)
          if (wasSent) assert.strictEqual(answer.body.post?.content.paid, SECRET, answer.text)
          else if (answer.status !== 200) assert.include([402, 404, 410], answer.status, answer.text)
          else assert.isFalse(answer.body.access.charged)
        }
      }).pipe(Effect.provide(processes[0]))
    }).pipe(Effect.scoped),
  300_000
)
