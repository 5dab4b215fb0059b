import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { holdLocks } from "../../../layers/processes/holdLocks.ts"
import { settingLocks } from "../../../layers/processes/settingLocks.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { read } from "../config/problems.ts"

const S3_URL = "s3://key:secret@store.invalid/press"

/** Returns the locks of a process with this environment. */
const locksOf = (env: Record<string, string>) => Effect.map(read(env), settingLocks)

/** A process with files of its own. */
const alone = Effect.flatMap(temporaryDirectory, (PENNYPRESS_DATA) => locksOf({ PENNYPRESS_DATA }))

/** Returns the sentence with which a start is refused; undefined for one that succeeds. */
const refusal = (url: Redacted.Redacted, locks: Effect.Success<typeof alone>) =>
  holdLocks(url, locks).pipe(
    Effect.scoped,
    Effect.as(undefined),
    Effect.catchTag("FilesNotShared", ({ message }) => Effect.succeed(message))
  )

/** Counts the processes with locks. */
const count = (url: Redacted.Redacted) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly count: number }>`
      select count(distinct pid)::int4 as count from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
  ).pipe(
    Effect.map(([row]) => row?.count ?? 0),
    Effect.provide(pool(url)),
    Effect.scoped
  )

/** Cuts the connections that hold locks, as a fault of the network does. */
const cut = (url: Redacted.Redacted) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
  ).pipe(Effect.provide(pool(url)), Effect.scoped)

describe("the locks of processes", () => {
  it.live("Processes with the same files serve one database together", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_shared")
      const locks = yield* alone
      yield* holdLocks(url, locks)
      assert.isUndefined(yield* refusal(url, locks))
    })
  )

  it.live("Processes share a bucket by any address of its store, and no other bucket", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_bucket")
      yield* holdLocks(url, yield* locksOf({ S3_URL }))
      assert.isUndefined(
        yield* refusal(url, yield* locksOf({ S3_URL: `${S3_URL}?endpoint=http://10.0.0.7:9000` }))
      )
      assert.isDefined(yield* refusal(url, yield* locksOf({ S3_URL: `${S3_URL}?prefix=other` })))
    })
  )

  it.live("A process with files of its own is refused with what to do, until the other has ended", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_alone")
      const [one, other, s3] = [yield* alone, yield* alone, yield* locksOf({ S3_URL })]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* holdLocks(url, one)
          for (const locks of [other, s3])
            assert.match(
              (yield* refusal(url, locks)) ?? "",
              /^Another process .* \(pennypress on \S+ since .*Z\)\. Set the same S3_URL .* stop that process first\.$/
            )
        })
      )
      assert.isUndefined(yield* refusal(url, other))
    })
  )

  it.live("Of two processes with different files that start together, one is refused", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_race")
      const held = (locks: Effect.Success<typeof alone>) => Effect.result(holdLocks(url, locks))
      const results = yield* Effect.all([held(yield* alone), held(yield* alone)], { concurrency: 2 })
      assert.sameMembers(
        results.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
    })
  )

  it.live("A process whose connection is lost takes its locks again", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_again")
      const lost = yield* Effect.forkScoped((yield* holdLocks(url, yield* alone)).heldNoMore)
      yield* cut(url)
      yield* eventually(
        "locks again",
        Effect.map(count(url), (held) => held === 1)
      )
      assert.isDefined(yield* refusal(url, yield* alone))
      assert.isUndefined(lost.pollUnsafe())
    })
  )

  it.live("A process ends when one with other files began while its connection was lost", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_locks_lost")
      const { heldNoMore } = yield* holdLocks(url, yield* alone)
      yield* cut(url)
      yield* holdLocks(url, yield* alone)
      const ended = yield* Effect.forkScoped(Effect.flip(heldNoMore))
      const { _tag, message } = yield* Fiber.join(ended)
      assert.strictEqual(_tag, "FilesNotShared")
      assert.include(message, "stop that process first")
    })
  )
})
