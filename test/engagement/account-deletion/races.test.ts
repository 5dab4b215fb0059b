import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { paidPost } from "../../payments/access/paidPost.ts"
import { as } from "../../platform/mail/outbox.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime } from "../../support/actors/buyer.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { signIn, signMessage, walletOf } from "../../support/actors/owner.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { deletionOf, eraseDue } from "./leaving.ts"

const ROUNDS = 6

/** Signs what deletes an account. Returns the body of the request. */
const signed = Effect.fnUntraced(function* (number: number, accessToken: string, handle: string) {
  const { body } = yield* deletionOf(accessToken).challenge
  return { handle, challengeId: body.challengeId, signature: signMessage(walletOf(number), body.message) }
})

describe("an account that is deleted while something else happens, in two processes", () => {
  it.effect(
    "A deletion against a publication, a key, a refresh and a sale leaves nothing public and no way in",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoAssemblies("test_deletion_races", { adminToken: ADMIN_TOKEN })
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const sql = Context.get(first, SqlClient.SqlClient)
        for (let round = 0; round < ROUNDS; round++) {
          const number = 2 + round
          const author = yield* as(first)(authorOf(number))
          const draft = yield* as(first)(author.draft({ title: "A draft" }))
          const sold = yield* as(first)(author.published({ ...paidPost, title: `Sold ${round}` }))
          const buyer = yield* as(first)(buyerOf(100 + round))
          const { payment } = yield* as(first)(buyer.sign(sold.id))
          const body = yield* as(first)(signed(number, author.accessToken, author.handle))
          const client = Context.get(second, TestClient)
          const [closed, published, key, refreshed, bought] = yield* inTime(
            Effect.all(
              [
                as(first)(deletionOf(author.accessToken).request(body)),
                as(second)(author.publish(draft.id)),
                client.send("POST", "/api/v1/api-keys", { token: author.accessToken, body: {} }),
                client.send("POST", "/api/v1/auth/refresh", { body: { refreshToken: author.refreshToken } }),
                as(second)(access(sold.id, { payment }))
              ],
              { concurrency: "unbounded" }
            )
          )
          assert.strictEqual(closed.status, 200, closed.text)
          assert.include([200, 401, 403], published.status, published.text)
          assert.include([200, 401, 403], key.status, key.text)
          assert.include([200, 401], refreshed.status, refreshed.text)
          assert.include([200, 402, 404, 409, 410], bought.status, bought.text)
          yield* TestClock.adjust("1 minute")
          yield* as(second)(followRestrictions)
          const owner = (yield* sql`select id from owners where handle = ${author.handle}`)[0]?.["id"]
          assert.deepStrictEqual(
            yield* sql`select from api_keys where owner_id = ${owner} and revoked_at is null`,
            []
          )
          assert.deepStrictEqual(
            yield* sql`select from sessions where owner_id = ${owner} and revoked_at is null`,
            []
          )
          assert.deepStrictEqual(
            yield* sql`select from posts where owner_id = ${owner} and published_at is not null`,
            []
          )
        }
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        yield* TestClock.adjust("14 days")
        yield* as(second)(eraseDue)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        // Each that was sold stays for its buyer, and no other.
        const kept = yield* sql`select id from posts where kept_sha256 is not null`
        const paid = yield* sql`select from settlements where state = 'settled'`
        assert.strictEqual(kept.length, paid.length)
        assert.lengthOf(yield* sql`select from owners where deleted_at is not null`, ROUNDS)
      }).pipe(Effect.orDie)
  )

  it.effect(
    "A deletion against a restriction and its end leaves the account closed, and one that was kept as moderators want",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoAssemblies("test_deletion_restrictions", {
          adminToken: ADMIN_TOKEN
        })
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const sql = Context.get(first, SqlClient.SqlClient)
        const moderator = yield* as(second)(administrator())
        for (let round = 0; round < ROUNDS; round++) {
          const number = 2 + round
          const author = yield* as(first)(authorOf(number))
          const { handle } = author
          if (round % 2 === 0) yield* moderator["accounts.restrict"]({ handle, reason: "A test" })
          const change = round % 2 === 0 ? "accounts.unrestrict" : "accounts.restrict"
          const body = yield* as(first)(signed(number, author.accessToken, handle))
          const [closed] = yield* Effect.all(
            [
              as(first)(deletionOf(author.accessToken).request(body)),
              moderator[change]({ handle, reason: "A test" })
            ],
            { concurrency: "unbounded" }
          )
          assert.strictEqual(closed.status, 200, closed.text)
          const restricted = sql`select from owners where handle = ${handle} and restricted_at is not null`
          assert.lengthOf(yield* restricted, 1)
          const { accessToken } = yield* as(first)(signIn(number))
          const kept = yield* as(first)(deletionOf(accessToken).keep)
          assert.strictEqual(kept.status, 200, kept.text)
          assert.lengthOf(yield* restricted, round % 2)
        }
      }).pipe(Effect.orDie)
  )

  it.effect("An account that is kept while its time ends is kept or erased, and never half", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_deletion_due", { adminToken: ADMIN_TOKEN })
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const sql = Context.get(first, SqlClient.SqlClient)
      for (let round = 0; round < ROUNDS; round++) {
        const number = 2 + round
        const author = yield* as(first)(authorOf(number))
        yield* as(first)(author.draft())
        const body = yield* as(first)(signed(number, author.accessToken, author.handle))
        yield* as(first)(deletionOf(author.accessToken).request(body))
        // A process whose clock is ahead may claim the work while the other still keeps the account.
        yield* TestClock.adjust("13 days")
        const { accessToken } = yield* as(first)(signIn(number))
        yield* sql`update account_deletions set due_at = requested_at where ended_at is null`
        const [kept] = yield* Effect.all([as(first)(deletionOf(accessToken).keep), as(second)(eraseDue)], {
          concurrency: "unbounded"
        })
        const drafts = yield* sql`
          select from posts p join owners o on o.id = p.owner_id where o.handle = ${author.handle}`
        assert.lengthOf(drafts, kept.status === 200 ? 1 : 0, kept.text)
        assert.include([200, 401, 409], kept.status, kept.text)
      }
    }).pipe(Effect.orDie)
  )
})
