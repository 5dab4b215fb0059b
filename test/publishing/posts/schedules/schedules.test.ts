import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Schedules } from "../../../../src/publishing/posts/schedules/Schedules.ts"
import { keysOf } from "../../../accounts/api-keys/keys.ts"
import { assertDescribed, dispatch, listenerOf } from "../../../engagement/events/listening.ts"
import { ADMIN_TOKEN, administrator } from "../../../support/actors/administrator.ts"
import { authorOf, errorsOf, refusalOf } from "../../../support/actors/author.ts"
import { insertPost } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { claimSchedules, inSeconds, publishAllDue, schedulerOf } from "./scheduling.ts"

const DAY_SECONDS = 24 * 60 * 60

const someone = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const sql = yield* SqlClient.SqlClient
  /** Codes of the notifications about the account, the newest first. */
  const issues = Effect.map(
    sql<{ readonly code: string }>`
      select n.data ->> 'code' as code from notifications n join owners o on o.id = n.recipient_id
      where o.handle = ${author.handle} and n.type = 'account_issue' order by n.created_at desc`,
    (rows) => rows.map(({ code }) => code)
  )
  return { ...author, ...schedulerOf(author), issues }
})

layer(service(database("test_schedules"), 1, { adminToken: ADMIN_TOKEN }))("schedules", (it) => {
  it.effect("A draft becomes public at its moment to the second, and not a second before", () =>
    Effect.gen(function* () {
      const author = yield* someone(1)
      const { id, updatedAt } = yield* author.draft()
      const publishAt = yield* inSeconds(3_600)
      const saved = yield* author.schedule(id, { publishAt }, { "x-post-revision": updatedAt })
      assert.strictEqual(saved.status, 200, saved.text)
      const { currentRevision, schedule } = saved.body
      assert.notStrictEqual(currentRevision, updatedAt)
      assert.deepInclude(schedule, { state: "waiting", onlyRevision: false, failure: null })
      assert.strictEqual(Date.parse(schedule.publishAt), Date.parse(publishAt))
      const draft = (yield* author.read(id)).body
      assert.deepStrictEqual(draft.schedule, schedule)
      assert.strictEqual(draft.updatedAt, currentRevision)

      yield* TestClock.adjust("3599 seconds")
      assert.strictEqual(yield* publishAllDue, 0)
      assert.strictEqual((yield* author.read(id)).body.status, "draft")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* publishAllDue, 1)
      const post = (yield* author.read(id)).body
      assert.strictEqual(post.status, "published")
      assert.strictEqual(post.schedule, null)
      assert.isAtLeast(Date.parse(post.publishedAt), Date.parse(publishAt))
      assert.strictEqual(yield* publishAllDue, 0)
    })
  )

  it.effect("A repeat changes nothing, another moment moves it, and a cancel ends it", () =>
    Effect.gen(function* () {
      const author = yield* someone(2)
      const { id } = yield* author.draft()
      const first = { publishAt: yield* inSeconds(60) }
      const saved = yield* author.schedule(id, first)
      assert.deepStrictEqual((yield* author.schedule(id, first)).body, saved.body)
      const moved = yield* author.schedule(id, { publishAt: yield* inSeconds(120) })
      assert.notStrictEqual(moved.body.currentRevision, saved.body.currentRevision)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* publishAllDue, 0)
      const ended = yield* author.cancel(id)
      assert.strictEqual(ended.body.schedule, null)
      assert.notStrictEqual(ended.body.currentRevision, moved.body.currentRevision)
      assert.deepStrictEqual((yield* author.cancel(id)).body, ended.body)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* publishAllDue, 0)
      assert.strictEqual((yield* author.read(id)).body.status, "draft")
    })
  )

  it.effect("A moment needs a time zone, and lies ahead within 366 days and the life of the key", () =>
    Effect.gen(function* () {
      const author = yield* someone(3)
      const { id } = yield* author.draft()
      const refused = (body: unknown) => Effect.map(author.schedule(id, body), refusalOf)
      assert.deepStrictEqual(yield* refused({}), [422, "validation", "publishAt required"])
      const unzoned = yield* author.schedule(id, { publishAt: "2026-11-30T09:00:00" })
      assert.deepStrictEqual(errorsOf(unzoned), ["publishAt invalid"])
      assert.match(unzoned.text, /says which time zone, such as 2026-11-30T09:00:00\+01:00/)
      for (const publishAt of ["2026-02-30T09:00:00Z", "soon", 5, null])
        assert.deepStrictEqual(yield* refused({ publishAt }), [422, "validation", "publishAt invalid"])
      assert.deepStrictEqual(yield* refused({ publishAt: yield* inSeconds(0) }), [
        422,
        "validation",
        "publishAt in_past"
      ])
      assert.deepStrictEqual(yield* refused({ publishAt: yield* inSeconds(366 * DAY_SECONDS + 1) }), [
        422,
        "validation",
        "publishAt too_late"
      ])
      assert.deepStrictEqual(yield* refused({ publishAt: yield* inSeconds(91 * DAY_SECONDS) }), [
        422,
        "validation",
        "publishAt after_key_expiry"
      ])
      const soon = yield* author.schedule(id, { publishAt: yield* inSeconds(2) })
      assert.strictEqual(soon.status, 200, soon.text)
      const offset = yield* author.schedule(id, { publishAt: "1970-01-20T02:00:00.123456+02:00" })
      assert.strictEqual(offset.body.schedule.publishAt, "1970-01-20T00:00:00.123456Z")
    })
  )

  it.effect("The checks of a publication come when it is asked for, and again at its moment", () =>
    Effect.gen(function* () {
      const author = yield* someone(4)
      const publishAt = yield* inSeconds(60)
      const untitled = yield* author.draft({ title: "" })
      assert.deepStrictEqual(refusalOf(yield* author.schedule(untitled.id, { publishAt })), [
        422,
        "publication-incomplete",
        "title required"
      ])
      const published = yield* author.published()
      assert.deepStrictEqual(refusalOf(yield* author.schedule(published.id, { publishAt })), [
        409,
        "post-published"
      ])
      const { id, updatedAt } = yield* author.draft()
      yield* author.schedule(id, { publishAt })
      assert.deepStrictEqual(
        refusalOf(
          yield* author.schedule(id, { publishAt: yield* inSeconds(90) }, { "x-post-revision": updatedAt })
        ),
        [409, "revision-conflict"]
      )
      yield* author.patch(id, { title: "" })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 1)
      const { schedule, status } = (yield* author.read(id)).body
      assert.strictEqual(status, "draft")
      assert.deepInclude(schedule, { state: "failed" })
      assert.strictEqual(schedule.failure.reason, "publication_incomplete")
      assert.deepStrictEqual(
        schedule.failure.errors.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`),
        ["title required"]
      )
      assert.strictEqual(yield* publishAllDue, 0)
      assert.deepStrictEqual(
        refusalOf(
          yield* author.schedule("00000000-0000-4000-8000-000000000000", { publishAt: yield* inSeconds(5) })
        ),
        [404, "not-found"]
      )
    })
  )

  it.effect(
    "A Profile that lacks a name at the moment keeps the draft, and its author hears of it once",
    () =>
      Effect.gen(function* () {
        const author = yield* someone(19)
        const sql = yield* SqlClient.SqlClient
        const listener = yield* listenerOf(author)
        const { nextCursor } = (yield* listener.page()).pagination
        const { id, title } = yield* author.draft()
        const publishAt = yield* inSeconds(60)
        const saved = yield* author.schedule(id, { publishAt })
        const named = (name: string) => sql`update owners set name = ${name} where handle = ${author.handle}`
        yield* named("New User")
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual(yield* publishAllDue, 1)
        assert.strictEqual(yield* publishAllDue, 0)
        const { schedule, status } = (yield* author.read(id)).body
        assert.strictEqual(status, "draft")
        assert.strictEqual(schedule.state, "failed")
        const { errors, reason } = schedule.failure
        assert.strictEqual(reason, "profile_incomplete")
        assert.deepStrictEqual(refusalOf(yield* author.schedule(id, { publishAt: yield* inSeconds(60) })), [
          422,
          "profile-incomplete",
          "name required"
        ])
        assert.deepStrictEqual(
          errors.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`),
          ["name required"]
        )
        assert.deepStrictEqual(yield* author.issues, ["schedule_failed"])
        yield* dispatch
        const { data } = yield* listener.page({ after: nextCursor, types: "post.schedule_failed" })
        data.forEach(assertDescribed)
        assert.deepStrictEqual(
          data.map((event: any) => event.data),
          [{ post: { id, title }, publishAt: saved.body.schedule.publishAt, reason, errors }]
        )
        yield* named("Ada")
        assert.strictEqual((yield* author.publish(id)).status, 200)
        assert.isNull((yield* author.read(id)).body.schedule)
      })
  )

  it.effect("With onlyRevision, a text that changed stays a draft; without, it goes public as it is", () =>
    Effect.gen(function* () {
      const author = yield* someone(5)
      const publishAt = yield* inSeconds(60)
      const [kept, changed, open] = [yield* author.draft(), yield* author.draft(), yield* author.draft()]
      yield* author.schedule(kept.id, { publishAt, onlyRevision: true })
      yield* author.schedule(changed.id, { publishAt, onlyRevision: true })
      yield* author.schedule(open.id, { publishAt })
      yield* author.patch(changed.id, { title: "Another title" })
      yield* author.patch(open.id, { title: "Another title" })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 3)
      assert.strictEqual((yield* author.read(kept.id)).body.status, "published")
      assert.strictEqual((yield* author.read(changed.id)).body.schedule.failure.reason, "changed")
      const { status, title } = (yield* author.read(open.id)).body
      assert.deepStrictEqual([status, title], ["published", "Another title"])
    })
  )

  it.effect("A day of lateness is too much, and the author hears of five minutes", () =>
    Effect.gen(function* () {
      const author = yield* someone(6)
      const [late, missed] = [yield* author.draft(), yield* author.draft()]
      yield* author.schedule(missed.id, { publishAt: yield* inSeconds(60) })
      yield* author.schedule(late.id, { publishAt: yield* inSeconds(60.001) })
      yield* TestClock.adjust(DAY_SECONDS * 1_000 + 60_001)
      assert.strictEqual(yield* publishAllDue, 2)
      assert.strictEqual((yield* author.read(late.id)).body.status, "published")
      assert.strictEqual((yield* author.read(missed.id)).body.schedule.failure.reason, "missed")
      assert.sameMembers(yield* author.issues, ["schedule_failed", "schedule_late"])
    })
  )

  it.effect("The list of scheduled Posts has the next first, and then those that failed", () =>
    Effect.gen(function* () {
      const author = yield* someone(7)
      const ids = []
      for (const seconds of [300, 100, 200]) {
        const { id } = yield* author.draft()
        yield* author.schedule(id, { publishAt: yield* inSeconds(seconds) })
        ids.push(id)
      }
      yield* author.draft()
      yield* author.patch(ids[1]!, { title: "" })
      yield* TestClock.adjust("100 seconds")
      yield* publishAllDue
      const { data, total } = (yield* author.scheduled).body
      assert.deepStrictEqual(
        [total, data.map((post: { id: string }) => post.id)],
        [3, [ids[2], ids[0], ids[1]]]
      )
      yield* author.publish(ids[0]!)
      assert.strictEqual((yield* author.scheduled).body.total, 2)
      assert.strictEqual((yield* author.send("GET", "?scheduled=false")).body.total, 4)
    })
  )

  it.effect("A revoked key takes its schedules along, and a rotated one hands them on", () =>
    Effect.gen(function* () {
      const author = yield* someone(8)
      const keys = yield* keysOf(author.accessToken)
      const other = yield* keys.issued()
      const [first, second] = [yield* author.draft(), yield* author.draft()]
      yield* author.schedule(first.id, { publishAt: yield* inSeconds(60) })
      const byOther = yield* author.send("PUT", `/${second.id}/schedule`, {
        token: other.key,
        body: { publishAt: yield* inSeconds(60) }
      })
      assert.strictEqual(byOther.body.schedule.scheduledBy, other.apiKey.keyId)
      const rotated = (yield* keys.rotate(other.apiKey.keyId)).body
      assert.strictEqual((yield* author.read(second.id)).body.schedule.scheduledBy, rotated.apiKey.keyId)
      const revision = (yield* author.read(second.id)).body.updatedAt
      yield* keys.revoke(rotated.apiKey.keyId)
      const failed = (yield* author.read(second.id)).body
      assert.strictEqual(failed.schedule.failure.reason, "key_revoked")
      assert.notStrictEqual(failed.updatedAt, revision)
      assert.deepStrictEqual(yield* author.issues, ["schedules_ended"])
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 1)
      assert.strictEqual((yield* author.read(first.id)).body.status, "published")
      assert.strictEqual((yield* author.read(second.id)).body.status, "draft")
      // The author schedules it again.
      const again = yield* author.schedule(second.id, { publishAt: yield* inSeconds(60) })
      assert.strictEqual(again.body.schedule.state, "waiting")
    })
  )

  it.effect("A key that another one replaces hands nothing on to one that expires before it", () =>
    Effect.gen(function* () {
      const author = yield* someone(18)
      const keys = yield* keysOf(author.accessToken)
      const { apiKey, key } = yield* keys.issued()
      const { id } = yield* author.draft()
      const publishAt = yield* inSeconds(100)
      yield* author.send("PUT", `/${id}/schedule`, { token: key, body: { publishAt } })
      const early = yield* keys.rotate(apiKey.keyId, { expiresAt: publishAt })
      assert.deepStrictEqual(errorsOf(early), ["expiresAt before_schedule"])
      assert.strictEqual((yield* author.read(id)).body.schedule.scheduledBy, apiKey.keyId)
      const rotated = yield* keys.rotate(apiKey.keyId, { expiresAt: yield* inSeconds(101) })
      assert.strictEqual(rotated.status, 200, rotated.text)
      assert.strictEqual((yield* author.read(id)).body.schedule.scheduledBy, rotated.body.apiKey.keyId)
    })
  )

  it.effect("A key that expires before the moment publishes nothing", () =>
    Effect.gen(function* () {
      const author = yield* someone(9)
      const keys = yield* keysOf(author.accessToken)
      const { apiKey, key } = yield* keys.issued({ expiresAt: yield* inSeconds(100) })
      const { id } = yield* author.draft()
      const put = (publishAt: string) =>
        author.send("PUT", `/${id}/schedule`, { token: key, body: { publishAt } })
      assert.deepStrictEqual(errorsOf(yield* put(yield* inSeconds(100))), ["publishAt after_key_expiry"])
      assert.strictEqual((yield* put(yield* inSeconds(99))).body.schedule.scheduledBy, apiKey.keyId)
      yield* TestClock.adjust("101 seconds")
      yield* publishAllDue
      assert.strictEqual((yield* author.read(id)).body.schedule.failure.reason, "key_expired")
    })
  )

  it.effect("A publication by hand ends the schedule, and so does a deletion", () =>
    Effect.gen(function* () {
      const author = yield* someone(10)
      const [published, deleted] = [yield* author.draft(), yield* author.draft()]
      for (const { id } of [published, deleted])
        yield* author.schedule(id, { publishAt: yield* inSeconds(60) })
      yield* author.publish(published.id)
      assert.strictEqual((yield* author.read(published.id)).body.schedule, null)
      assert.strictEqual((yield* author.unpublish(published.id)).body.status, "draft")
      assert.strictEqual((yield* author.read(published.id)).body.schedule, null)
      assert.strictEqual((yield* author.remove(deleted.id)).status, 204)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 0)
    })
  )

  it.effect("A withdrawn Post and one of a restricted account stay drafts, and its author reads why", () =>
    Effect.gen(function* () {
      const admin = yield* administrator()
      const [withdrawn, restricted] = [yield* someone(12), yield* someone(13)]
      const publishAt = yield* inSeconds(60)
      const [one, two] = [yield* withdrawn.draft(), yield* restricted.draft()]
      yield* withdrawn.schedule(one.id, { publishAt })
      yield* restricted.schedule(two.id, { publishAt })
      yield* admin["moderation.posts.withdraw"]({ postId: one.id, reason: "Spam" })
      yield* admin["accounts.restrict"]({ handle: restricted.handle, reason: "Spam" })
      assert.deepStrictEqual(
        refusalOf(yield* restricted.schedule(two.id, { publishAt: yield* inSeconds(5) })),
        [403, "account-restricted"]
      )
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 2)
      assert.strictEqual((yield* withdrawn.read(one.id)).body.schedule.failure.reason, "withdrawn")
      assert.strictEqual((yield* restricted.read(two.id)).body.schedule.failure.reason, "account_restricted")
      assert.include(yield* restricted.issues, "schedule_failed")
      assert.deepStrictEqual(
        refusalOf(yield* withdrawn.schedule(one.id, { publishAt: yield* inSeconds(5) })),
        [409, "post-withdrawn"]
      )
    })
  )

  it.effect("A closed account publishes nothing later, even if its owner keeps it", () =>
    Effect.gen(function* () {
      const admin = yield* administrator()
      const author = yield* someone(14)
      const { id } = yield* author.draft()
      yield* author.schedule(id, { publishAt: yield* inSeconds(60) })
      yield* admin["accounts.delete"]({ handle: author.handle, reason: "Wished" })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* publishAllDue, 0)
    })
  )

  it.effect("A clock that jumps back or ahead publishes a draft once, and never early", () =>
    Effect.gen(function* () {
      const author = yield* someone(15)
      const { id } = yield* author.draft()
      const start = yield* inSeconds(0)
      yield* author.schedule(id, { publishAt: yield* inSeconds(7_200) })
      yield* TestClock.adjust("2 hours")
      const due = yield* claimSchedules
      // Another process had the right time: this one was two hours ahead.
      yield* TestClock.setTime(Date.parse(start) + 3_600_000)
      yield* Effect.forEach(due, (yield* Schedules).publishDue)
      assert.strictEqual((yield* author.read(id)).body.status, "draft")
      yield* TestClock.adjust("3599 seconds")
      assert.strictEqual(yield* publishAllDue, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* publishAllDue, 1)
      assert.strictEqual((yield* author.read(id)).body.status, "published")
      const later = yield* author.draft()
      yield* author.schedule(later.id, { publishAt: yield* inSeconds(60) })
      yield* TestClock.adjust("3 days")
      assert.strictEqual(yield* publishAllDue, 1)
      assert.strictEqual((yield* author.read(later.id)).body.schedule.failure.reason, "missed")
    })
  )

  it.effect("At most 100 publications of an owner wait", () =>
    Effect.gen(function* () {
      const author = yield* someone(11)
      const { id } = yield* author.draft()
      yield* author.schedule(id, { publishAt: yield* inSeconds(60) })
      const sql = yield* SqlClient.SqlClient
      const [{ owner_id: owner } = { owner_id: "" as OwnerId }] = yield* sql<{
        readonly owner_id: OwnerId
      }>`select owner_id from posts where id = ${id}`
      for (let number = 1; number <= 99; number++) yield* insertPost(number, owner, "draft")
      yield* sql`
        insert into scheduled_publications (id, owner_id, api_key_id, publish_at, created_at, due_at)
        select id, owner_id, id, '2200-01-01', '2000-01-01', '2200-01-01' from posts
        where owner_id = ${owner} and slug like 'post-%'`
      const other = yield* author.draft()
      const refused = yield* author.schedule(other.id, { publishAt: yield* inSeconds(60) })
      assert.deepStrictEqual(refusalOf(refused), [409, "schedule-limit-reached"])
      assert.strictEqual((yield* author.schedule(id, { publishAt: yield* inSeconds(90) })).status, 200)
      yield* author.cancel(id)
      assert.strictEqual((yield* author.schedule(other.id, { publishAt: yield* inSeconds(60) })).status, 200)
    })
  )
})
