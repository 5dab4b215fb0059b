import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Migration, migrationsAfter } from "../../../../layers/postgres/migrations/Migration.ts"
import { lintMigrations } from "../../../support/migrationLint.ts"

const migrations = fileURLToPath(new URL("../../../../migrations", import.meta.url))

const of = (id: number, statements: ReadonlyArray<string>, name = "sample"): Migration => ({
  id,
  name,
  run: Effect.void,
  statements
})

/** Statements that hold up nothing for longer than a moment, each a migration of its own. */
const good: ReadonlyArray<string> = [
  "create table notes (id uuid primary key, post_id uuid not null references posts (id))",
  "create index concurrently if not exists posts_by on posts (created_at)",
  "create unique index concurrently if not exists posts_by on posts (created_at)",
  "drop index concurrently if exists posts_by",
  "alter table posts add column views integer",
  "alter table posts add column views integer not null default 0",
  "alter table posts add column tags text[] not null default '{}'::text[]",
  "alter table posts add column at timestamptz default current_timestamp",
  "alter table posts add constraint views_positive check (views >= 0) not valid",
  "alter table posts add constraint posts_owner foreign key (owner_id) references posts (id) not valid",
  "alter table posts add constraint posts_owner foreign key (owner_id) references owners (id) not valid",
  "create table notes (post_id uuid references posts (id), owner_id uuid references owners (id))",
  "alter table posts validate constraint views_positive",
  "alter table posts add constraint posts_key unique using index posts_by",
  "alter table posts alter column views drop not null",
  "alter table posts alter column views set default 1",
  "alter table posts set (fillfactor = 80)",
  "alter table posts drop constraint views_positive",
  "alter index posts_by rename to posts_by_time",
  "create or replace view public_posts as select * from posts",
  "insert into categories (id, name) values (1, 'Science')",
  "insert into parts select n from generate_series(0, 31) n",
  "update categories set name = 'Science' where id = 5",
  "update categories set name = 'Science' where id in (5, 6) and name <> ''",
  "delete from categories where id = $1",
  "create function twice(n integer) returns integer language sql immutable return n * 2",
  "comment on table posts is 'x'"
]

/** Statements that hold up requests, with what the lint says. */
const bad: ReadonlyArray<readonly [statement: string, said: RegExp]> = [
  ["create index posts_by on posts (created_at)", /concurrently if not exists/],
  ["CREATE  UNIQUE\nINDEX posts_by ON posts (created_at)", /concurrently if not exists/],
  ["create index concurrently posts_by on posts (created_at)", /cannot be repeated/],
  ["drop index concurrently posts_by", /cannot be repeated/],
  ["alter table posts add column views integer not null", /constant default/],
  ["alter table posts add column id2 uuid default gen_random_uuid()", /worker/],
  ["alter table posts add column n bigserial", /worker/],
  ["alter table posts add column n bigint generated always as identity", /worker/],
  ["alter table posts add column n integer generated always as (views * 2) stored", /worker/],
  ["alter table posts add column n integer check (n > 0)", /not valid/],
  ["alter table posts add column n uuid references owners (id)", /not valid/],
  ["alter table posts add column n uuid unique", /unique index concurrently/],
  ["alter table posts alter column views type bigint", /worker/],
  ["alter table posts alter views set data type bigint using views::bigint", /worker/],
  ["alter table posts add constraint views_positive check (views >= 0)", /not valid/],
  ["alter table posts add check (views >= 0)", /not valid/],
  ["alter table posts add constraint posts_owner foreign key (owner_id) references posts (id)", /not valid/],
  ["alter table posts add constraint posts_key unique (slug)", /using it/],
  ["alter table posts add primary key (id)", /using it/],
  ["alter table posts add column a integer, alter column views set not null", /is not null\) not valid/],
  ["alter table posts drop column views", /takes away column views.*contract_/],
  ["alter table posts rename column views to reads", /takes away the name views/],
  ["alter table posts rename to articles", /takes away the name posts/],
  ["drop table posts", /takes away posts/],
  ["drop view public_posts", /takes away public_posts/],
  ["truncate posts", /takes away all rows/],
  ["update posts set views = 0", /batches/],
  ["update posts set views = 0 where views is null", /batches/],
  ["update posts set views = 0 where id = 1 or true", /batches/],
  ["delete from posts", /batches/],
  ["insert into posts select * from old_posts", /batches/],
  ["alter table posts set logged", /worker/],
  ["do $$ begin update posts set views = 0; end $$", /not known/],
  ["vacuum full posts", /not known/],
  ["lock table posts", /not known/],
  ["drop table posts cascade", /not known/],
  ["alter table posts drop column views cascade", /not known/],
  ["with gone as (delete from posts returning id) select count(*) from gone", /not known/],
  ["with gone as (delete from posts returning id) insert into owners select id from gone", /not known/],
  ["drop function search_words(text)", /takes away an object/],
  ["alter function search_words(text) rename to words_of", /takes away the name/],
  ["cluster posts", /not known/],
  ["refresh materialized view counts", /not known/],
  ["alter table posts add column", /not known/],
  ["alter table posts add /* concurrently */ column a integer check (a > 0)", /not valid/]
]

describe("the lint of migrations", () => {
  it.effect("No migration after the baseline holds up requests", () =>
    Effect.gen(function* () {
      const all = yield* migrationsAfter(0, { migrations, triggers: [] })
      assert.isAtLeast(all.length, 8)
      assert.deepStrictEqual(yield* lintMigrations(all), [])
      const numbers = all.map(({ id }) => id)
      assert.lengthOf(new Set(numbers), numbers.length)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("Statements that let requests go on pass the lint", () =>
    Effect.gen(function* () {
      for (const statement of good)
        assert.deepStrictEqual(yield* lintMigrations([of(9, [statement])]), [], statement)
    })
  )

  it.effect("Statements that hold up requests are found, with what to write instead", () =>
    Effect.gen(function* () {
      for (const [statement, said] of bad) {
        const [first = "nothing is found", ...more] = yield* lintMigrations([of(9, [statement])])
        assert.match(first, said, statement)
        assert.isEmpty(more, statement)
        assert.isTrue(first.startsWith("0009_sample: "))
      }
    })
  )

  it.effect("The baseline may lock what it likes, because it runs on empty databases", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* lintMigrations([
          of(
            8,
            bad.map(([statement]) => statement)
          )
        ]),
        []
      )
    })
  )

  it.effect("A table of the same migration may be changed in any way", () =>
    Effect.gen(function* () {
      const statements = [
        "create table notes (id uuid primary key, text text)",
        "create index notes_text on notes (text)",
        "alter table notes alter column text set not null",
        "update notes set text = ''",
        "create table others (note_id uuid references notes (id))"
      ]
      assert.deepStrictEqual(yield* lintMigrations([of(9, statements)]), [])
      assert.lengthOf(yield* lintMigrations([of(9, statements.slice(0, 1)), of(10, statements.slice(1))]), 4)
    })
  )

  it.effect("A column may be required once a check for it is validated", () =>
    Effect.gen(function* () {
      const check = of(9, ["alter table posts add constraint has check (views is not null) not valid"])
      const validate = of(10, ["alter table posts validate constraint has"])
      const require = of(11, ["alter table posts alter column views set not null"])
      const other = of(11, ["alter table posts alter column slug set not null"])
      const elsewhere = of(11, ["alter table owners alter column views set not null"])
      assert.deepStrictEqual(yield* lintMigrations([check, validate, require]), [])
      assert.lengthOf(yield* lintMigrations([check, require]), 1)
      assert.lengthOf(yield* lintMigrations([check, validate, other]), 1)
      assert.lengthOf(yield* lintMigrations([check, validate, elsewhere]), 1)
    })
  )

  it.effect("A constraint is validated in another migration than it is added, which locks the table", () =>
    Effect.gen(function* () {
      const add = "alter table posts add constraint has check (views is not null) not valid"
      const validate = "alter table posts validate constraint has"
      assert.deepStrictEqual(yield* lintMigrations([of(9, [add]), of(10, [validate])]), [])
      assert.deepStrictEqual(yield* lintMigrations([of(9, [add, validate])]), [
        "0009_sample: It holds a lock for which requests wait while it reads rows. Write a migration for each."
      ])
    })
  )

  it.effect("A file of the contract phase may take away columns, tables and names", () =>
    Effect.gen(function* () {
      const removing = [
        "alter table posts drop column views",
        "drop table posts",
        "alter table posts rename to articles"
      ]
      for (const statement of removing)
        assert.deepStrictEqual(yield* lintMigrations([of(9, [statement], "contract_views")]), [])
    })
  )

  it.effect("A concurrent statement is alone in its migration, and so is the lock of a table", () =>
    Effect.gen(function* () {
      const index = "create index concurrently if not exists a on posts (a)"
      const column = "alter table posts add column a integer"
      assert.match((yield* lintMigrations([of(9, [column, index])])).join(), /migration of its own/)
      assert.deepStrictEqual(yield* lintMigrations([of(9, [index, index.replace(" a ", " b ")])]), [])
      const other = "alter table owners add column a integer"
      assert.deepStrictEqual(yield* lintMigrations([of(9, [column, other])]), [
        "0009_sample: It locks posts, owners until all of it is done. Write a migration for each."
      ])
      assert.lengthOf(
        yield* lintMigrations([of(9, ["drop trigger a on posts", "drop trigger b on owners"])]),
        1
      )
    })
  )
})
