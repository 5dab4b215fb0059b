import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { wireTime } from "../../../src/platform/time/now.ts"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { paid } from "../../payments/finance/selling.ts"
import { gift, redeem } from "../../payments/gifts/giving.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { inSeconds, publishAllDue, schedulerOf } from "../../publishing/posts/schedules/scheduling.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { followsOf } from "../follows/follower.ts"
import { assertDescribed, dispatch, listenerOf } from "./listening.ts"

const FREE = "freemarkeralpha"
const PAID = "paidmarkerbeta"
const PRICE_RAW = 10n ** 29n

/** Lets an author live through every cause. Returns the Post, and the secrets that no event may have. */
const everyCause = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* uploaderOf(number)
  const other = yield* commenterOf(number + 1)
  const own = yield* commenterOf(number)
  const authorId = yield* ownerIdOf(author.accessToken)
  const ok = (answer: { readonly status: number; readonly text: string }) =>
    assert.include([200, 201, 202, 204], answer.status, answer.text)

  const post = yield* author.published({
    title: "Known to all",
    freeContentMarkdown: `Words ${FREE}`,
    paidContentMarkdown: `Words ${PAID}`,
    enablePaywall: true,
    priceRaw: String(PRICE_RAW)
  })
  ok(yield* author.patch(post.id, { title: "Known to everyone" }))
  ok(yield* author.patch(post.id, { paidContentMarkdown: `More ${PAID}` }))
  const image = yield* author.inline((yield* author.read(post.id)).body)
  ok(image)
  yield* workOff

  const first = yield* other.say(post.id, "A public comment")
  const second = yield* other.say(post.id, "Another one")
  const third = yield* other.say(post.id, "The last one")
  ok(yield* other.removeComment(first.id))
  ok(yield* own.removeComment(second.id))
  const moderator = yield* administrator()
  yield* moderator["moderation.comments.hide"]({ commentId: CommentId.make(third.id), reason: "Spam" })
  // Its event came when it was hidden.
  ok(yield* other.removeComment(third.id))
  yield* followsOf(yield* readerOf(number + 1)).follow(authorId)

  const payer = yield* payerOf(number + 2)
  yield* payer.fund()
  const target = { kind: "purchase", postId: PostId.make(post.id) } as const
  const payTo = author.wallet.account
  const sale = yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
  yield* paid(payer, {
    target: { kind: "tip", postId: null, commentId: null, recipientId: authorId },
    payTo,
    amountRaw: PRICE_RAW
  })
  const wallet = yield* payerOf(number)
  yield* wallet.fund()
  const refund = yield* wallet.pay(payer.account, 1n)
  ok(
    yield* client.send("POST", `/api/v1/finance/sales/${sale.id}/refunds`, {
      token: author.accessToken,
      body: { blockHash: refund.hash }
    })
  )
  const given = yield* gift(author, post.id)
  ok(yield* redeem(other.accessToken, given.token))
  ok(yield* author.unpublish(post.id))
  const withdrawn = yield* author.published({ title: "Not for long" })
  yield* moderator["moderation.posts.withdraw"]({ postId: PostId.make(withdrawn.id), reason: "Spam" })
  yield* moderator["moderation.posts.restore"]({ postId: PostId.make(withdrawn.id), reason: "Mistake" })
  return { post, secrets: [FREE, PAID, given.token, author.accessToken, author.key] }
})

const CAUSES = [
  "comment.created",
  "comment.created",
  "comment.created",
  "comment.deleted",
  "comment.deleted",
  "comment.deleted",
  "follow.created",
  "gift.redeemed",
  "post.published",
  "post.published",
  "post.published",
  "post.unpublished",
  "post.unpublished",
  "post.updated",
  "purchase.refunded",
  "purchase.settled",
  "tip.settled",
  "upload.decided"
]

layer(service(database("test_event_causes"), 1, { adminToken: ADMIN_TOKEN }))(
  "the causes of events",
  (it) => {
    it.effect("Every cause tells its event, and no body has a text of a Post or a secret", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const listener = yield* listenerOf(author)
        const { data, pagination } = yield* listener.page()
        assert.deepStrictEqual([data, pagination.hasMore], [[], false])
        const { post, secrets } = yield* everyCause(1)
        yield* dispatch
        const early = (yield* listener.page({ after: pagination.nextCursor })).data
        assert.notInclude(
          early.map(({ type }: any) => type),
          "post.updated"
        )
        yield* TestClock.adjust("31 seconds")
        yield* dispatch
        const page = yield* listener.page({ after: pagination.nextCursor })
        const types = page.data.map(({ type }: any) => type)
        assert.deepStrictEqual(types.toSorted(), CAUSES)
        assert.deepStrictEqual(
          page.data.map(({ sequence }: any) => sequence),
          CAUSES.map((_, index) => index + 1)
        )
        page.data.forEach(assertDescribed)
        const text = JSON.stringify(page)
        for (const secret of secrets) assert.notInclude(text, secret)
        assert.isBelow(Math.max(...page.data.map((body: unknown) => JSON.stringify(body).length)), 20_000)

        const of = (type: string) =>
          page.data.filter((event: any) => event.type === type).map((event: any) => event.data)
        const [updated] = of("post.updated")
        // The Post is a draft again, so its event names it alone.
        assert.deepStrictEqual(updated.post, { id: post.id })
        assert.sameMembers(updated.changed, ["title", "paidContentMarkdown"])
        assert.sameMembers(
          of("comment.deleted").map(({ by }: any) => by),
          ["author", "post_author", "moderator"]
        )
        assert.deepStrictEqual(
          of("post.unpublished").map(({ by }: any) => by),
          ["author", "moderator"]
        )
        assert.deepStrictEqual(of("upload.decided")[0].operation.state, "cleared")
        assert.strictEqual(of("purchase.refunded")[0].sale.refundedRaw, "1")
      })
    )

    it.effect(
      "A scheduled Post that is not published tells its event, and so does each Post of a revoked key",
      () =>
        Effect.gen(function* () {
          const author = yield* uploaderOf(31)
          const keys = yield* keysOf(author.accessToken)
          const listener = yield* listenerOf(author)
          const { nextCursor } = (yield* listener.page()).pagination
          const publishAt = yield* inSeconds(60)
          const changed = yield* author.draft({ title: "Changed" })
          yield* schedulerOf(author).schedule(changed.id, { publishAt, onlyRevision: true })
          yield* author.patch(changed.id, { title: "Changed since" })
          const { apiKey, key } = yield* keys.issued({})
          const client = yield* TestClient
          const drafts = [yield* author.draft({ title: "One" }), yield* author.draft({ title: "Two" })]
          for (const { id } of drafts)
            yield* client.send("PUT", `/api/v1/posts/${id}/schedule`, { token: key, body: { publishAt } })
          yield* keys.revoke(apiKey.keyId)
          yield* TestClock.adjust("60 seconds")
          assert.strictEqual(yield* publishAllDue, 1)
          yield* dispatch
          const { data } = yield* listener.page({ after: nextCursor, types: "post.schedule_failed" })
          data.forEach(assertDescribed)
          assert.sameDeepMembers(
            data.map((event: any) => event.data),
            [
              ...drafts.map(({ id }, n) => ({
                post: { id, title: ["One", "Two"][n] },
                publishAt: wireTime(new Date(publishAt)),
                reason: "key_revoked",
                errors: []
              })),
              {
                post: { id: changed.id, title: "Changed since" },
                publishAt: wireTime(new Date(publishAt)),
                reason: "changed",
                errors: []
              }
            ]
          )
        })
    )

    it.effect("Files and images of a public Post are told as its updates, and those of a draft are not", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(20)
        const listener = yield* listenerOf(author)
        yield* listener.page()
        const sold = { paidContentMarkdown: "Words", enablePaywall: true, priceRaw: String(PRICE_RAW) }
        const post = yield* author.published(sold)
        const draft = yield* author.draft(sold)
        for (const id of [post.id, draft.id]) {
          const attached = yield* author.attach((yield* author.read(id)).body)
          assert.strictEqual(attached.status, 202, attached.text)
          yield* workOff
          const image = yield* author.og((yield* author.read(id)).body)
          assert.include([200, 201, 202], image.status, image.text)
          yield* workOff
        }
        yield* TestClock.adjust("31 seconds")
        yield* dispatch
        const { data } = yield* listener.page({ types: "post.updated" })
        assert.deepStrictEqual(
          data.map((event: any) => [event.data.post.id, event.data.changed]),
          [[post.id, ["attachments", "ogImage"]]]
        )
      })
    )

    it.effect("A cause of an owner to whom no one listens writes no row", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* everyCause(11)
        const owner = yield* ownerIdOf((yield* uploaderOf(11)).accessToken)
        assert.isEmpty(yield* sql`select from events where owner_id = ${owner}`)
      })
    )

    it.effect("An event has what readers see when it is made, or an id alone", () =>
      Effect.gen(function* () {
        const author = yield* commenterOf(21)
        const reader = yield* commenterOf(22)
        const listener = yield* listenerOf(author)
        const { nextCursor } = (yield* listener.page()).pagination
        const post = yield* author.published({ title: "Shown" })
        const comment = yield* reader.say(post.id, "Read me")
        yield* dispatch
        const shown = yield* listener.page({ after: nextCursor })
        assert.deepInclude(shown.data[0].data, { isFirst: true, isScheduled: false })
        const client = yield* TestClient
        const { body } = yield* client.send("GET", `/api/posts/${post.id}`)
        assert.deepInclude(body, { ...shown.data[0].data.post, counts: body.counts })
        assert.strictEqual(shown.data[1].data.comment.content, "Read me")
        assert.strictEqual(shown.data[1].data.post.url, shown.data[0].data.post.url)

        const hidden = yield* reader.say(post.id, "Never shown")
        yield* (yield* administrator())["moderation.comments.hide"]({
          commentId: CommentId.make(hidden.id),
          reason: "Spam"
        })
        yield* author.unpublish(post.id)
        yield* dispatch
        const gone = yield* listener.page({ after: shown.pagination.nextCursor })
        assert.deepStrictEqual(gone.data[0].data, {
          comment: { id: hidden.id },
          post: { id: post.id, url: null }
        })
        assert.strictEqual(gone.data[2].data.post.formerUrl, shown.data[0].data.post.url)
        assert.notInclude(JSON.stringify(gone), "Never shown")
        assert.strictEqual(comment.postId, post.id)
      })
    )
  }
)
