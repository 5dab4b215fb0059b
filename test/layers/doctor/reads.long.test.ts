import { createServer } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"
import { primaryAndStandby } from "../../wire/ownPostgres.ts"
import { examined } from "./examined.ts"

const administrator = (url: string) =>
  Effect.provide(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), Reactivity.layer)

it.live("The doctor says whether the database of reads answers, is a standby, and how far it is behind", () =>
  Effect.gen(function* () {
    const { primary, standby } = yield* primaryAndStandby
    const [onPrimary, onStandby] = [yield* administrator(primary.url), yield* administrator(standby.url)]
    yield* onPrimary`create role pennypress login password 'of-tests'`
    const of = (url: string) => url.replace(/\/\/[^@]*@/u, "//pennypress:of-tests@")
    const examine = Effect.fnUntraced(function* (url: string) {
      const env = {
        DATABASE_URL: of(primary.url),
        DATABASE_READ_URL: url,
        SERVER_SECRET: "s".repeat(32)
      }
      const [finding, ...others] = (yield* examined(env))("reads")
      assert.isEmpty(others)
      assert.notMatch(JSON.stringify(finding), /s3cret|of-tests/)
      return `${finding?.state}: ${finding?.said}`
    })
    yield* eventually(
      "the role",
      Effect.map(examine(of(standby.url)), (line) =>
        /^ok: It is a standby, \d\.\d s behind the primary\.$/.test(line)
      )
    )
    assert.strictEqual(yield* examine(of(primary.url)), "ok: It is the primary now.")
    assert.match(
      yield* examine(of(standby.url).replace(/\w+$/, "template1")),
      /^fault: It is a different database/
    )
    const silent = yield* listening(createServer())
    for (const url of ["postgres://a:s3cret@127.0.0.1:1/none", `postgres://127.0.0.1:${silent}/postgres`])
      assert.strictEqual(yield* examine(url), "fault: It does not answer.")
    yield* onStandby`select pg_wal_replay_pause()`
    yield* onPrimary`create table behind (id int)`
    assert.match(
      yield* examine(of(standby.url)),
      /^warning: It is a standby, more than 5 s and \d+ bytes of the log behind the primary\.$/
    )
  })
)
