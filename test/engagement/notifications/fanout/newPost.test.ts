import { assert, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { Fanouts } from "../../../../src/engagement/notifications/fanout/Fanouts.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { eventually } from "../../../support/eventually.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { numbered, readerOf, type Reader } from "../reader.ts"
import { followersOf, tellAll, told } from "./crowd.ts"

const START = Date.UTC(2026, 10, 21)

const follow = (reader: Reader, creator: Reader, preferences?: object) =>
  Effect.gen(function* () {
    const { body } = yield* reader.send("PUT", `/follows/${creator.id}`, { following: true })
    if (preferences !== undefined)
      yield* reader.send("PUT", `/follows/preferences/${body.follow.id}`, preferences)
  })

layer(service(database("test_fanout_new_post")))("new_post", (it) => {
  it.effect("The first publication reaches followers with notify_new_posts, once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const author = yield* authorOf(1)
      const creator = yield* readerOf(1)
      const readers = yield* Effect.forEach([2, 3, 4, 5, 6], readerOf)
      const [plain, deaf, silent, gone, late] = readers as [Reader, Reader, Reader, Reader, Reader]
      yield* follow(plain, creator)
      yield* follow(deaf, creator, { notify_new_posts: false })
      yield* follow(silent, creator, { notify_channel_inapp: false })
      yield* follow(gone, creator)
      yield* gone.send("PUT", `/follows/${creator.id}`, { following: false })
      yield* TestClock.adjust("1 second")
      const { id } = yield* author.published()
      yield* TestClock.adjust("1 second")
      yield* follow(late, creator)
      yield* tellAll
      yield* author.unpublish(id)
      yield* author.publish(id, "again")
      yield* tellAll
      const heard = yield* Effect.forEach(readers, (reader) => reader.unread())
      assert.deepStrictEqual(heard, [[{ type: "new_post", data: {} }], [], [], [], []])
      const { notifications } = yield* plain.feed()
      assert.deepInclude(notifications[0], {
        post_id: id,
        comment_id: null,
        created_at: "2026-11-21T00:00:01.000000Z"
      })
      assert.strictEqual(notifications[0].actor.id, creator.id)
      assert.deepStrictEqual(
        (yield* creator.unread()).map(({ type }) => type),
        ["new_follow", "new_follow", "new_follow", "new_follow", "new_follow"]
      )
    })
  )

  it.effect("A new Post does not reach a restricted account", () =>
    Effect.gen(function* () {
      const [creator, reader, restricted] = yield* Effect.all([readerOf(10), readerOf(11), readerOf(12)])
      yield* follow(reader, creator)
      yield* follow(restricted, creator)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where id = ${restricted.id}`
      const postId = PostId.make(numbered(10))
      yield* (yield* Notices).published({ isMailed: true, postId, authorId: creator.id, at: yield* now })
      yield* tellAll
      assert.deepStrictEqual(yield* told(postId), { rows: 1, recipients: 1 })
      assert.lengthOf(yield* reader.unread(), 1)
    })
  )

  it.effect("A process that dies in a batch leaves no part of it, and each follower gets one row", () =>
    Effect.gen(function* () {
      const creator = yield* readerOf(20)
      yield* followersOf(creator.id, 12_000)
      const postId = PostId.make(numbered(20))
      yield* (yield* Notices).published({ isMailed: true, postId, authorId: creator.id, at: yield* now })
      const fanouts = yield* Fanouts
      const claim = Effect.gen(function* () {
        const at = yield* now
        const [fanout] = yield* fanouts.claim({ at, leaseUntil: later(at, 30_000), limit: 1 })
        return fanout
      })
      const first = yield* claim
      yield* fanouts.step(first!)
      assert.deepStrictEqual(yield* told(postId), { rows: 5_000, recipients: 5_000 })
      // The next claim is lost with its process. Its lease ends, and another process takes over.
      const lost = yield* claim
      assert.isUndefined(yield* claim)
      yield* TestClock.adjust("30 seconds")
      const second = yield* claim
      assert.strictEqual(second!.position, lost!.position)
      yield* fanouts.step(second!)
      // The lost process was only slow: what it writes now is undone.
      const late = yield* Effect.exit(fanouts.step(lost!))
      assert.isTrue(Exit.isFailure(late) && Cause.hasDies(late.cause))
      assert.deepStrictEqual(yield* told(postId), { rows: 10_000, recipients: 10_000 })
      yield* tellAll
      assert.deepStrictEqual(yield* told(postId), { rows: 12_000, recipients: 12_000 })
    })
  )
})

layer(Layer.empty)("two processes", (it) => {
  it.effect("Two processes share fan-outs, and each follower gets one row of each", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const processes = yield* twoAssemblies("test_fanout_two_processes")
      const [one, other] = processes
      const creator = yield* Effect.provideContext(readerOf(1), one)
      yield* Effect.provideContext(followersOf(creator.id, 7_000), one)
      const posts = [1, 2, 3, 4].map((number) => PostId.make(numbered(number)))
      const at = yield* now
      for (const postId of posts)
        yield* Context.get(one, Notices).published({ isMailed: true, postId, authorId: creator.id, at })
      yield* Effect.all([Effect.provideContext(tellAll, one), Effect.provideContext(tellAll, other)], {
        concurrency: 2
      })
      for (const post of posts)
        assert.deepStrictEqual(yield* Effect.provideContext(told(post), one), {
          rows: 7_000,
          recipients: 7_000
        })
      assert.isDefined(Context.get(one, TestClient))
    })
  )

  it.effect("A follower whose follow commits while the creator publishes is notified", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const [one, other] = yield* twoAssemblies("test_fanout_follow_commits")
      const [author, creator, reader] = yield* Effect.provideContext(
        Effect.all([authorOf(1), readerOf(1), readerOf(2)]),
        one
      )
      const { id } = yield* Effect.provideContext(author.draft(), one)
      const observer = Context.get(other, SqlClient.SqlClient)
      const publish = Context.get(other, TestClient).send("POST", `/api/v1/posts/${id}/publish`, {
        token: author.key,
        headers: { "idempotency-key": "one" }
      })
      // The first process answers inside of this transaction, and the second in one of its own.
      const publishing = yield* Context.get(one, SqlClient.SqlClient).withTransaction(
        Effect.gen(function* () {
          yield* follow(reader, creator)
          const publishing = yield* Effect.forkChild(publish)
          yield* eventually(
            "the publication waits for the follow",
            Effect.map(
              observer`
                select from pg_locks where locktype = 'advisory' and not granted
                  and database = (select oid from pg_database where datname = current_database())`,
              (rows) => rows.length > 0 || publishing.pollUnsafe() !== undefined
            )
          )
          return publishing
        })
      )
      assert.strictEqual((yield* Fiber.join(publishing)).status, 200)
      yield* Effect.provideContext(tellAll, one)
      assert.deepStrictEqual(yield* reader.unread(), [{ type: "new_post", data: {} }])
    })
  )
})
