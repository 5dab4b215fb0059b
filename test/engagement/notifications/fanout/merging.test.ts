import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CommentId, type OwnerId, type PostId } from "../../../../schemas/platform/Ids.ts"
import { Fanouts } from "../../../../src/engagement/notifications/fanout/Fanouts.ts"
import { Notifications } from "../../../../src/engagement/notifications/feed/Notifications.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { insertPost, sessionOf } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { deeds, personOf } from "../deeds.ts"
import { numbered } from "../reader.ts"
import { tellCommented } from "../told.ts"
import { claimFanouts, tellAll, tellSome } from "./crowd.ts"

/** An author with a Post, two readers who commented on it, and a third owner. All heard of all. */
const castOf = Effect.fnUntraced(function* (number: number) {
  const { comment } = yield* deeds
  const author = yield* personOf(number)
  const ann = yield* personOf(number + 1)
  const bob = yield* personOf(number + 2)
  const cat = yield* personOf(number + 3)
  const post = yield* insertPost(number, author, "published")
  const said = Effect.fnUntraced(function* (by: OwnerId, parent?: CommentId) {
    yield* TestClock.adjust("1 second")
    return yield* comment(by, post, parent)
  })
  const roots = { ann: yield* said(ann), bob: yield* said(bob) }
  yield* tellAll
  const notifications = yield* Notifications
  for (const owner of [author, ann, bob, cat]) yield* notifications.markAllRead(sessionOf(owner))
  return { author, ann, bob, cat, post, roots, said }
})

/** The unread news of discussions of an owner: the Comment that each row names, and its count. */
const newsOf = Effect.fnUntraced(function* (owner: OwnerId) {
  const { notifications } = yield* (yield* Notifications).feed(sessionOf(owner), { limit: 50 })
  return notifications
    .filter(({ type }) => type === "commented_post_activity")
    .map(({ comment_id, data }) => [comment_id, data["count"]] as const)
})

/** Tells, a second later, of a Comment that is in no table. */
const heard = Effect.fnUntraced(function* (postId: PostId, postAuthorId: OwnerId, by: OwnerId, n: number) {
  yield* TestClock.adjust("1 second")
  const commentId = CommentId.make(numbered(n))
  const comment = { commentId, postId, postAuthorId, authorId: by, replyTargetAuthorId: null }
  yield* tellCommented({ ...comment, at: yield* now })
})

layer(service(database("test_fanout_merging")))("news of one discussion that waits", (it) => {
  it.effect("Waiting news is told together, and each reader gets the same as one by one", () =>
    Effect.gen(function* () {
      const { ann, author, bob, cat, roots, said } = yield* castOf(1)
      const first = yield* said(cat)
      const toBob = yield* said(ann, roots.bob)
      yield* said(author)
      const last = yield* said(bob, first)
      assert.strictEqual(yield* tellSome(1), 1)
      assert.isEmpty(yield* claimFanouts(10))
      // Own Comments and replies to the reader have other notifications, or none.
      assert.deepStrictEqual(yield* newsOf(ann), [[first, 3]])
      assert.deepStrictEqual(yield* newsOf(bob), [[first, 2]])
      // Before the first Comment of a reader nothing is news to them.
      assert.deepStrictEqual(yield* newsOf(cat), [[toBob, 2]])
      assert.deepStrictEqual(yield* newsOf(author), [])
      const next = yield* said(cat)
      yield* (yield* Notifications).markAllRead(sessionOf(bob))
      yield* tellAll
      assert.deepStrictEqual(yield* newsOf(ann), [[first, 4]])
      assert.deepStrictEqual(yield* newsOf(bob), [[next, 1]])
      assert.notStrictEqual(next, last)
    })
  )

  it.effect("Waiting news costs one fan-out for each hundred Comments", () =>
    Effect.gen(function* () {
      const { ann, author, bob, cat, post } = yield* castOf(11)
      for (let n = 0; n < 250; n++) yield* heard(post, author, cat, n)
      let fanouts = 0
      while ((yield* tellSome(1)) > 0) fanouts += 1
      assert.strictEqual(fanouts, 3)
      for (const reader of [ann, bob])
        assert.deepStrictEqual(
          (yield* newsOf(reader)).map(([, count]) => count),
          [250]
        )
    })
  )

  it.effect("A fan-out that has told some readers takes over no later Comment", () =>
    Effect.gen(function* () {
      const { ann, author, bob, cat, post } = yield* castOf(41)
      yield* heard(post, author, cat, 2_001)
      const [first] = yield* claimFanouts(1)
      // Its first batch ended with one of the two readers.
      const [early, late] = [ann, bob].toSorted()
      yield* heard(post, author, cat, 2_002)
      yield* (yield* Fanouts).step({ ...first!, position: early! })
      assert.deepStrictEqual(
        (yield* newsOf(late!)).map(([, count]) => count),
        [1]
      )
      yield* tellAll
      // Both get a notification of the later Comment.
      assert.deepStrictEqual(
        (yield* newsOf(early!)).map(([, count]) => count),
        [1]
      )
      assert.deepStrictEqual(
        (yield* newsOf(late!)).map(([, count]) => count),
        [2]
      )
    })
  )

  it.effect("News of the publication of a Post takes over no news of its discussion", () =>
    Effect.gen(function* () {
      const { follow } = yield* deeds
      const { ann, author, bob, cat, post } = yield* castOf(51)
      yield* follow(cat, author)
      yield* heard(post, author, cat, 3_001)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into notification_fanouts (id, type, post_id, actor_id, created_at, due_at)
        values (${numbered(3_002)}, 'new_post', ${post}, ${author}, ${yield* now}, ${new Date(0)})`
      const [published] = yield* claimFanouts(1)
      assert.strictEqual(published?.type, "new_post")
      yield* (yield* Fanouts).step(published!)
      yield* tellAll
      for (const reader of [ann, bob])
        assert.deepStrictEqual(
          (yield* newsOf(reader)).map(([, count]) => count),
          [1]
        )
    })
  )

  it.effect("A merge leaves out fan-outs that another process began, and other discussions", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* castOf(21), yield* castOf(31)]
      yield* heard(one.post, one.author, one.cat, 1_001)
      const [lost] = yield* claimFanouts(1)
      for (const n of [1_002, 1_003, 1_004]) yield* heard(one.post, one.author, one.cat, n)
      yield* heard(other.post, other.author, other.cat, 1_005)
      assert.strictEqual(yield* tellSome(1), 1)
      assert.strictEqual((yield* newsOf(one.ann))[0]?.[1], 3)
      assert.deepStrictEqual(yield* newsOf(other.ann), [])
      yield* tellAll
      assert.strictEqual((yield* newsOf(other.ann))[0]?.[1], 1)
      assert.strictEqual((yield* newsOf(one.ann))[0]?.[1], 3)
      yield* TestClock.adjust("30 seconds")
      const [again] = yield* claimFanouts(10)
      assert.strictEqual(again?.id, lost?.id)
      yield* (yield* Fanouts).step(again!)
      assert.deepStrictEqual(
        (yield* newsOf(one.ann)).map(([, count]) => count),
        [4]
      )
    })
  )
})
