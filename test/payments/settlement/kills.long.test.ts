import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bookOver } from "../../../layers/nano/ledgerBook.ts"
import { makeLedgerStoreSql } from "../../../layers/nano/ledgerStoreSql.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { access, base64Json, fromBase64, outcomeOf, payloadOf } from "../../support/actors/buyer.ts"
import { payerOn } from "../../support/actors/payer.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { servedOver } from "../../support/servedOver.ts"
import { soak } from "../../support/soak.ts"
import { TestClient } from "../../support/TestClient.ts"
import { sellerOf } from "./paying.ts"

const KILLS = soak(1, 5, 40)
/** Payments that are under way when the process is killed, each further than the next. */
const PAYERS = 5
/** Time between two of them: their claims, broadcasts, confirmations and answers take half a second more. */
const APART_MILLIS = 180

it.live(
  "A process that is killed while payments settle loses and doubles no purchases and no answers",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_settlement_kills")
      const directory = yield* temporaryDirectory
      const start = servedOver(url, directory)

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { store } = makeLedgerStoreSql(sql)
        const book = bookOver(store, { workThreshold: 0n, confirmAfterMillis: Effect.succeed(500) })
        let process = yield* start
        const { postId } = yield* sellerOf(1).pipe(Effect.provideService(TestClient, process.client))
        const paid: Array<{ readonly payment: string; readonly hash: string }> = []

        for (let kill = 0; kill < KILLS; kill++) {
          const { client, kill: end } = process
          const signed = yield* Effect.forEach(Array.from({ length: PAYERS }), (_, place) =>
            Effect.gen(function* () {
              const payer = payerOn(book, 100 + kill * PAYERS + place)
              yield* payer.fund()
              const terms = fromBase64((yield* access(postId)).headers.get("payment-required"))
              const [{ amount, payTo }] = terms.accepts
              const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
              return { payment: base64Json(payloadOf(terms, block)), hash: blockHash(block) }
            }).pipe(Effect.provideService(TestClient, client))
          )
          paid.push(...signed)
          const requests = yield* Effect.forEach(signed, ({ payment }) =>
            access(postId, { payment }).pipe(
              Effect.provideService(TestClient, client),
              Effect.exit,
              Effect.forkChild,
              Effect.tap(Effect.sleep(APART_MILLIS))
            )
          )
          yield* Effect.sleep((kill * 37) % APART_MILLIS)
          yield* end
          yield* Effect.forEach(requests, Fiber.join)
          process = yield* start
        }

        yield* Effect.forEach(
          paid,
          Effect.fnUntraced(function* ({ hash, payment }) {
            const answer = yield* Effect.repeat(
              Effect.tap(access(postId, { payment }), ({ status }) =>
                status === 503 ? Effect.sleep("200 millis") : Effect.void
              ),
              { while: ({ status }) => status === 503 }
            )
            assert.strictEqual(answer.status, 200, answer.text)
            assert.strictEqual(outcomeOf(answer).transaction, hash)
            assert.isTrue(answer.body.access.charged)
            const again = yield* access(postId, { payment })
            assert.deepStrictEqual([again.status, again.body], [200, answer.body])
          }),
          { concurrency: "unbounded" }
        ).pipe(Effect.provideService(TestClient, process.client))

        const rows = yield* sql<{
          readonly hash: string
          readonly state: string
          readonly purchases: number
        }>`
          select upper(encode(block_hash, 'hex')) as hash, state,
            (select count(*)::int from purchases where settlement_id = s.id) as purchases from settlements s`
        assert.deepStrictEqual(
          rows.toSorted((one, other) => (one.hash < other.hash ? -1 : 1)),
          paid
            .map(({ hash }) => ({ hash: hash as string, state: "settled", purchases: 1 }))
            .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
        )
      }).pipe(Effect.provide(Layer.fresh(pool(url))))
    }),
  soak(120_000, 600_000, 1_800_000)
)
