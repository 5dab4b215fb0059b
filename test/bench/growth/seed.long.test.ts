import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { isEmpty, seedGrowth } from "./seed.ts"

const SIZES = { posts: 400, authors: 120, comments: 3_000, seed: 1 }

/** Checks each foreign key over all rows. */
const checkKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* sql<{ readonly text: string }>`
    select format('alter table %s drop constraint %I, add constraint %I %s', conrelid::regclass, conname, conname,
      pg_get_constraintdef(oid)) as text
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`
  for (const { text } of keys) yield* sql.unsafe(text).unprepared
  return keys.length
})

const indexes = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`
)

/** Fills a database. Returns a hash of its rows. */
const filled = (name: string, seed: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const before = yield* indexes
    assert.isTrue(yield* isEmpty)
    yield* seedGrowth({ ...SIZES, seed })
    assert.isFalse(yield* isEmpty)
    assert.deepStrictEqual(yield* indexes, before)
    assert.isAbove(yield* checkKeys, 20)
    assert.deepStrictEqual(yield* wrongCounts(sql), [])
    const lines = yield* Effect.provide(
      Effect.andThen(
        Effect.flatMap(Counters, ({ sweep }) => sweep),
        Logs
      ),
      Logs.layer
    )
    assert.isEmpty(lines.filter(({ level }) => level === "Warn"))
    const [row] = yield* sql<{ readonly hash: string; readonly sales: number }>`
      select md5(concat(
        (select string_agg(p::text, '' order by id) from (select id, title, owner_id, price_raw from posts) p),
        (select string_agg(c::text, '' order by id) from (select id, content, author_id, parent_comment_id from comments) c),
        (select string_agg(r::text, '' order by target_id, owner_id) from reactions r),
        (select string_agg(id::text, '' order by id) from settlements))) as hash,
        (select count(*) from purchases)::int4 as sales`
    assert.isAbove(row?.sales ?? 0, 40)
    return row?.hash
  }).pipe(Effect.provide(service(database(name))))

describe("a seed for growth", () => {
  it.live("Rows obey every key and counter, and are the same for the same number", () =>
    Effect.gen(function* () {
      const first = yield* filled("test_seed_one", 1)
      assert.strictEqual(yield* filled("test_seed_again", 1), first)
      assert.notStrictEqual(yield* filled("test_seed_other", 2), first)
    })
  )
})
