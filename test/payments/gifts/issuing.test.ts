import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ACTIVE_GIFTS_MAX } from "../../../schemas/payments/gifts/Gift.ts"
import type { GiftPage } from "../../../schemas/payments/gifts/Gift.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { paidPost } from "../access/paidPost.ts"
import { gift, issue, list, readWith, redeem, revoke, seen } from "./giving.ts"

const UNKNOWN = "00000000-0000-4000-8000-000000000000"
const DAY_MILLIS = 24 * 60 * 60 * 1000

layer(service(database("test_gifts_issuing")))("the gifts of an author", (it) => {
  it.effect("An author gives a Post away, and sees the token once", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id: postId, slug } = yield* author.published(paidPost)
      const answer = yield* issue(author, { postId }, "give-1")
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      const { gift: made, token, url } = answer.body
      assert.match(token, /^ppg_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
      assert.strictEqual(url, `${BASE_URL}/@${author.handle}/${slug}#gift=${token}`)
      const { createdAt, expiresAt, id, ...rest } = made
      assert.strictEqual(Date.parse(expiresAt) - Date.parse(createdAt), 30 * DAY_MILLIS)
      assert.deepStrictEqual(rest, {
        postId,
        label: null,
        maxRedemptions: 1,
        redemptions: 0,
        revokedAt: null,
        accessEndedAt: null,
        state: "active"
      })

      // A repeat gets the gift of today. The token is nowhere.
      const revoked = yield* revoke(author, id)
      const again = yield* issue(author, { postId, maxRedemptions: 1, label: null }, "give-1")
      assert.deepStrictEqual(refusalOf(again), [409, "gift_already_issued"])
      assert.deepStrictEqual(again.body.data.gift, revoked.body)
      assert.notInclude(again.text, token.slice(-43))
      const changed = yield* issue(author, { postId, maxRedemptions: 2 }, "give-1")
      assert.deepStrictEqual(refusalOf(changed), [409, "idempotency_key_conflict"])
      // Keys are an owner's own.
      const other = yield* authorOf(2)
      const theirs = yield* other.published(paidPost)
      assert.strictEqual((yield* issue(other, { postId: theirs.id }, "give-1")).status, 201)
    })
  )

  it.effect("An author gives only their own published paid Posts", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const other = yield* authorOf(4)
      const refused = (postId: string) => Effect.map(issue(author, { postId }), refusalOf)
      const { id: theirs } = yield* other.published(paidPost)
      const { id: draft } = yield* author.draft(paidPost)
      const { id: free } = yield* author.published()
      for (const id of [theirs, draft, UNKNOWN])
        assert.deepStrictEqual(yield* refused(id), [404, "not_found"])
      assert.deepStrictEqual(yield* refused(free), [409, "post_is_free"])
      assert.deepStrictEqual(yield* refused("x"), [422, "validation", "postId invalid"])
    })
  )

  it.effect("An author chooses terms within their limits", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id: postId } = yield* author.published(paidPost)
      const made = yield* issue(author, {
        postId,
        maxRedemptions: 10_000,
        label: `  ${"é".repeat(80)} `,
        expiresAt: "2999-01-01T00:00:00.123456+01:00"
      })
      assert.strictEqual(made.status, 201, made.text)
      const { expiresAt, label, maxRedemptions } = made.body.gift
      assert.deepStrictEqual(
        [expiresAt, label, maxRedemptions],
        ["2998-12-31T23:00:00.123456Z", "é".repeat(80), 10_000]
      )
      const forever = yield* issue(author, { postId, expiresAt: null })
      assert.strictEqual(forever.body.gift.expiresAt, null)

      const now = made.body.gift.createdAt
      for (const [terms, error] of [
        [{ maxRedemptions: 10_001 }, "maxRedemptions out_of_range"],
        [{ maxRedemptions: 0 }, "maxRedemptions out_of_range"],
        [{ maxRedemptions: 1.5 }, "maxRedemptions invalid"],
        [{ maxRedemptions: "1" }, "maxRedemptions invalid"],
        [{ label: "é".repeat(81) }, "label too_long"],
        [{ label: " " }, "label too_short"],
        [{ label: "a\nb" }, "label invalid"],
        [{ expiresAt: now }, "expiresAt out_of_range"],
        [{ expiresAt: "tomorrow" }, "expiresAt invalid"],
        [{ expiresAt: "+010000-01-01T00:00:00Z" }, "expiresAt invalid"],
        [{ token: "ppg_mine" }, "token unknown"]
      ] as const) {
        const answer = yield* issue(author, { postId, ...terms })
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", error], answer.text)
      }
      const client = yield* TestClient
      const request = { token: author.accessToken, body: { postId } }
      assert.deepStrictEqual(refusalOf(yield* client.send("POST", "/api/v1/gifts", request)), [
        422,
        "validation",
        "Idempotency-Key required"
      ])
      assert.strictEqual((yield* issue(author, { postId }, "k".repeat(255))).status, 201)
      for (const key of ["k".repeat(256), "a b", "ü"])
        assert.strictEqual((yield* issue(author, { postId }, key)).status, 422, key)
    })
  )

  it.effect("An author has at most 200 active gifts", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const { id: postId } = yield* author.published(paidPost)
      const sql = yield* SqlClient.SqlClient
      const first = yield* gift(author, postId)
      const soon = new Date((yield* Clock.currentTimeMillis) + DAY_MILLIS).toISOString()
      yield* gift(author, postId, { expiresAt: soon })
      yield* sql`
        insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, created_at)
        select gen_random_uuid(), owner_id, post_id, secret_hash, 1, created_at
        from gifts, generate_series(3, ${ACTIVE_GIFTS_MAX - 1}::integer) where id = ${first.id}`
      const last = yield* gift(author, postId)
      assert.deepStrictEqual(refusalOf(yield* issue(author, { postId })), [409, "gift_limit_reached"])
      // One that is redeemed, revoked or expired makes room for another.
      const { accessToken } = yield* readerOf(7)
      assert.strictEqual((yield* redeem(accessToken, last.token)).status, 200)
      yield* gift(author, postId)
      assert.strictEqual((yield* issue(author, { postId })).status, 409)
      yield* revoke(author, first.id)
      yield* gift(author, postId)
      assert.strictEqual((yield* issue(author, { postId })).status, 409)
    })
  )

  it.effect("An author lists their gifts, the newest first, of all Posts or of one", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const { id: one } = yield* author.published(paidPost)
      const { id: other } = yield* author.published(paidPost)
      const made = yield* Effect.forEach([one, other, one, other, one], (postId, n) =>
        Effect.map(gift(author, postId, { label: `gift ${n}` }), ({ id }) => id)
      )
      const ids = ({ body }: { readonly body: GiftPage }) => body.data.map(({ id }) => id)
      const newest = made.toReversed()
      assert.deepStrictEqual(ids(yield* list(author)), newest)
      assert.deepStrictEqual(ids(yield* list(author, `?postId=${other}`)), [made[3], made[1]])
      assert.deepStrictEqual(ids(yield* list(author, `?postId=${UNKNOWN}`)), [])

      const first = yield* list(author, "?limit=2")
      const { nextCursor } = first.body.pagination
      assert.deepStrictEqual(first.body.pagination, { limit: 2, nextCursor, hasMore: true })
      const second = yield* list(author, `?limit=3&cursor=${nextCursor}`)
      assert.deepStrictEqual([...ids(first), ...ids(second)], newest)
      assert.deepStrictEqual(second.body.pagination, { limit: 3, nextCursor: null, hasMore: false })
      const elsewhere = yield* list(author, `?postId=${one}&cursor=${nextCursor}`)
      assert.deepStrictEqual(refusalOf(elsewhere), [422, "validation", "cursor invalid"])
      for (const limit of [0, 101]) assert.strictEqual((yield* list(author, `?limit=${limit}`)).status, 422)
      assert.strictEqual((yield* list(author, "?limit=100")).status, 200)
      assert.notMatch((yield* list(author)).text, /ppg_|secret/)
      const stranger = yield* readerOf(9)
      assert.deepStrictEqual(ids(yield* list(stranger)), [])
    })
  )

  it.effect("An author revokes a gift, and optionally its redeemed access", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const { id: postId } = yield* author.published(paidPost)
      const { id, token } = yield* gift(author, postId, { maxRedemptions: 3 })
      const { accessToken } = yield* readerOf(11)
      assert.strictEqual((yield* redeem(accessToken, token)).status, 200)
      const anonymous = yield* readWith(postId, token, "a-random-key")
      const receipt = { headers: { "x-purchase-receipt": anonymous.body.receipt.token } }
      const client = yield* TestClient
      const path = `/api/posts/${postId}/access`
      const reads = Effect.all([
        Effect.map(client.send("GET", path, { token: accessToken }), seen),
        Effect.map(client.send("GET", path, receipt), seen),
        Effect.map(readWith(postId, token, "a-random-key"), seen)
      ])

      const kept = yield* revoke(author, id)
      assert.strictEqual(kept.status, 200, kept.text)
      assert.deepStrictEqual([kept.body.state, kept.body.redemptions], ["revoked", 2])
      assert.deepStrictEqual((yield* revoke(author, id, "keep")).body, kept.body)
      assert.deepStrictEqual(yield* reads, [
        [200, "gift"],
        [200, "gift"],
        [200, "gift"]
      ])
      const { accessToken: late } = yield* readerOf(12)
      assert.deepStrictEqual(seen(yield* redeem(late, token)), [410, "gift_revoked"])
      assert.deepStrictEqual(seen(yield* readWith(postId, token)), [410, "gift_revoked"])
      // A redemption before it is repeated as before.
      assert.strictEqual((yield* redeem(accessToken, token)).status, 200)

      const ended = yield* revoke(author, id, "revoke")
      assert.deepStrictEqual(ended.body, { ...kept.body, accessEndedAt: kept.body.revokedAt })
      yield* revoke(author, id, "keep")
      assert.deepStrictEqual(yield* reads, [
        [402, "payment_required"],
        [403, "receipt_invalid"],
        [410, "gift_revoked"]
      ])
      assert.deepStrictEqual(seen(yield* redeem(accessToken, token)), [410, "gift_revoked"])

      assert.strictEqual((yield* revoke(author, id, "forget")).status, 422)
      assert.deepStrictEqual(refusalOf(yield* revoke(author, UNKNOWN)), [404, "not_found"])
      const stranger = yield* authorOf(13)
      assert.deepStrictEqual(refusalOf(yield* revoke(stranger, id)), [404, "not_found"])
    })
  )

  it.effect("A restricted author reads their gifts, and changes none", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(15)
      const { id: postId } = yield* author.published(paidPost)
      const { id } = yield* gift(author, postId)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where handle = ${author.handle}`
      assert.strictEqual((yield* list(author)).body.data[0].id, id)
      for (const refused of [yield* issue(author, { postId }), yield* revoke(author, id)])
        assert.deepStrictEqual(refusalOf(refused), [403, "account_restricted"])
    })
  )

  it.effect("An author learns that a repeated key named a gift of a deleted Post", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(16)
      const { id: postId } = yield* author.published(paidPost)
      yield* issue(author, { postId }, "of-a-deleted-post")
      yield* author.unpublish(postId)
      yield* author.remove(postId)
      const again = yield* issue(author, { postId }, "of-a-deleted-post")
      assert.deepStrictEqual(refusalOf(again), [404, "not_found"])
    })
  )

  it.effect("An author manages gifts only in an owner session", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(14)
      const { id: postId } = yield* author.published(paidPost)
      const byKey = { accessToken: author.key }
      assert.strictEqual((yield* issue(byKey, { postId })).status, 401)
      assert.strictEqual((yield* list(byKey)).status, 401)
      assert.strictEqual((yield* redeem(author.key, "ppg_")).status, 401)
      const client = yield* TestClient
      assert.strictEqual((yield* client.send("GET", "/api/v1/gifts")).status, 401)
    })
  )
})
