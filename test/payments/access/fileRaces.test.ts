import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buyerOf, inTime, outcomeOf } from "../../support/actors/buyer.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { deadlocks } from "../../support/deadlocks.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { gift } from "../gifts/giving.ts"
import { download, offered } from "./downloading.ts"

const ROUNDS = 20

it.effect(
  "A file that is removed while it is bought and given is sold or not, and no request waits for another for good",
  () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_payments_file_races")
      const onSecond = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.provideService(effect, TestClient, Context.get(second!, TestClient))
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const rounds = yield* Effect.forEach(
          Array.from({ length: ROUNDS }, (_, round) => round),
          Effect.fnUntraced(function* (round) {
            const offer = yield* offered(author)
            const { payment } = yield* (yield* buyerOf(10 + round)).sign(offer.id)
            const { token } = yield* gift(author, offer.id)
            return { offer, payment, token }
          })
        )
        yield* Effect.forEach(rounds, ({ offer, payment, token }, round) =>
          Effect.gen(function* () {
            const buying = onSecond(download(offer, { "payment-signature": payment }))
            const giving = download(offer, { "x-gift-token": token, "idempotency-key": `reader-${round}` })
            const removing = author.detach(offer.id, offer.file)
            const both = [buying, giving] as const
            const [[bought, given], removed] = yield* inTime(
              Effect.all([Effect.all(both, { concurrency: 2 }), removing], { concurrency: 2 })
            )
            assert.strictEqual(removed.status, 200, removed.text)
            assert.include([200, 402, 404, 410], bought.status, bought.text)
            if (bought.status === 200) assert.isTrue(outcomeOf(bought).success)
            assert.include([200, 404, 410], given.status, given.text)
          })
        )
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`select from settlements where due_at is not null`, 0)
        assert.strictEqual(yield* deadlocks, 0)
      }).pipe(Effect.provide(first!))
    }).pipe(Effect.scoped),
  300_000
)
