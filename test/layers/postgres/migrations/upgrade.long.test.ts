import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { migrate } from "../../../../layers/postgres/migrate.ts"
import { onRealClock } from "../../../../layers/time/realClock.ts"
import { insertOwner, insertPost, ownerId, postId } from "../../../support/actors/storedOwner.ts"
import { freshDatabase } from "../../../support/Database.ts"
import { eventually } from "../../../support/eventually.ts"
import { migration, schemaOf } from "../../../support/migrations.ts"

const ROWS = 100_000

/** Returns the id of the comment of a number. */
const commentId = (n: number) => `00000000-0000-4000-8400-${String(n).padStart(12, "0")}`

/** Fills a database with comments on one post. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* insertOwner(1)
  yield* insertPost(1, ownerId(1), "published")
  yield* sql`
    insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent, by_agent)
    select id, ${postId(1)}, ${ownerId(1)}, 'Comment ' || n, id, 0, timestamptz '2026-01-01Z' + n * interval '1 second',
      n::text, '', false
    from generate_series(1, ${sql.literal(String(ROWS))}) n,
      lateral (select ('00000000-0000-4000-8400-' || lpad(n::text, 12, '0'))::uuid as id) ids`
  yield* sql`vacuum analyze comments`.unprepared
})
/** Rows that one statement of the worker fills. */
const BATCH = 500

/** A session as a request has it. A wait of more than 200 ms for any lock fails its statement. */
const impatient = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sql = yield* PgClient.makeClient({ url })
  yield* sql`set lock_timeout = '200ms'`
  return sql
})

/** Reads and writes one after the other until told to stop. Returns how many statements of each kind ran. */
const using = Effect.fnUntraced(function* (url: Redacted.Redacted, isOver: () => boolean) {
  let n = 0
  const looping = (statement: (sql: SqlClient.SqlClient, id: string) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const sql = yield* impatient(url)
      let count = 0
      for (; !isOver(); count += 1) yield* statement(sql, commentId(1 + ((n += 7_919) % ROWS)))
      return count
    })
  const newest = looping(
    (sql) =>
      sql`select id, content from public_comments where post_id = ${postId(1)} order by created_at desc, id desc limit 20`
  )
  const one = looping((sql, id) => sql`select content from public_comments where id = ${id}`)
  const edit = looping((sql, id) => sql`update comments set content = content || '.' where id = ${id}`)
  return yield* Effect.all([newest, one, one, edit, edit], { concurrency: "unbounded" })
})

/** Fills the new column as a worker does, in batches along the primary key. */
const fill = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  let after = commentId(0)
  while (true) {
    const rows = yield* sql<{ readonly id: string }>`
      update comments set words = length(content) where id in (
        select id from comments where id > ${after} and words is null order by id limit ${sql.literal(String(BATCH))})
      returning id`
    if (rows.length === 0) return
    after = rows.reduce((most, { id }) => (id > most ? id : most), after)
  }
})

const expand = {
  "9009_words.js": migration("alter table comments add column words integer"),
  "9010_by_words.js": migration(
    "create index concurrently if not exists comments_by_words on comments (words)"
  ),
  "9011_always.js": migration("alter table comments alter column words set default 0")
}
const demand = {
  ...expand,
  "9012_check.js": migration(
    "alter table comments add constraint comments_words check (words is not null) not valid"
  ),
  "9013_validate.js": migration("alter table comments validate constraint comments_words"),
  "9014_required.js": migration("alter table comments alter column words set not null")
}

describe("an upgrade", () => {
  it.effect("Reads and writes of 100,000 rows wait for no migration, worker or long transaction", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_migrations_upgrade")
      const sql = yield* PgClient.makeClient({ url, applicationName: "a long report" })
      yield* Effect.provideService(seed, SqlClient.SqlClient, sql)

      let isOver = false
      const requests = yield* Effect.forkChild(using(url, () => isOver))
      const lines: Array<string> = []
      const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      const waits = () =>
        lines.filter((line) => line.includes("Migration 9009_words waits for a transaction"))

      const migrating = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from comments limit 1`
          const schema = yield* schemaOf(expand)
          const fiber = yield* Effect.forkChild(Effect.provide(migrate(url, { schema }), log))
          yield* eventually(
            "four attempts of the migration",
            Effect.sync(() => waits().length >= 4)
          )
          return fiber
        })
      )
      yield* Fiber.join(migrating)
      yield* fill(sql)
      yield* migrate(url, { schema: yield* schemaOf(demand) })
      isOver = true

      for (const count of yield* Fiber.join(requests)) assert.isAbove(count, 100)
      assert.deepStrictEqual(
        yield* sql`select count(*)::int as rows, count(words)::int as filled,
          (select attnotnull from pg_attribute where attrelid = 'comments'::regclass and attname = 'words') as required,
          (select indisvalid from pg_index where indexrelid = 'comments_by_words'::regclass) as indexed from comments`,
        [{ rows: ROWS, filled: ROWS, required: true, indexed: true }]
      )
    }).pipe(Effect.provide(Reactivity.layer), onRealClock)
  )
})
