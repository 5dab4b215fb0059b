import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { claimUploads } from "../../../../src/publishing/uploads/operation/claims.sql.ts"
import { RECEIVING_LEASE_MILLIS } from "../../../../src/publishing/uploads/operation/deadlines.ts"
import { type Operation, transition } from "../../../../src/publishing/uploads/operation/operation.ts"
import { operationStatements } from "../../../../src/publishing/uploads/operation/operations.sql.ts"
import { reservationStatements } from "../../../../src/publishing/uploads/operation/reservations.sql.ts"
import { database } from "../../../support/Database.ts"

const ownerId = OwnerId.make("00000000-0000-7000-8000-000000000001")

const settled = Effect.fnUntraced(function* (operation: Operation, event: Parameters<typeof transition>[1]) {
  const { settle } = yield* operationStatements
  const settlement = transition(operation, event)
  assert.isDefined(settlement)
  return yield* settle(operation, settlement)
})

/** An abandoned reservation with files, as another request reads it. */
const abandoned = Effect.fnUntraced(function* (number: number) {
  const reservations = yield* reservationStatements
  const at = yield* now
  const operation = yield* reservations.reserve({
    id: UploadOperationId.make(`00000000-0000-7000-9000-00000000000${number}`),
    ownerId,
    target: { kind: "avatar", id: UploadTargetId.make(ownerId), key: "" },
    fileName: null,
    requestKey: `key-${number}`,
    policyVersion: "test",
    requestBytes: 100,
    stagedBytes: 100,
    placeUrl: null,
    at,
    leaseUntil: later(at, RECEIVING_LEASE_MILLIS)
  })
  assert.isTrue(yield* settled(operation, { type: "abandoned", at }))
  return Option.getOrThrow(yield* reservations.earlier(ownerId, `key-${number}`))
})

const sentAgain = (operation: Operation) =>
  Effect.flatMap(now, (at) =>
    settled(operation, {
      type: "sent_again",
      at,
      leaseUntil: later(at, RECEIVING_LEASE_MILLIS),
      bytes: 100
    })
  )

layer(database("test_upload_take_over"))("bytes that are sent again (spec 4.4.4)", (it) => {
  it.effect("Bytes are received by one request, and by none while earlier files are removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reservations = yield* reservationStatements
      yield* sql`insert into owners ${sql.insert({
        id: ownerId,
        kind: "guest",
        name: "Ada",
        handle: "ada_lovelace",
        created_at: yield* now
      })}`
      const first = yield* abandoned(1)
      assert.isTrue(yield* sentAgain(first))
      const taken = Option.getOrThrow(yield* reservations.earlier(ownerId, "key-1"))
      assert.deepStrictEqual([taken.upload_attempts, taken.next_task], [2, "receive"])
      assert.isFalse(yield* sentAgain(first))

      const second = yield* abandoned(2)
      const at = yield* now
      const leaseUntil = later(at, RECEIVING_LEASE_MILLIS)
      const cleaning = yield* (yield* claimUploads)({
        at,
        leaseUntil,
        limit: 10,
        perOwner: 10,
        running: new Map(),
        served: new Map(),
        heavyMax: 10
      })
      assert.deepStrictEqual(
        cleaning.map(({ id }) => id),
        [second.id]
      )
      assert.isFalse(yield* sentAgain(second))
    })
  )
})
