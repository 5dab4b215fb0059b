import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { analyzed } from "../../../../layers/postgres/migrations/analyzed.ts"
import { onRealClock } from "../../../../layers/time/realClock.ts"
import { emptyDatabase } from "../../../support/Database.ts"

/** Tables in order from the weakest lock to the strongest. */
const MODES = [
  "AccessShareLock",
  "RowShareLock",
  "RowExclusiveLock",
  "ShareUpdateExclusiveLock",
  "ShareLock",
  "ShareRowExclusiveLock",
  "ExclusiveLock",
  "AccessExclusiveLock"
]

const schema = [
  "create table owners (id int primary key, handle text)",
  "create table posts (id int primary key, owner_id int, views int, words text, constraint views_known check (views > 0) not valid)",
  "create index posts_views on posts (views)",
  "create unique index posts_unique on posts (id, views)",
  "create view some_posts as select id from posts",
  "create function act() returns trigger language plpgsql as 'begin return new; end'",
  "create trigger acting before insert on posts for each row execute function act()",
  "insert into posts (id, views) values (1, 1)"
]

/** A statement of each kind that runs in a transaction. */
const statements = [
  "create table notes (id int primary key references posts (id), other int references owners (id))",
  "create table more (like posts)",
  "create table child () inherits (posts)",
  "create index posts_words on posts (words)",
  "drop index posts_views",
  "alter table posts add column a int",
  "alter table posts add column a int not null default 1",
  "alter table posts add column a int default (random() * 5)::int",
  "alter table posts add column a bigserial",
  "alter table posts add column a int generated always as (views * 2) stored",
  "alter table posts add column a int references owners (id)",
  "alter table posts add constraint c check (views > 0) not valid",
  "alter table posts add constraint c check (views > 0)",
  "alter table posts add constraint c foreign key (owner_id) references owners (id) not valid",
  "alter table posts add constraint c unique (views)",
  "alter table posts add constraint c unique using index posts_unique",
  "alter table posts validate constraint views_known",
  "alter table posts drop constraint views_known",
  "alter table posts alter column views type bigint",
  "alter table posts alter column views set not null",
  "alter table posts alter column views set default 1",
  "alter table posts alter column views set statistics 200",
  "alter table posts set (fillfactor = 80)",
  "alter table posts disable trigger acting",
  "alter table posts drop column words",
  "alter table posts rename column words to text",
  "alter table posts rename to articles",
  "alter index posts_views rename to posts_by_views",
  "drop trigger acting on posts",
  "create or replace trigger acting before insert on posts for each row execute function act()",
  "create or replace view some_posts as select id from posts",
  "drop view some_posts",
  "drop table owners",
  "truncate owners",
  "insert into owners (id) values (7)",
  "update posts set views = 2",
  "delete from posts",
  "comment on table posts is 'text'",
  "create function twice(n integer) returns integer language sql immutable return n * 2"
]

const camel = (mode: string) =>
  `${mode.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())}Lock`

describe("locks", () => {
  it.effect("Each kind of statement takes the locks that the plan says, and rewrites what it says", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase("test_migrations_locks")
      const sql = yield* PgClient.makeClient({ url })
      for (const statement of schema) yield* sql.unsafe(statement)
      const files = sql<{ readonly name: string; readonly file: number }>`
        select relname as name, pg_relation_filenode(oid)::int8::int4 as file from pg_class where relname in ('posts', 'owners')`
      for (const statement of statements) {
        const [migration] = yield* analyzed([
          { id: 9, name: "one", run: Effect.void, statements: [statement] }
        ])
        const said = migration?.statements[0]?.locks ?? assert.fail(statement)
        const strongest = (modes: ReadonlyArray<string>) =>
          Math.max(-1, ...modes.map((mode) => MODES.indexOf(mode)))
        const seen = yield* Effect.gen(function* () {
          const before = yield* files
          const oids = yield* sql<{
            readonly oid: bigint
          }>`select oid::int8 as oid from pg_class where relnamespace = 'public'::regnamespace`
          const names = yield* sql<{
            readonly oid: bigint
            readonly name: string
          }>`select oid::int8 as oid, relname as name from pg_class`
          yield* sql.unsafe(statement).unprepared
          const locks = yield* sql<{ readonly oid: bigint; readonly mode: string }>`
            select relation::int8 as oid, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'
              and relation = any(${oids.map(({ oid }) => oid)}::int8[])`
          const after = yield* files
          return yield* Effect.fail({ after, before, locks, names })
        }).pipe(sql.withTransaction, Effect.flip)
        if (!("locks" in seen)) return assert.fail(`${statement}: ${seen.message}`)
        const { after, before, locks, names } = seen
        const nameOf = (oid: bigint) => names.find((it) => it.oid === oid)?.name
        for (const relation of ["posts", "owners", "some_posts", "posts_views"]) {
          const real = strongest(locks.filter(({ oid }) => nameOf(oid) === relation).map(({ mode }) => mode))
          const tableOf = (name: string) => (statement === "drop index posts_views" ? "posts" : name)
          const planned = strongest(
            said.filter((it) => tableOf(it.relation) === relation).map(({ mode }) => camel(mode))
          )
          // A reader's lock holds up nothing, and indexes follow their table.
          const isTold = planned >= 0 || (real > 1 && relation !== "posts_views" && relation !== "some_posts")
          if (isTold) assert.strictEqual(MODES[planned], MODES[real], `${statement}: ${relation}`)
        }
        const fileOf = (rows: typeof before) => rows.find(({ name }) => name === "posts")?.file
        const isSame = fileOf(before) === fileOf(after) || fileOf(after) === undefined
        const isRewritten = said.some(({ work }) => work === "rewrites the table")
        assert.strictEqual(!isSame, isRewritten, statement)
      }
    }).pipe(Effect.provide(Reactivity.layer), onRealClock)
  )
})
