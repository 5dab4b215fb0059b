import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { readerOf } from "../reader.ts"
import { tellAll } from "./crowd.ts"

/** An owner with a Profile, who may comment. */
const commenter = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const reader = yield* readerOf(number)
  let comments = 0
  return {
    ...reader,
    author,
    /** Comments on a Post a second later, and tells everyone. Returns the id of the Comment. */
    comment: Effect.fnUntraced(function* (post: string, parentCommentId?: string) {
      yield* TestClock.adjust("7 seconds")
      comments += 1
      const { body, status, text } = yield* client.send("POST", `/api/v1/posts/${post}/comments`, {
        token: reader.token,
        headers: { "idempotency-key": `comment-${comments}` },
        body: { content: "Well said", ...(parentCommentId === undefined ? {} : { parentCommentId }) }
      })
      assert.oneOf(status, [200, 201], text)
      yield* tellAll
      return body.id as string
    }),
    remove: (comment: string) => reader.send("DELETE", `/comments/${comment}`)
  }
})

const casts = Effect.fnUntraced(function* (first: number) {
  const [author, ann, bob, cat] = yield* Effect.all([
    commenter(first),
    commenter(first + 1),
    commenter(first + 2),
    commenter(first + 3)
  ])
  const { id: post } = yield* author.author.published()
  return { author, ann, bob, cat, post: post as string }
})

const activity = (count: number) => ({ type: "commented_post_activity", data: { count } })
const newComment = { type: "new_comment", data: {} }
const reply = { type: "comment_reply", data: {} }

layer(service(database("test_notification_causes")))("causes of notifications (contract 4.6)", (it) => {
  it.effect("The Post's author gets new_comment when another owner comments", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const { ann, author, bob, post } = yield* casts(1)
      const comment = yield* ann.comment(post)
      assert.deepStrictEqual(yield* author.unread(), [newComment])
      assert.deepInclude((yield* author.feed()).notifications[0], { post_id: post, comment_id: comment })
      assert.deepStrictEqual(yield* ann.unread(), [])
      assert.deepStrictEqual(yield* bob.unread(), [])
      yield* author.comment(post)
      assert.deepStrictEqual(yield* author.unread(), [newComment])
    })
  )

  it.effect("The author of a reply's target gets comment_reply when another owner replies", () =>
    Effect.gen(function* () {
      const { ann, author, bob, post } = yield* casts(11)
      const root = yield* ann.comment(post)
      yield* bob.comment(post, root)
      assert.deepStrictEqual(yield* ann.unread(), [reply])
      assert.deepStrictEqual(yield* author.unread(), [newComment, newComment])
      yield* ann.comment(post, root)
      assert.deepStrictEqual(yield* ann.unread(), [reply])
      assert.deepStrictEqual(yield* bob.unread(), [activity(1)])
    })
  )

  it.effect("Earlier commenters get commented_post_activity in one unread row that grows", () =>
    Effect.gen(function* () {
      const { ann, author, bob, cat, post } = yield* casts(21)
      const first = yield* ann.comment(post)
      yield* bob.comment(post)
      assert.deepStrictEqual(yield* ann.unread(), [activity(1)])
      yield* cat.comment(post)
      assert.deepStrictEqual(yield* ann.unread(), [activity(2)])
      assert.deepStrictEqual(yield* bob.unread(), [activity(1)])
      assert.deepStrictEqual(yield* cat.unread(), [])
      yield* ann.mark("all-read")
      yield* cat.comment(post)
      assert.deepStrictEqual(yield* ann.unread(), [activity(1)])
      yield* ann.mark("all-read")
      yield* ann.remove(first)
      yield* cat.comment(post)
      assert.deepStrictEqual(yield* ann.unread(), [])
      assert.notInclude(
        (yield* author.unread()).map(({ type }) => type),
        "commented_post_activity"
      )
    })
  )

  it.effect("A mute of the Post suppresses the three kinds about its discussion", () =>
    Effect.gen(function* () {
      const { ann, author, bob, cat, post } = yield* casts(31)
      const root = yield* ann.comment(post)
      yield* bob.comment(post)
      yield* Effect.forEach([author, ann, bob], (it) => it.mark("all-read"))
      yield* Effect.forEach([author, ann, bob], (it) => it.mute(post, true))
      yield* cat.comment(post, root)
      for (const it of [author, ann, bob]) assert.deepStrictEqual(yield* it.unread(), [])
      yield* Effect.forEach([author, ann, bob], (it) => it.mute(post, false))
      yield* cat.comment(post, root)
      assert.deepStrictEqual(yield* author.unread(), [newComment])
      assert.deepStrictEqual(yield* ann.unread(), [reply])
      assert.deepStrictEqual(yield* bob.unread(), [activity(1)])
    })
  )

  it.effect("The followed owner gets new_follow when a follow is new", () =>
    Effect.gen(function* () {
      const [creator, fan] = yield* Effect.all([readerOf(41), readerOf(42)])
      const follow = (following: boolean) => fan.send("PUT", `/follows/${creator.id}`, { following })
      yield* follow(true)
      yield* follow(true)
      const { notifications } = yield* creator.feed()
      assert.lengthOf(notifications, 1)
      assert.deepInclude(notifications[0], { type: "new_follow", follower_id: fan.id, data: {} })
      yield* follow(false)
      yield* follow(true)
      assert.lengthOf(yield* creator.unread(), 1)
      yield* follow(false)
      yield* TestClock.adjust("25 hours")
      const [again, later] = yield* Effect.all([readerOf(41), readerOf(42)])
      yield* later.send("PUT", `/follows/${creator.id}`, { following: true })
      assert.lengthOf(yield* again.unread(), 2)
    })
  )
})
