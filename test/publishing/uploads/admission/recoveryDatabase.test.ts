import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../../support/actors/author.ts"
import { uploaderOf } from "../../../support/actors/uploader.ts"
import { failing, recovered } from "./failing.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

/** Runs an effect while writes to a table fail with this SQLSTATE, as from a broken server. */
const whileFailing = Effect.fnUntraced(function* <A, E, R>(
  table: string,
  how: "insert" | "update",
  code: string,
  effect: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    create or replace function failing() returns trigger language plpgsql as
    $$ begin raise exception 'hunter2' using errcode = '${code}'; end $$`).unprepared
  yield* sql.unsafe(
    `create trigger failing before ${how} on ${table} for each row execute function failing()`
  ).unprepared
  const answer = yield* effect
  yield* sql.unsafe(`drop trigger failing on ${table}`).unprepared
  return answer
})

layer(failing("test_upload_database"))("an unavailable database (4.4.7, 7)", (it) => {
  it.effect("A failure before the reservation is 503 with recovery, and the same key succeeds", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const failed = yield* whileFailing("upload_transfers", "insert", "57P03", author.avatar({ key: "one" }))
      assert.deepStrictEqual(refusalOf(failed), [503, "dependency-unavailable"])
      assert.isNotNull(failed.headers.get("retry-after"))
      assert.deepStrictEqual([failed.body.recovery.requestKey, "operationId" in failed.body], ["one", false])
      assert.deepStrictEqual(yield* recovered(author, failed), [])
      assert.strictEqual((yield* author.avatar({ key: "one" })).status, 202)
    })
  )

  it.effect(
    "A failure after the bytes is 503 with operationId, and a retry may send them after the lease",
    () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const failed = yield* whileFailing(
          "upload_operations",
          "update",
          "57P03",
          author.avatar({ key: "one" })
        )
        assert.deepStrictEqual(refusalOf(failed), [503, "dependency-unavailable"])
        const [during] = yield* recovered(author, failed)
        assert.strictEqual(during.operationId, failed.body.operationId)
        assert.deepStrictEqual([during.state, during.received], ["receiving", false])
        yield* TestClock.adjust("150 seconds")
        assert.isTrue((yield* recovered(author, failed))[0].reuploadAllowed)
        const again = yield* author.avatar({ key: "one" })
        assert.strictEqual(again.body.safety.operationId, failed.body.operationId)
        assert.deepStrictEqual([again.body.safety.received, again.body.safety.associated], [true, true])
      })
  )

  it.effect("An internal failure is 500 with recovery and does not reveal its cause", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const failed = yield* whileFailing("upload_transfers", "insert", "XX000", author.avatar({ key: "one" }))
      assert.deepStrictEqual(refusalOf(failed), [500, "internal-error"])
      assert.notInclude(failed.text, "hunter2")
      assert.deepStrictEqual(yield* recovered(author, failed), [])
    })
  )
})
