import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const reports = (kind: "posts" | "comments", id: string) => `/api/v1/${kind}/${id}/reports`

/** Reports as an owner does, over the wire. */
const report = Effect.fnUntraced(function* (
  token: string,
  path: string,
  key: string | undefined,
  reason: unknown = "Spam"
) {
  const headers = key === undefined ? {} : { "idempotency-key": key }
  return yield* (yield* TestClient).send("POST", path, { token, headers, body: { reason } })
})

const unknown = "00000000-0000-7000-8000-000000000000"
const options = { adminToken: ADMIN_TOKEN, rateLimitFactor: 1 }

layer(service(database("test_reports"), 1, options))("reports (4.6)", (it) => {
  it.effect("Reports of a Post and of a Comment are saved once for each key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const author = yield* commenterOf(1)
      const { accessToken: token } = yield* commenterOf(2)
      const { id } = yield* author.published()
      const comment = yield* author.say(id, "Mine")
      for (const [path, key] of [
        [reports("posts", id), "a"],
        [reports("comments", comment.id), "~".repeat(128)]
      ] as const) {
        const first = yield* report(token, path, key, "  Copied from me ")
        assert.strictEqual(first.status, 201, first.text)
        assert.strictEqual(first.headers.get("cache-control"), "private, no-store")
        const { reportId } = first.body
        assert.deepStrictEqual(first.body, { success: true, reportId, status: "open", replayed: false })
        const again = yield* report(token, path, key, "Copied from me")
        assert.strictEqual(again.status, 200)
        assert.deepStrictEqual(again.body, { ...first.body, replayed: true })
        assert.deepStrictEqual(refusalOf(yield* report(token, path, key, "Other")), [
          409,
          "idempotency_key_conflict"
        ])
        assert.deepStrictEqual(refusalOf(yield* report(token, path, `${reportId}`)), [
          409,
          "duplicate_report"
        ])
      }
      assert.deepStrictEqual(refusalOf(yield* report(token, reports("posts", id), "~".repeat(128))), [
        409,
        "idempotency_key_conflict"
      ])
    })
  )

  it.effect("Reports of own and of inaccessible things are refused", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(3)
      const { accessToken: token } = yield* commenterOf(4)
      const { id } = yield* author.published()
      const draft = yield* author.draft()
      const comment = yield* author.say(id, "Mine")
      const gone = yield* author.say(id, "Deleted")
      yield* author.removeComment(gone.id)
      const hidden = yield* author.say(id, "Hidden")
      yield* (yield* administrator())["moderation.comments.hide"]({ commentId: hidden.id, reason: "Rude" })
      const own = [403, "forbidden"]
      assert.deepStrictEqual(refusalOf(yield* report(author.accessToken, reports("posts", id), "own-1")), own)
      assert.deepStrictEqual(
        refusalOf(yield* report(author.accessToken, reports("comments", comment.id), "own-2")),
        own
      )
      for (const path of [
        reports("posts", draft.id),
        reports("posts", unknown),
        reports("posts", comment.id),
        reports("comments", gone.id),
        reports("comments", hidden.id),
        reports("comments", unknown),
        reports("comments", id)
      ])
        assert.deepStrictEqual(
          refusalOf(yield* report(token, path, "inaccessible")),
          [404, "not_found"],
          path
        )
      const key = yield* report(author.key, reports("posts", id), "key")
      assert.strictEqual(key.status, 401)
    })
  )

  it.effect("A report needs a reason of 1 to 2000 characters and a key of 1 to 128", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(5)
      const { accessToken: token } = yield* commenterOf(6)
      const path = reports("posts", (yield* author.published()).id)
      for (const reason of ["", "  \n ", "x".repeat(2001), null, 5, ["Spam"], "\u0000", "\u202e"]) {
        const [status, code] = refusalOf(yield* report(token, path, "hostile", reason))
        assert.deepStrictEqual([status, code], [422, "validation"], JSON.stringify(reason))
      }
      for (const key of [undefined, "x".repeat(129), "a b"]) {
        const [status, code] = refusalOf(yield* report(token, path, key))
        assert.deepStrictEqual([status, code], [422, "validation"], key)
      }
      const answer = yield* (yield* TestClient).send("POST", path, {
        token,
        headers: { "idempotency-key": "more" },
        body: { reason: "Spam", status: "resolved" }
      })
      assert.deepStrictEqual(refusalOf(answer), [422, "validation", "status unknown"])
      assert.strictEqual((yield* report(token, path, "fits", "x".repeat(2000))).status, 201)
    })
  )

  it.effect("An owner may report 20 times in a day, and a repeat is not counted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 5))
      const author = yield* commenterOf(7)
      const { accessToken: token } = yield* commenterOf(8)
      const { id } = yield* author.published()
      const comments: Array<string> = []
      for (let n = 0; n < 21; n++) {
        comments.push((yield* author.say(id, `Number ${n}`)).id)
        yield* TestClock.adjust("7 seconds")
      }
      const one = (n: number) => report(token, reports("comments", comments[n]!), `report-${n}`)
      for (let n = 0; n < 20; n++) {
        assert.strictEqual((yield* one(n)).status, 201)
        yield* TestClock.adjust("10 seconds")
      }
      const refused = yield* one(20)
      assert.deepStrictEqual(refusalOf(refused), [429, "rate_limited"])
      assert.strictEqual(refused.body.data.retryAfter, 24 * 3600 - 200)
      assert.strictEqual(refused.headers.get("retry-after"), String(24 * 3600 - 200))
      assert.strictEqual((yield* one(3)).status, 200)
      yield* TestClock.adjust((24 * 3600 - 200) * 1000)
      const { accessToken: again } = yield* signIn(8)
      const late = yield* report(again, reports("comments", comments[20]!), "report-20")
      assert.strictEqual(late.status, 201)
    })
  )
})

describe("reports in two processes", () => {
  it.effect("Forty equal requests save one report, and so do 40 keys for one target", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_reports_race", { adminToken: ADMIN_TOKEN })
      const author = yield* Effect.provide(commenterOf(1), processes[0])
      const { accessToken: token } = yield* Effect.provide(commenterOf(2), processes[0])
      const sql = Context.get(processes[0], SqlClient.SqlClient)
      const saved = sql`select id from reports`
      const all = (keyOf: (n: number) => string, path: string) =>
        Effect.forEach(
          Array.from({ length: 40 }, (_, n) => n),
          (n) => Effect.provide(report(token, path, keyOf(n)), processes[n % 2]!),
          { concurrency: "unbounded" }
        ).pipe(Effect.map((answers) => answers.map(({ status }) => status).toSorted((a, b) => a - b)))
      const [first, second] = yield* Effect.provide(
        Effect.all([author.published(), author.published()]),
        processes[0]
      )
      const same = yield* all(() => "one", reports("posts", first.id))
      assert.deepStrictEqual(same, [...Array.from({ length: 39 }, () => 200), 201])
      assert.lengthOf(yield* saved, 1)
      const other = yield* all((n) => `key-${n}`, reports("posts", second.id))
      assert.deepStrictEqual(other, [201, ...Array.from({ length: 39 }, () => 409)])
      assert.lengthOf(yield* saved, 2)
    })
  )
})
