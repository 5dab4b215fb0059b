import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const NOINDEX = '<meta name="robots" content="noindex"'

/** Returns true for each page that search engines take, once kept answers have ended. */
const taken = Effect.fnUntraced(function* (...paths: ReadonlyArray<string>) {
  const client = yield* TestClient
  yield* TestClock.adjust("11 seconds")
  return yield* Effect.forEach(paths, (path) =>
    Effect.map(client.send("GET", path), ({ status, text }) => {
      assert.strictEqual(status, 200, path)
      return !text.includes(NOINDEX)
    })
  )
})

layer(service(database("test_reading_new_accounts")))("pages of new accounts", (it) => {
  it.effect("Search engines leave out new accounts for a day", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { slug } = yield* author.published()
      const paths = [`/@${author.handle}`, `/@${author.handle}/${slug}`]
      assert.deepStrictEqual(yield* taken(...paths), [false, false])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* taken(...paths), [true, true])
    })
  )

  it.effect("Search engines take an account after a follower, a sale or a confirmed address", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const followed = yield* authorOf(2)
      const confirmed = yield* authorOf(3)
      const sold = yield* authorOf(4)
      const unknown = yield* authorOf(5)
      const pathOf = ({ handle }: { readonly handle: string }) => `/@${handle}`
      const all = [followed, confirmed, sold, unknown]
      for (const author of all) yield* author.published()
      assert.deepStrictEqual(yield* taken(...all.map(pathOf)), [false, false, false, false])

      yield* sql`update owners set follower_count = 1 where handle = ${followed.handle}`
      yield* sql`
        update owners set email = 'a@b.test', mailbox = 'a@b.test', email_verified_at = created_at
        where handle = ${confirmed.handle}`
      yield* sql`
        update post_counts set purchases = 1
        where post_id in (select p.id from posts p join owners o on o.id = p.owner_id where o.handle = ${sold.handle})`
      assert.deepStrictEqual(yield* taken(...all.map(pathOf)), [true, true, true, false])
      assert.strictEqual((yield* client.send("GET", pathOf(unknown))).status, 200)
    })
  )
})

layer(service(database("test_reading_new_accounts_listed"), 1, { holdsNewAccounts: false }))(
  "new accounts that the operator lists",
  (it) => {
    it.effect("Search engines take new accounts immediately where the operator lists them", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { slug } = yield* author.published()
        assert.deepStrictEqual(yield* taken(`/@${author.handle}`, `/@${author.handle}/${slug}`), [true, true])
      })
    )
  }
)
