import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Exit, Layer, Option, Redacted, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { backup, type BackupOptions } from "../../../layers/backup/backup.ts"
import { restoreInto } from "../../../layers/backup/commands.ts"
import { findBackup, restore, type RestoreOptions, secretOf } from "../../../layers/backup/restore.ts"
import { migrate, ourSchema } from "../../../layers/postgres/migrate.ts"
import * as ObjectStorageMemory from "../../../layers/testing/ObjectStorageMemory.ts"
import { ObjectKey, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { emptyDatabase, freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { migration, schemaOf as schemaOfFiles } from "../../support/migrations.ts"
import { service } from "../../support/TestClient.ts"
import { schemaOf } from "./schemaOf.ts"

const SECRET = Redacted.make("a secret of the service that is backed up")

/** A table with every value that a text might change, and with every kind of key and index. */
const EXTREMES = [
  `create table backup_extremes (id int, at timestamptz, raw numeric(39), bytes bytea, list text[], json jsonb, words text,
    price float8, is_odd boolean, twice int generated always as (id * 2) stored, owner uuid,
    number int generated always as identity)`,
  "create unique index backup_extremes_id on backup_extremes (id desc nulls last) include (raw) where id > 0",
  "alter table backup_extremes add unique nulls not distinct (words, id) include (at) deferrable initially deferred",
  "alter table backup_extremes add exclude using btree (id with =) where (is_odd)",
  "alter table backup_extremes add foreign key (owner) references owners (id) on delete set null not valid"
]
const EXTREME_ROWS = String.raw`insert into backup_extremes values
    (1, 'infinity', 340282366920938463463374607431768211455, '\x00ff0a5c', array['a', null, 'b"\\,{}'], '{"a": [1, null, "é\\n"]}', E'line\nof "text" \\ \u2028 \U0001F600', 1e-300, true),
    (2, '2026-11-27 04:21:34.123456+00', 0, '', '{}', 'null', '', 'NaN', false),
    (3, null, null, null, null, null, null, null, null)`

/** The schema of the service, with more migrations after its own. */
const laterSchema = (files: Readonly<Record<string, string>>) =>
  schemaOfFiles(
    {
      ...Object.fromEntries(
        readdirSync(ourSchema.migrations)
          .filter((file) => file.endsWith(".ts"))
          .map((file) => [
            file,
            `export { default } from "${pathToFileURL(join(ourSchema.migrations, file)).href}"\n`
          ])
      ),
      ...files
    },
    ourSchema.triggers
  )

/** The schema of the service with the table of the extremes. */
const extremeSchema = laterSchema({ "9001_extremes.ts": migration(...EXTREMES) })

/** A database of this name with its tables, or a bare one, and an empty store. */
const place = Effect.fnUntraced(function* (name: string, isBare = false) {
  const url = yield* isBare ? emptyDatabase(name) : freshDatabase(name)
  const client = PgClient.layer({ url, maxConnections: 2 })
  const context = yield* Layer.build(
    Layer.mergeAll(client, Layer.fresh(ObjectStorageMemory.layer), SecureRandom.layerWebCrypto).pipe(
      Layer.provideMerge(NodeServices.layer)
    )
  )
  return {
    url,
    store: Context.get(context, ObjectStorage),
    within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
  }
})
type Place = Effect.Success<ReturnType<typeof place>>

/** An empty place for backups. */
const shelf = Effect.map(Layer.build(Layer.fresh(ObjectStorageMemory.layer)), (context) =>
  Context.get(context, ObjectStorage)
)

/** The rows and the schema of a database, for a comparison. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'effect_sql_migrations' order by 1`
  const migrations = yield* sql`select migration_id, name from effect_sql_migrations order by 1`
  const rows = yield* Effect.forEach(
    tables,
    ({ name }) =>
      sql`select ${name} as name, count(*)::int as count, md5(coalesce(string_agg(t::text, E'\n' order by t::text), '')) as digest
      from ${sql(name)} t`
  )
  return { migrations, rows, ...(yield* schemaOf) }
})

const options = (place: ObjectStorage["Service"]): BackupOptions => ({
  place,
  release: "0.0.0",
  secret: SECRET,
  withSecret: false,
  keep: Option.none(),
  progress: () => Effect.void
})

/** Fills a place as its users do. */
const used = Effect.fnUntraced(function* (name: string) {
  const source = yield* place(name)
  const press = service(pool(source.url))
  yield* Effect.provide(
    Effect.gen(function* () {
      const author = yield* commenterOf(1)
      const reader = yield* commenterOf(2)
      const post = yield* author.published()
      const said = yield* reader.say(post.id, "A penny well spent. \u{1F600}")
      yield* author.say(post.id, "Thanks!", { parent: said.id })
    }),
    press
  )
  yield* migrate(source.url, { schema: yield* extremeSchema })
  const sql = yield* source.within(SqlClient.SqlClient)
  yield* sql.unsafe(EXTREME_ROWS).unprepared
  for (const key of ["images/a/original.png", "images/b/original.webp", "zips/c"])
    yield* source.store.put(ObjectKey.make(key), new TextEncoder().encode(`bytes of ${key}`), {
      contentType: "image/png"
    })
  return source
})

/** An empty place that has the table of the extremes, too. */
const empty = Effect.fnUntraced(function* (name: string) {
  const target = yield* place(name)
  yield* migrate(target.url, { schema: yield* extremeSchema })
  return target
})

const restored = Effect.fnUntraced(function* (
  target: Place,
  from: ObjectStorage["Service"],
  { progress = () => Effect.void, schema }: Partial<Pick<RestoreOptions, "progress" | "schema">> = {}
) {
  const whole = schema ?? (yield* extremeSchema)
  return yield* target.within(
    Effect.flatMap(findBackup(from, Option.none()), (found) =>
      restore(from, found, { url: target.url, progress, schema: whole })
    )
  )
})

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("a backup", () => {
  it.live("A restored place has every row and object of the one that was backed up", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_source")
      const backups = yield* shelf
      const { manifest } = yield* source.within(backup(options(backups)))
      assert.strictEqual(manifest.objectCount, 3)
      assert.isAbove(manifest.tables.find(({ name }) => name === "comments")?.rows ?? 0, 1)

      const target = yield* empty("test_backup_target")
      yield* restored(target, backups)
      const before = yield* source.within(everything)
      assert.deepStrictEqual(yield* target.within(everything), before)
      for (const key of yield* Stream.runCollect(source.store.list(""))) {
        assert.deepStrictEqual(yield* target.store.read(key), yield* source.store.read(key))
        assert.deepStrictEqual(yield* target.store.stat(key), yield* source.store.stat(key))
      }
      // New rows get numbers after the restored ones.
      yield* Effect.provide(
        Effect.flatMap(commenterOf(3), (author) => author.published()),
        service(pool(target.url), 2)
      )
    })
  )

  it.live("A restored database has the schema of a fresh one, with the statistics of its rows", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_schema")
      const backups = yield* shelf
      yield* source.within(backup(options(backups)))
      const target = yield* empty("test_backup_schema_target")
      const fresh = yield* target.within(schemaOf)
      for (const part of Object.values(fresh)) assert.isNotEmpty(part)
      yield* restored(target, backups)
      assert.deepStrictEqual(yield* target.within(schemaOf), fresh)
      const sql = yield* target.within(SqlClient.SqlClient)
      const [posts] = yield* sql`select reltuples::int as rows from pg_class where relname = 'posts'`
      assert.strictEqual(posts?.["rows"], 1)
    })
  )

  it.live("A backup of an earlier release gets the later migrations, with its rows", () =>
    Effect.gen(function* () {
      const later = yield* laterSchema({
        "9001_extremes.ts": migration(...EXTREMES),
        "9002_moods.ts": migration(
          "create table backup_moods (post_id uuid primary key references posts (id), mood text not null)",
          "insert into backup_moods select id, title from posts",
          "create index backup_moods_mood on backup_moods (mood)",
          "alter table comments add column length integer",
          "update comments set length = char_length(content)"
        ),
        "9003_contract_extremes.ts": migration(
          "alter table comments alter column length set not null",
          "drop table backup_extremes"
        )
      })
      const source = yield* used("test_backup_earlier")
      const backups = yield* shelf
      const { manifest } = yield* source.within(backup(options(backups)))
      assert.strictEqual(manifest.migration, 9001)

      // A database that the later release made at its first start, and one without tables.
      const started = yield* place("test_backup_earlier_target")
      yield* migrate(started.url, { schema: later })
      const fresh = yield* started.within(schemaOf)
      const bare = yield* place("test_backup_earlier_bare", true)
      for (const target of [started, bare]) {
        yield* restored(target, backups, { schema: later })
        assert.deepStrictEqual(yield* target.within(schemaOf), fresh)
        const sql = yield* target.within(SqlClient.SqlClient)
        assert.deepStrictEqual(
          yield* sql`select mood = (select title from posts where id = post_id) as "isTitle" from backup_moods`,
          [{ isTitle: true }]
        )
        const [comments] = yield* sql<{ readonly count: number; readonly wrong: number }>`
          select count(*)::int as count, (count(*) filter (where length <> char_length(content)))::int as wrong
          from comments`
        assert.deepStrictEqual(comments, { count: 2, wrong: 0 })
        yield* Effect.provide(
          Effect.flatMap(commenterOf(3), (author) => author.published()),
          service(pool(target.url, { schema: later }), 2)
        )
        assert.match(yield* refusal(restored(target, backups, { schema: later })), /has accounts/)
      }

      // An older release cannot know what a newer one has.
      const older = yield* place("test_backup_earlier_older")
      const before = yield* older.within(everything)
      assert.match(
        yield* refusal(restored(older, backups, { schema: ourSchema })),
        /release 0\.0\.0 is at migration 9001, .*or a newer one/
      )
      assert.deepStrictEqual(yield* older.within(everything), before)
    })
  )

  it.live(
    "A restore that is stopped while it makes an index leaves the database as it was, and can be repeated",
    () =>
      Effect.gen(function* () {
        const source = yield* used("test_backup_stopped")
        const backups = yield* shelf
        yield* source.within(backup(options(backups)))
        const target = yield* empty("test_backup_stopped_target")
        const untouched = yield* target.within(everything)
        const told: Array<string> = []
        const stopped = restored(target, backups, {
          progress: (what, done, all = 0) => {
            told.push(what)
            return what.startsWith("making ") && done > all / 2 ? Effect.die("stopped") : Effect.void
          }
        })
        assert.isTrue(Exit.hasDies(yield* Effect.exit(stopped)))
        for (const what of ["checking files", "objects", "posts", "making posts_search"])
          assert.include(told, what)
        assert.deepStrictEqual(yield* target.within(everything), untouched)
        yield* restored(target, backups)
        assert.deepStrictEqual(yield* target.within(everything), yield* source.within(everything))
      })
  )

  it.live("A restore refuses a place that is in use, and a second backup changes nothing", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_twice")
      const backups = yield* shelf
      yield* source.within(backup(options(backups)))
      assert.match(yield* refusal(restored(source, backups)), /has accounts/)
      const target = yield* empty("test_backup_twice_target")
      const key = ObjectKey.make("images/other/original.png")
      yield* target.store.put(key, new Uint8Array([1]), { contentType: "image/png" })
      const untouched = yield* target.within(everything)
      assert.match(yield* refusal(restored(target, backups)), /not empty/)
      assert.deepStrictEqual(yield* target.within(everything), untouched)
      yield* target.store.remove(key)
      yield* restored(target, backups)
      const once = yield* target.within(everything)
      assert.match(yield* refusal(restored(target, backups)), /has accounts/)
      assert.deepStrictEqual(yield* target.within(everything), once)
    })
  )

  it.live("A damaged, missing or newer file is told, and leaves the database as it was", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_damaged")
      const intact = yield* shelf
      const { name } = yield* source.within(backup(options(intact)))
      const target = yield* empty("test_backup_damaged_target")
      const untouched = yield* target.within(everything)
      const harmed = (key: string, harm: (bytes: Uint8Array) => Uint8Array | undefined) =>
        Effect.gen(function* () {
          const copy = yield* shelf
          for (const each of yield* Stream.runCollect(intact.list(""))) {
            const bytes = yield* intact.read(each)
            const kept = each === `${name}/${key}` ? harm(bytes) : bytes
            if (kept !== undefined) yield* copy.put(each, kept, { contentType: "text/plain" })
          }
          return yield* refusal(restored(target, copy))
        })
      const flipped = (bytes: Uint8Array) =>
        bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))
      assert.match(yield* harmed("database/posts.jsonl.gz", flipped), /posts.*damaged/)
      assert.match(yield* harmed("objects.jsonl.gz", flipped), /damaged/)
      assert.match(yield* harmed("database/posts.jsonl.gz", () => undefined), /posts.*missing/)
      assert.match(
        yield* harmed("manifest.json", (bytes) => {
          const manifest = JSON.parse(new TextDecoder().decode(bytes))
          const tables = manifest.tables.filter(({ name }: { readonly name: string }) => name !== "posts")
          return new TextEncoder().encode(JSON.stringify({ ...manifest, tables }))
        }),
        /does not list the table posts/
      )
      assert.match(yield* harmed("manifest.json", () => undefined), /no complete backup/)
      assert.match(
        yield* harmed("manifest.json", () => new Uint8Array([1])),
        /has an unknown format, or is damaged/
      )
      assert.match(
        yield* harmed("manifest.json", (bytes) =>
          new TextEncoder().encode(
            new TextDecoder().decode(bytes).replace(/"migration":\d+/, `"migration":9999`)
          )
        ),
        /migration 9999/
      )
      assert.deepStrictEqual(yield* target.within(everything), untouched)
    })
  )

  it.live("Only the secret of the service restores its backup, from outside or from within", () =>
    Effect.gen(function* () {
      const source = yield* place("test_backup_secret")
      const backups = yield* shelf
      yield* source.within(backup(options(backups)))
      const found = yield* findBackup(backups, Option.none())
      const asked = (secret?: string) =>
        secretOf(
          backups,
          found,
          Option.map(Option.fromUndefinedOr(secret), (it) => Redacted.make(it))
        )
      assert.match(yield* refusal(asked()), /not in this backup/)
      assert.match(yield* refusal(asked("another secret of thirty-two characters")), /not the secret/)
      const rotated = `another secret of thirty-two characters,${Redacted.value(SECRET)}`
      assert.strictEqual(Redacted.value(yield* asked(rotated)), rotated)
      const all = yield* Stream.runCollect(backups.list(""))
      for (const key of all)
        assert.notInclude(new TextDecoder().decode(yield* backups.read(key)), Redacted.value(SECRET))

      const withSecret = yield* shelf
      yield* source.within(backup({ ...options(withSecret), withSecret: true }))
      const own = yield* findBackup(withSecret, Option.none())
      assert.deepStrictEqual(yield* secretOf(withSecret, own, Option.none()), SECRET)
    })
  )

  it.live("A place keeps as many backups as it is told, and names the ones that it has", () =>
    Effect.gen(function* () {
      const source = yield* place("test_backup_keep")
      const backups = yield* shelf
      const older = ["2026-01-01t00-00-00z-00aa", "2026-01-02t00-00-00z-00aa", "2026-01-03t00-00-00z-00aa"]
      for (const name of older)
        yield* backups.put(ObjectKey.make(`${name}/manifest.json`), new Uint8Array([1]), {
          contentType: "application/json"
        })
      yield* backups.put(
        ObjectKey.make("2025-01-01t00-00-00z-00aa/database/posts.jsonl.gz"),
        new Uint8Array([1]),
        {
          contentType: "application/gzip"
        }
      )
      yield* backups.put(ObjectKey.make("notes.txt"), new Uint8Array([1]), { contentType: "text/plain" })
      const { name } = yield* source.within(backup({ ...options(backups), keep: Option.some(2) }))
      const tops = new Set((yield* Stream.runCollect(backups.list(""))).map((key) => key.split("/")[0]))
      assert.deepStrictEqual([...tops].toSorted(), ["2026-01-03t00-00-00z-00aa", name, "notes.txt"])
      const message = yield* refusal(findBackup(backups, Option.some("2026-01-01t00-00-00z-00aa")))
      assert.include(message, name)
    })
  )

  it.live("A backup of the same second has another name, and one that runs is not cut off by another", () =>
    Effect.gen(function* () {
      const source = yield* place("test_backup_overlap")
      const backups = yield* shelf
      const keeping = backup({ ...options(backups), keep: Option.some(1) })
      let other: Option.Option<string> = Option.none()
      const { name } = yield* source.within(
        backup({
          ...options(backups),
          progress: () =>
            Option.isSome(other)
              ? Effect.void
              : Effect.map(Effect.orDie(source.within(keeping)), (made) => {
                  other = Option.some(made.name)
                })
        })
      )
      assert.isTrue(Option.isSome(other) && other.value !== name)
      const found = yield* findBackup(backups, Option.some(name))
      const target = yield* place("test_backup_overlap_target")
      yield* target.within(restore(backups, found, { url: target.url, progress: () => Effect.void }))
    })
  )

  it.live("A backup that is stopped, or would contain itself, leaves nothing", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_stopped")
      const backups = yield* shelf
      yield* Effect.exit(
        source.within(backup({ ...options(backups), withSecret: true, progress: () => Effect.interrupt }))
      )
      assert.deepStrictEqual(yield* Stream.runCollect(backups.list("")), [])
      const objects = yield* Stream.runCollect(source.store.list(""))
      const message = yield* refusal(source.within(backup(options(source.store))))
      assert.match(message, /inside the store of images.*Name another folder/)
      assert.deepStrictEqual(yield* Stream.runCollect(source.store.list("")), objects)
    })
  )

  it.live("A place that does not answer is told with the reason, and without its key", () =>
    Effect.gen(function* () {
      const into = join(yield* temporaryDirectory, "restored")
      const from = "s3://key:s3cret@127.0.0.1/bucket?endpoint=http://127.0.0.1:1"
      const asked = { from, into, backup: Option.none(), progress: () => Effect.void }
      const message = yield* refusal(
        restoreInto(asked).pipe(
          Effect.provide(NodeServices.layer),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} }))
        )
      )
      assert.match(message, /failed \(.*ECONNREFUSED\)\. Correct that/)
      assert.notInclude(message, "s3cret")
      assert.isFalse(existsSync(into))
    })
  )

  it.live("An object that is removed or added meanwhile does not stop a backup", () =>
    Effect.gen(function* () {
      const source = yield* used("test_backup_meanwhile")
      const backups = yield* shelf
      let tables = 0
      const { manifest } = yield* source.within(
        backup({
          ...options(backups),
          progress: (what) =>
            what === "objects" || tables++ > 0
              ? Effect.void
              : Effect.orDie(
                  Effect.andThen(
                    source.store.remove(ObjectKey.make("images/a/original.png")),
                    source.store.put(ObjectKey.make("images/d/original.png"), new Uint8Array([4]), {
                      contentType: "image/png"
                    })
                  )
                )
        })
      )
      assert.strictEqual(manifest.objectCount, 4)
      yield* restored(yield* empty("test_backup_meanwhile_target"), backups)
    })
  )
})
