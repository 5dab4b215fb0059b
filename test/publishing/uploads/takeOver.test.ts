import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { ReservationsRepo } from "../../../src/publishing/uploads/ReservationsRepo.ts"
import { WorkRepo } from "../../../src/publishing/uploads/WorkRepo.ts"
import { database } from "../../support/Database.ts"

const repositories = Layer.mergeAll(ReservationsRepo.layer, WorkRepo.layer).pipe(
  Layer.provideMerge(database("test_upload_take_over"))
)

const ownerId = OwnerId.make("00000000-0000-7000-8000-000000000001")
const LEASE_MILLIS = 150_000

/** A reservation whose bytes broke off, as another request reads it. */
const abandoned = Effect.fnUntraced(function* (number: number) {
  const repo = yield* ReservationsRepo
  const at = yield* now
  const lease = yield* repo.reserve({
    id: UploadOperationId.make(`00000000-0000-7000-9000-00000000000${number}`),
    ownerId,
    target: { kind: "avatar", id: UploadTargetId.make(ownerId), key: "" },
    requestKey: `key-${number}`,
    policyVersion: "test",
    bytes: 100,
    at,
    leaseUntil: later(at, LEASE_MILLIS)
  })
  yield* repo.abandon(lease, at)
  return Option.getOrThrow(yield* repo.earlier(ownerId, `key-${number}`))
})

const reservation = Effect.map(now, (at) => ({ bytes: 100, leaseUntil: later(at, LEASE_MILLIS) }))

layer(repositories)("bytes that are sent again (4.4.4)", (it) => {
  it.effect("are received by one request alone, and by none while former bytes are removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* ReservationsRepo
      const work = yield* WorkRepo
      yield* sql`insert into owners ${sql.insert({
        id: ownerId,
        kind: "guest",
        name: "Ada",
        handle: "ada_lovelace",
        created_at: yield* now
      })}`
      const first = yield* abandoned(1)
      const taken = yield* repo.takeOver(first, yield* reservation)
      assert.strictEqual(Option.getOrThrow(taken).receipt, 2)
      assert.isTrue(Option.isNone(yield* repo.takeOver(first, yield* reservation)))

      const second = yield* abandoned(2)
      const at = yield* now
      const cleaning = yield* work.takeDue({ at, leaseUntil: later(at, LEASE_MILLIS), limit: 10 })
      assert.deepStrictEqual(
        cleaning.map(({ id }) => id),
        [second.id]
      )
      assert.isTrue(Option.isNone(yield* repo.takeOver(second, yield* reservation)))
    })
  )
})
