import { assert, layer } from "@effect/vitest"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Cause, Effect, Exit, Layer, Logger, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keysOf } from "../api-keys/keys.ts"
import { database } from "../support/Database.ts"
import { signIn, walletOf } from "../support/owners.ts"
import { service, Wire } from "../support/Wire.ts"
import { challengeOf, claimOf, sendClaim, sendRefresh } from "./flows.ts"

/** What one run wrote and issued. */
const recorder = () => {
  const logs: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const logger = Logger.make((options: Logger.Options<unknown>) => {
    logs.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const watched = Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Trace"),
    Layer.succeed(Tracer.Tracer, tracer)
  )
  // What an exporter sends of a span; the value of a success stays in memory.
  const failureOf = ({ status }: Tracer.NativeSpan) =>
    status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
  const exported = (span: Tracer.NativeSpan) =>
    JSON.stringify([span.name, [...span.attributes], span.events, failureOf(span)], (_, value) =>
      typeof value === "bigint" ? String(value) : value
    )
  const seen = () => ({ logs, spans: spans.map(exported) })
  return { watched, seen }
}

/** Every row of every table, as the text that a dump has. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const rows: Array<string> = []
  for (const { name } of tables) {
    for (const { row } of yield* sql<{ readonly row: string }>`select t::text as row from ${sql(name)} t`)
      rows.push(row)
  }
  return rows
})

/** The ways in which a secret could be written. */
const spellings = (secret: string) => {
  const bytes = utf8ToBytes(secret)
  return [
    secret,
    bytesToHex(bytes),
    Buffer.from(bytes).toString("base64").replace(/=+$/, ""),
    encodeURIComponent(secret)
  ]
}

const assertAbsent = (secrets: ReadonlyArray<string>, where: string, texts: ReadonlyArray<string>) => {
  const text = texts.join("\n").toLowerCase()
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      const place = text.indexOf(spelling.toLowerCase())
      assert.strictEqual(place, -1, `${where}: …${text.slice(Math.max(0, place - 80), place + 80)}…`)
    }
  }
}

/** A flow through every operation that issues or takes a secret, with all that it issued and was refused. */
const flow = Effect.gen(function* () {
  const wire = yield* Wire
  const secrets: Array<string> = []
  const refusals: Array<string> = []
  const refused = Effect.map(({ status, text }: { status: number; text: string }) => {
    assert.isAbove(status, 399, text)
    refusals.push(text)
  })

  const first = yield* signIn(1)
  const second = (yield* sendRefresh(first.refreshToken)).body
  const retried = (yield* sendRefresh(first.refreshToken)).body
  const keys = yield* keysOf(second.accessToken)
  const name = { "idempotency-key": "one" }
  const issued = (yield* keys.issue({ label: "laptop" }, name)).body
  const rotated = (yield* keys.rotate(issued.apiKey.keyId)).body
  for (const pair of [first, second, retried]) {
    secrets.push(pair.accessToken, pair.accessToken.split(".")[2]!, pair.refreshToken.slice(4))
  }
  secrets.push(issued.key.split("_")[2], rotated.key.split("_")[2])
  for (const token of [second.accessToken, rotated.key]) yield* wire.send("GET", "/api/v1/me", { token })

  const wallet = walletOf(2)
  const challenge = yield* challengeOf(wallet)
  const claim = claimOf(wallet, challenge)
  const stolen = (yield* sendClaim(claim)).body
  secrets.push(stolen.accessToken, stolen.refreshToken.slice(4))
  yield* refused(sendClaim(claim))
  yield* refused(sendClaim({ ...claim, signature: stolen.refreshToken }))
  yield* refused(sendClaim({ ...claim, challengeId: stolen.accessToken }))
  yield* refused(keys.issue({ label: "laptop" }, name))
  yield* refused(keys.issue({ label: rotated.key.repeat(2) }))
  yield* refused(keys.issue({ expiresAt: rotated.key }))
  yield* refused(keys.issue({}, { "idempotency-key": `${rotated.key} ${rotated.key}` }))
  yield* refused(keys.revoke(rotated.key))
  yield* refused(keys.rotate(second.refreshToken))
  yield* refused(sendRefresh([second.refreshToken]))
  yield* refused(
    wire.send("POST", "/api/v1/auth/refresh", { body: `{"refreshToken":"${second.refreshToken}"` })
  )
  yield* refused(wire.send("GET", `/api/v1/none/${second.accessToken}?token=${second.refreshToken}`))
  yield* refused(wire.send("GET", "/api/v1/me", { token: `${rotated.key}0` }))
  yield* refused(wire.send("GET", "/api/v1/profile", { token: second.accessToken }))
  yield* refused(wire.send("GET", "/api/v1/api-keys", { token: rotated.key }))
  yield* refused(wire.send("DELETE", "/api/v1/api-keys", { token: second.accessToken }))

  yield* TestClock.adjust("1 minute")
  const third = (yield* sendRefresh(second.refreshToken)).body
  secrets.push(third.accessToken, third.refreshToken.slice(4))
  yield* wire.send("POST", "/api/v1/auth/logout", { token: stolen.accessToken })
  yield* refused(sendRefresh(stolen.refreshToken))
  return { first, key: rotated.key as string, refusals, refused, secrets, third }
})

layer(service(database("test_nothing_secret")))("nothing secret (contract of all operations)", (it) => {
  it.effect(
    "appears in logs, spans, tables or error answers, when all goes well and when the database fails",
    () =>
      Effect.gen(function* () {
        const { seen, watched } = recorder()
        const { first, key, refusals, refused, secrets, third } = yield* Effect.provide(flow, watched)
        assertAbsent(secrets, "tables", yield* dump)

        const sql = yield* SqlClient.SqlClient
        const wire = yield* Wire
        yield* Effect.gen(function* () {
          const away = {
            refresh_tokens: sendRefresh(third.refreshToken),
            sessions: wire.send("GET", "/api/v1/me", { token: third.accessToken }),
            api_keys: wire.send("GET", "/api/v1/me", { token: key })
          }
          for (const [table, request] of Object.entries(away)) {
            yield* sql`alter table ${sql(table)} rename to away`
            yield* refused(request)
            yield* sql`alter table away rename to ${sql(table)}`
          }
          // Reuse is a warning of the log.
          yield* refused(sendRefresh(first.refreshToken))
        }).pipe(Effect.provide(watched))

        const { logs, spans } = seen()
        assert.isAbove(logs.length, 50)
        assert.isAbove(spans.length, 50)
        assert.include(logs.join("\n"), "A refresh token was reused")
        assert.include(logs.join("\n"), "A request died")
        assertAbsent(secrets, "logs", logs)
        assertAbsent(secrets, "spans", spans)
        assertAbsent(secrets, "error answers", refusals)
      })
  )
})
