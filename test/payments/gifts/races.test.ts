import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { access } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { deletedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paidPost } from "../access/paidPost.ts"
import { gift, issue, readWith, redeem, revoke, seen } from "./giving.ts"
import { race, reasons, times } from "./racing.ts"

const counted = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly redemptions: number
    readonly saved: number
    readonly receipts: number
  }>`
    select redemptions, (select count(*)::int from gift_redemptions r where r.gift_id = g.id) as saved,
      (select count(*)::int from access_receipts a join gift_redemptions r on r.id = a.redemption_id
        where r.gift_id = g.id) as receipts
    from gifts g where id = ${id}`
  return row!
})

it.effect(
  "Redemptions that race in two processes count once each, within the limit of the gift",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_gifts_races")
      yield* Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id: postId } = yield* author.published(paidPost)
        const readers = yield* Effect.forEach(
          times(8, (n) => n + 2),
          readerOf
        )

        // 24 readers of all kinds, and five redemptions.
        const five = yield* gift(author, postId, { maxRedemptions: 5 })
        const all = yield* race(processes, [
          ...readers.map(({ accessToken }) => redeem(accessToken, five.token)),
          ...times(8, (n) => readWith(postId, five.token, `key-${n}`)),
          ...times(8, () => readWith(postId, five.token))
        ])
        assert.deepStrictEqual(reasons(all), { "200": 5, "410 gift_exhausted": 19 })
        const receipts = all.filter(({ body }) => body.receipt != null).length
        assert.deepStrictEqual(yield* counted(five.id), { redemptions: 5, saved: 5, receipts })

        // One account many times, and one key many times, each beside itself. Each has a Post on which it has no gift yet.
        const { id: other } = yield* author.published(paidPost)
        const two = yield* gift(author, other, { maxRedemptions: 2 })
        const { accessToken } = readers[0]!
        const headers = { "x-gift-token": two.token }
        const same = yield* race(processes, [
          ...times(16, (n) =>
            n % 4 < 2 ? redeem(accessToken, two.token) : access(other, { token: accessToken, headers })
          ),
          ...times(16, () => readWith(other, two.token, "one-key"))
        ])
        assert.deepStrictEqual(reasons(same), { "200": 32 })
        assert.strictEqual(new Set(same.slice(16).map(({ text }) => text)).size, 1)
        assert.deepStrictEqual(yield* counted(two.id), { redemptions: 2, saved: 2, receipts: 1 })

        // Against a revocation that ends all access, and against one that keeps it.
        for (const redeemed of ["revoke", "keep"] as const) {
          const many = yield* gift(author, postId, { maxRedemptions: 99 })
          const use = (n: number) => readWith(postId, many.token, `key-${n}`)
          const [revoked, ...uses] = yield* race(processes, [
            revoke(author, many.id, redeemed),
            ...times(12, use)
          ])
          assert.strictEqual(revoked?.status, 200)
          const { redemptions, saved } = yield* counted(many.id)
          assert.strictEqual(redemptions, saved)
          // The author got the last count.
          assert.strictEqual(revoked?.body.redemptions, redemptions)
          const had = uses.filter(({ status }) => status === 200).length
          if (redeemed === "keep") assert.strictEqual(had, redemptions)
          const later = yield* race(processes, times(12, use))
          assert.deepStrictEqual(
            later.filter(({ status }) => status === 200).length,
            redeemed === "keep" ? redemptions : 0
          )
          for (const each of [...uses, ...later])
            if (each.status !== 200) assert.deepStrictEqual(seen(each), [410, "gift_revoked"])
        }

        // Against withdrawal and against becoming free. What is counted was read.
        for (const change of ["unpublish", "free"] as const) {
          const { id } = yield* author.published(paidPost)
          const many = yield* gift(author, id, { maxRedemptions: 99 })
          const [changed, ...uses] = yield* race(processes, [
            change === "unpublish" ? author.unpublish(id) : author.patch(id, { enablePaywall: false }),
            ...times(10, (n) => readWith(id, many.token, `key-${n}`))
          ])
          assert.strictEqual(changed?.status, 200)
          for (const each of uses)
            if (change === "free" || each.status !== 410) assert.strictEqual(each.status, 200, each.text)
            else assert.deepStrictEqual(seen(each), [410, "post_withdrawn"])
          const { redemptions, saved } = yield* counted(many.id)
          assert.strictEqual(redemptions, saved)
          const read = uses.filter(({ body }) => body.receipt != null).length
          assert.strictEqual(read, redemptions)
        }

        // One key of the author, and the last places among 200.
        const { id: third } = yield* author.published(paidPost)
        const issued = yield* race(
          processes,
          times(6, () => issue(author, { postId: third }, "one-key"))
        )
        assert.deepStrictEqual(reasons(issued), { "201": 1, "409 gift_already_issued": 5 })
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, created_at)
          select gen_random_uuid(), owner_id, post_id, secret_hash, 1, created_at from gifts,
            generate_series(1, 197 - (select count(*)::int from gifts
              where revoked_at is null and redemptions < max_redemptions))
          where post_id = ${third}`
        const last = yield* race(
          processes,
          times(8, () => issue(author, { postId: third }))
        )
        assert.deepStrictEqual(reasons(last), { "201": 3, "409 gift_limit_reached": 5 })
      }).pipe(Effect.provide(processes[0]))
    }).pipe(Effect.scoped),
  120_000
)

layer(service(database("test_gifts_deleted")))("a gift that is redeemed while its Post is deleted", (it) => {
  it.effect("A gift goes with its Post, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { accessToken } = yield* readerOf(2)
      const sql = yield* SqlClient.SqlClient
      for (const kind of ["account", "anonymous"] as const) {
        const { id: postId } = yield* author.published(paidPost)
        const { token } = yield* gift(author, postId)
        const request = kind === "account" ? redeem(accessToken, token) : readWith(postId, token, "key")
        const answer = yield* deletedMeanwhile("test_gifts_deleted", postId, request)
        assert.include([403, 404], answer.status, answer.text)
        assert.lengthOf(yield* sql`select id from gift_redemptions where post_id = ${postId}`, 0)
        assert.lengthOf(yield* sql`select id from access_receipts where post_id = ${postId}`, 0)
      }
      // So is one that is issued meanwhile.
      const { id: postId } = yield* author.published(paidPost)
      const answer = yield* deletedMeanwhile("test_gifts_deleted", postId, issue(author, { postId }))
      assert.deepStrictEqual(seen(answer), [404, "not_found"])
    })
  )
})
