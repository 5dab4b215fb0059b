import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { CommentId, PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { as } from "../../platform/mail/outbox.ts"
import { rejecting } from "../../publishing/uploads/screenings.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { begin, mailed, personOf } from "../notifications/mails/mailing.ts"
import { readerOf } from "../notifications/reader.ts"

const CONTACT = "desk@press.example"

/** The note of a moderator, which only the log has. */
const NOTE = "Third time, see the other case"
const FOR_AUTHOR = "It copies a chapter of someone's book"

const because = { actor: "Mo", reason: NOTE, reasonForAuthor: FOR_AUTHOR }

const codesOf = (unread: ReadonlyArray<{ readonly data: object }>) =>
  unread.map(({ data }) => ("code" in data ? data.code : undefined))

const options = { adminToken: ADMIN_TOKEN, operatorContact: CONTACT }

layer(service(database("test_told_authors"), 1, options))(
  "the author of something that moderators change",
  (it) => {
    it.effect("An author hears of a withdrawal and of its end by mail, with the reason for them alone", () =>
      Effect.gen(function* () {
        yield* begin
        const moderator = yield* administrator()
        const author = yield* personOf(1)
        const postId = PostId.make(yield* author.published)
        yield* moderator["moderation.posts.withdraw"]({ postId, ...because })
        // Repeated by the same moderator, and by another one who gives other reasons.
        yield* moderator["moderation.posts.withdraw"]({ postId, ...because })
        yield* moderator["moderation.posts.withdraw"]({
          postId,
          reason: "Spam",
          reasonForAuthor: "Other words"
        })
        const [first, ...others] = yield* mailed
        assert.lengthOf(others, 0)
        assert.strictEqual(first?.to.address, author.email)
        assert.include(first?.text, "Our moderators withdrew your post “On pennies”.")
        assert.include(first?.text, `“${FOR_AUTHOR}”`)
        assert.include(first?.text, CONTACT)
        assert.notInclude(first?.text, NOTE)
        const feed = yield* author.feed()
        assert.lengthOf(feed.notifications, 1)
        const [told] = feed.notifications
        assert.strictEqual(told.post_id, postId)
        assert.deepInclude(told.data, { code: "post_withdrawn", reason: FOR_AUTHOR })
        assert.notInclude(JSON.stringify(feed), NOTE)
        const refused = yield* author.author.publish(postId, "again")
        assert.strictEqual(refused.status, 409)
        assert.include(refused.text, FOR_AUTHOR)
        assert.include(refused.text, CONTACT)
        assert.notInclude(refused.text, NOTE)

        yield* TestClock.adjust("1 minute")
        yield* moderator["moderation.posts.restore"]({ postId, reason: NOTE })
        yield* moderator["moderation.posts.restore"]({ postId, reason: NOTE })
        const [second, ...more] = yield* mailed
        assert.lengthOf(more, 0)
        assert.include(second?.text, "Our moderators restored your post “On pennies”. It's public again.")
        assert.notInclude(second?.text, CONTACT)
        // A new decision about the same thing makes another notification.
        yield* TestClock.adjust("1 minute")
        yield* moderator["moderation.posts.withdraw"]({ postId, reason: NOTE })
        const [third] = yield* mailed
        assert.notInclude(third?.text, "reason:")
        assert.deepStrictEqual(codesOf(yield* author.unread()), [
          "post_withdrawn",
          "post_restored",
          "post_withdrawn"
        ])
        const { entries } = yield* moderator["moderation.audit.list"]({ subjectId: postId })
        assert.deepStrictEqual(
          entries.map(({ reasonForAuthor }) => reasonForAuthor),
          [null, null, FOR_AUTHOR]
        )
      })
    )

    it.effect(
      "The author of a hidden comment hears of it, even in a muted discussion, and the post's author does not",
      () =>
        Effect.gen(function* () {
          yield* begin
          const moderator = yield* administrator()
          const [author, talker] = yield* Effect.all([personOf(11), personOf(12)])
          const post = yield* author.published
          const commentId = CommentId.make(yield* talker.say(post, "Buy cheap watches"))
          yield* mailed
          yield* talker.mute(post, true)
          const before = yield* author.unread()
          yield* moderator["moderation.comments.hide"]({ commentId, ...because })
          yield* moderator["moderation.comments.hide"]({ commentId, ...because })
          const [hidden, ...others] = yield* mailed
          assert.lengthOf(others, 0)
          assert.strictEqual(hidden?.to.address, talker.email)
          assert.include(
            hidden?.text,
            "Our moderators hid your comment on “On pennies”. Readers can't see it."
          )
          assert.include(hidden?.text, "“Buy cheap watches”")
          assert.include(hidden?.text, FOR_AUTHOR)
          yield* TestClock.adjust("1 minute")
          yield* moderator["moderation.comments.restore"]({ commentId, reason: NOTE })
          assert.lengthOf(yield* mailed, 1)
          const { notifications } = yield* talker.feed()
          assert.deepStrictEqual(codesOf(notifications), ["comment_restored", "comment_hidden"])
          assert.strictEqual(notifications[0].comment_id, commentId)
          assert.deepStrictEqual(yield* author.unread(), before)
        })
    )

    it.effect("A restored draft is told as a draft", () =>
      Effect.gen(function* () {
        yield* begin
        const moderator = yield* administrator()
        const author = yield* personOf(21)
        const { id } = yield* author.author.draft()
        const postId = PostId.make(id)
        yield* moderator["moderation.posts.withdraw"]({ postId, ...because })
        yield* TestClock.adjust("1 minute")
        yield* moderator["moderation.posts.restore"]({ postId, ...because })
        assert.deepStrictEqual(codesOf(yield* author.unread()), ["post_restored_as_draft", "post_withdrawn"])
        assert.lengthOf(yield* mailed, 2)
      })
    )

    it.effect("The owner of an upload that moderators hold or release hears of both", () =>
      Effect.gen(function* () {
        yield* begin
        const moderator = yield* administrator()
        const uploader = yield* uploaderOf(31)
        const owner = yield* readerOf(31)
        const sent = yield* uploader.avatar()
        yield* workOff
        const operationId = UploadOperationId.make(sent.body.safety.operationId)
        for (const procedure of ["uploads.hold", "uploads.release"] as const) {
          yield* moderator[procedure]({ operationId, ...because })
          yield* moderator[procedure]({ operationId, ...because })
          yield* TestClock.adjust("1 minute")
        }
        yield* moderator["uploads.rescreen"]({ operationId, reason: NOTE })
        const unread = yield* owner.unread()
        assert.deepStrictEqual(codesOf(unread), ["image_released", "image_held"])
        for (const { data } of unread) assert.deepInclude(data, { reason: FOR_AUTHOR })
      })
    )

    it.effect("The owner of an upload that is rejected while it is held hears nothing of its release", () =>
      Effect.gen(function* () {
        yield* begin
        const moderator = yield* administrator()
        const uploader = yield* uploaderOf(32)
        const owner = yield* readerOf(32)
        yield* workOff
        const sent = yield* uploader.avatar()
        const operationId = UploadOperationId.make(sent.body.safety.operationId)
        yield* moderator["uploads.hold"]({ operationId, ...because })
        yield* TestClock.adjust("1 minute")
        yield* rejecting
        yield* TestClock.adjust("1 minute")
        yield* moderator["uploads.release"]({ operationId, ...because })
        assert.deepStrictEqual(codesOf(yield* owner.unread()), ["image_rejected", "image_held"])
        assert.strictEqual((yield* uploader.status(sent)).body.safety.held, false)
      })
    )

    it.effect(
      "A restricted account learns the reason for it and whom to ask, by mail and from each refusal",
      () =>
        Effect.gen(function* () {
          yield* begin
          const client = yield* TestClient
          const moderator = yield* administrator()
          const author = yield* personOf(41)
          const { handle } = author.author
          const refusals = Effect.gen(function* () {
            const follow = yield* client.send("PUT", `/api/v1/follows/${author.id}`, {
              token: author.token,
              body: { following: true }
            })
            const post = yield* client.send("POST", "/api/v1/posts", {
              token: author.author.key,
              headers: { "idempotency-key": "refused" },
              body: { title: "Refused" }
            })
            assert.deepStrictEqual([follow.status, post.status], [403, 403])
            return [follow.text, post.text]
          })
          yield* moderator["accounts.restrict"]({ handle, ...because })
          yield* moderator["accounts.restrict"]({ handle, reason: "Spam", reasonForAuthor: "Other words" })
          const [mail, ...others] = yield* mailed
          assert.lengthOf(others, 0)
          assert.include(mail?.text, "Our moderators restricted your account.")
          for (const text of [mail?.text, ...(yield* refusals)]) {
            assert.include(text, FOR_AUTHOR)
            assert.include(text, CONTACT)
            assert.notInclude(text, NOTE)
          }
          yield* followRestrictions
          yield* TestClock.adjust("1 minute")
          yield* moderator["accounts.unrestrict"]({ handle, reason: NOTE })
          yield* TestClock.adjust("1 minute")
          // A restriction without a sentence does not repeat that of an earlier one.
          yield* moderator["accounts.restrict"]({ handle, reason: NOTE })
          for (const text of yield* refusals) {
            assert.notInclude(text, FOR_AUTHOR)
            assert.notInclude(text, NOTE)
            assert.include(text, CONTACT)
          }
        })
    )
  }
)

const pages = [{ name: "imprint", title: "Imprint", markdown: "x" }]

layer(service(database("test_told_by_page"), 2, { adminToken: ADMIN_TOKEN, sitePages: pages }))(
  "a site with a page about its operator",
  (it) => {
    it.effect("A refusal names the page of the operator, where there is no other contact", () =>
      Effect.gen(function* () {
        yield* begin
        const moderator = yield* administrator()
        const author = yield* personOf(1)
        yield* moderator["accounts.restrict"]({ handle: author.author.handle, ...because })
        const refused = yield* author.send("PUT", `/follows/${author.id}`, { following: true })
        assert.strictEqual(refused.status, 403)
        assert.include(refused.text, "https://press.test/pages/imprint")
      })
    )
  }
)

describe("moderators who decide at the same time, in two processes", () => {
  it.effect("Of equal decisions one is told, and each change of the state once", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_told_races", { adminToken: ADMIN_TOKEN })
      const [mo, ann] = [yield* as(first)(administrator()), yield* as(second)(administrator())]
      const [author, talker] = yield* as(first)(Effect.andThen(begin, Effect.all([personOf(1), personOf(2)])))
      const postId = PostId.make(yield* as(first)(author.published))
      const commentId = CommentId.make(yield* as(first)(talker.say(postId, "Buy cheap watches")))
      yield* as(first)(author.mark("all-read"))
      for (let round = 0; round < 5; round++) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.all(
          [mo, ann, mo, ann].flatMap((moderator, n) => [
            moderator["moderation.comments.hide"]({
              commentId,
              reason: NOTE,
              reasonForAuthor: `Reason ${n}`
            }),
            moderator["moderation.posts.withdraw"]({ postId, reason: NOTE, reasonForAuthor: `Reason ${n}` })
          ]),
          { concurrency: "unbounded" }
        )
        yield* TestClock.adjust("1 minute")
        yield* Effect.all(
          [mo, ann, mo, ann].flatMap((moderator) => [
            moderator["moderation.comments.restore"]({ commentId, reason: NOTE }),
            moderator["moderation.posts.restore"]({ postId, reason: NOTE })
          ]),
          { concurrency: "unbounded" }
        )
      }
      const rounds = (code: string, undone: string) => Array.from({ length: 5 }, () => [undone, code]).flat()
      assert.deepStrictEqual(
        codesOf(yield* as(first)(author.unread())),
        rounds("post_withdrawn", "post_restored")
      )
      assert.deepStrictEqual(
        codesOf(yield* as(first)(talker.unread())),
        rounds("comment_hidden", "comment_restored")
      )
    }).pipe(Effect.orDie)
  )
})
