import { writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { listening } from "../../support/listening.ts"
import { rawServer, smtpServer } from "../mail/smtpServer.ts"
import { scriptedNode } from "../nano/scriptedNode.ts"
import { examined, states } from "./examined.ts"

const SERVER_SECRET = "a secret for the tests of the doctor"

/** Examines a set-up with this database. */
const withDatabase = (url: Redacted.Redacted) =>
  Effect.map(examined({ DATABASE_URL: Redacted.value(url), SERVER_SECRET }), (of) => of("database"))

/** Changes a database as its operator. */
const changing = (
  url: Redacted.Redacted,
  change: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>
) => Effect.provide(Effect.flatMap(SqlClient.SqlClient, change), pool(url))

/** Examines a set-up whose public address is this server. */
const withSite = (answer: RequestListener, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const port = yield* listening(createServer(answer))
    // An address of this machine that is not called local.
    const of = yield* examined({ PUBLIC_BASE_URL: `http://0.0.0.0:${port}`, NANO_LEDGER: "off", ...env })
    return of("site")
  })

/** A service behind a proxy: it shows its metrics to whom it takes for a caller of its own network. */
const service =
  (isPrivate: (forwarded: string | undefined) => boolean): RequestListener =>
  ({ headers, url }, response) => {
    const forwarded = headers["x-forwarded-for"]
    const isShown = url === "/health/ready" || isPrivate(Array.isArray(forwarded) ? forwarded[0] : forwarded)
    response.writeHead(isShown ? 200 : 404, { "x-request-id": "1" }).end()
  }

describe("the doctor", () => {
  it.live("A variable that cannot be read is a fault, and no other part is examined", () =>
    Effect.gen(function* () {
      const of = yield* examined({ PORT: "abc", RATE_LIMIT_FACTOR: "-1" })
      const found = of("configuration")
      assert.deepStrictEqual(states(found), ["fault", "fault"])
      assert.match(found[0]!.said, /^PORT: /)
      assert.isEmpty(of("database"))
    })
  )

  it.live("A database that answers and takes writes is well, with or without its tables", () =>
    Effect.gen(function* () {
      const name = "test_doctor_database"
      const url = yield* freshDatabase(name)
      // The server of the tests is careless, for speed.
      yield* changing(url, (sql) => sql`alter database ${sql(name)} set synchronous_commit = on`)
      assert.deepStrictEqual(states(yield* withDatabase(url)), ["ok"])
      yield* changing(url, (sql) => sql`delete from effect_sql_migrations where migration_id > 3`)
      const behind = yield* withDatabase(url)
      assert.deepStrictEqual(states(behind), ["ok", "ok"])
      assert.include(behind[1]!.said, "It is at migration 3")
    })
  )

  it.live("A database that is unreachable, read-only, newer or careless is told, with what to do", () =>
    Effect.gen(function* () {
      const away = yield* withDatabase(Redacted.make("postgres://a:s3cret@127.0.0.1:1/none"))
      assert.deepStrictEqual(states(away), ["fault"])
      assert.include(away[0]!.said, "connect ECONNREFUSED 127.0.0.1:1.")
      assert.notInclude(JSON.stringify(away), "s3cret")
      const server = new URL(Redacted.value(yield* freshDatabase("test_doctor_login")))
      const refused = (change: (url: URL) => void) => {
        const url = new URL(server)
        change(url)
        return Effect.map(withDatabase(Redacted.make(url.href)), ([finding]) => finding?.said)
      }
      assert.include(
        yield* refused((url) => (url.password = "s3cret")),
        `password authentication failed for user "${server.username}"`
      )
      assert.include(
        yield* refused((url) => (url.pathname = "/no_such")),
        'database "no_such" does not exist'
      )

      const name = "test_doctor_broken"
      const url = yield* freshDatabase(name)
      yield* changing(
        url,
        (sql) => sql`insert into effect_sql_migrations (migration_id, name) values (9998, 'of_the_future')`
      )
      const newer = (yield* withDatabase(url)).at(-1)
      assert.strictEqual(newer?.state, "ok")
      assert.include(newer?.said, "9998, but this release has none after 8. The two are compatible.")
      yield* changing(url, (sql) =>
        Effect.all([
          sql`insert into effect_sql_migrations (migration_id, name) values (9999, 'contract_of_the_future')`,
          sql`alter database ${sql(name)} set synchronous_commit = off`,
          sql`alter database ${sql(name)} set default_transaction_read_only = on`
        ])
      )
      const broken = yield* withDatabase(url)
      assert.deepStrictEqual(states(broken), ["ok", "fault", "warning", "fault"])
      assert.include(broken[1]!.said, "does not accept writes")
      assert.include(broken[2]!.said, "synchronous_commit")
      assert.include(broken[3]!.said, "9999")
      for (const { advice, state } of broken) assert.strictEqual(advice === null, state === "ok")
    })
  )

  it.live("A direct URL to another database is a fault, and so are several hosts without a primary", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase("test_doctor_direct"))
      const others = Redacted.value(yield* freshDatabase("test_doctor_direct_other"))
      const directed = (DATABASE_DIRECT_URL: string, DATABASE_URL = url) =>
        Effect.map(examined({ DATABASE_URL, DATABASE_DIRECT_URL, SERVER_SECRET }), (of) =>
          of("database").filter(({ state }) => state === "fault")
        )
      assert.isEmpty(yield* directed(url))
      const [other, ...more] = yield* directed(others)
      assert.include(other!.said, "different databases")
      assert.isEmpty(more)
      const [away] = yield* directed("postgres://a:s3cret@127.0.0.1:1/none")
      assert.include(away!.said, "DATABASE_DIRECT_URL cannot be used: connect ECONNREFUSED")
      const [none] = yield* directed(url, "postgres://a:s3cret@127.0.0.1:1,127.0.0.1:2/none")
      assert.include(none!.said, "No host accepts writes: connect ECONNREFUSED 127.0.0.1:1; connect")
    })
  )

  it.live("A folder of objects that is closed to the account is a fault", () =>
    Effect.gen(function* () {
      const PENNYPRESS_DATA = yield* temporaryDirectory
      const first = yield* examined({ PENNYPRESS_DATA })
      assert.deepStrictEqual(states(first("storage")), ["ok"])
      const file = join(PENNYPRESS_DATA, "file")
      writeFileSync(file, "")
      const [none] = (yield* examined({ PENNYPRESS_DATA: file }))("storage")
      assert.strictEqual(none?.state, "fault")
      assert.include(none?.advice, "is a folder")
      assert.deepStrictEqual(states(first("disk")).includes("fault"), false)
      const shared = yield* examined({
        PENNYPRESS_DATA,
        DATABASE_URL: "postgres://a@127.0.0.1:1/none",
        SERVER_SECRET
      })
      assert.deepStrictEqual(states(shared("storage")), ["ok", "warning"])
      const away = yield* examined({ S3_URL: "s3://key:s3cret@127.0.0.1/bucket?endpoint=http://127.0.0.1:1" })
      assert.deepStrictEqual(states(away("storage")), ["fault"])
      assert.notInclude(JSON.stringify(away("storage")), "s3cret")
    })
  )

  it.live("The age of the definitions decides about the scanner", () =>
    Effect.gen(function* () {
      const old = yield* rawServer((socket) =>
        socket.once("data", () => socket.end("ClamAV 1.4.6/27000/Fri Nov 20 09:00:00 2020\0"))
      )
      const bare = yield* rawServer((socket) => socket.once("data", () => socket.end("ClamAV 1.4.6\0")))
      const scannerOf = (port: number, days: string) =>
        Effect.map(
          examined({
            SCANNER: "clamd",
            CLAMD_URL: `tcp://127.0.0.1:${port}`,
            SCANNER_DEFINITIONS_MAX_AGE_DAYS: days
          }),
          (of) => states(of("scanner"))
        )
      assert.deepStrictEqual(yield* scannerOf(old, "7"), ["ok", "fault"])
      assert.deepStrictEqual(yield* scannerOf(old, "off"), ["ok", "warning"])
      assert.deepStrictEqual(yield* scannerOf(bare, "7"), ["ok", "fault"])
      assert.deepStrictEqual(yield* scannerOf(bare, "off"), ["ok", "warning"])
      assert.deepStrictEqual(yield* scannerOf(1, "7"), ["fault"])
      assert.deepStrictEqual(states((yield* examined({}))("scanner")), ["warning"])
    })
  )

  it.live("A mail server has to greet, and the domain of the sender should say who sends for it", () =>
    Effect.gen(function* () {
      const { port } = yield* smtpServer()
      const mailOf = (SMTP_URL: string) =>
        Effect.map(examined({ SMTP_URL, MAIL_FROM: "press@nowhere.invalid" }), (of) => of("mail"))
      const greeted = yield* mailOf(`smtp://127.0.0.1:${port}?starttls=never`)
      assert.deepStrictEqual(states(greeted), ["ok", "warning", "warning", "warning"])
      assert.include(greeted[1]!.said, "nowhere.invalid has no SPF record")
      const away = yield* mailOf("smtp://press:s3cret@127.0.0.1:1")
      assert.deepStrictEqual(states(away), ["fault"])
      assert.notInclude(JSON.stringify(away), "s3cret")
    })
  )

  it.live("A node has to answer, to be on the network and to have caught up", () =>
    Effect.gen(function* () {
      const node = (network: string, cemented: number) =>
        Effect.map(
          scriptedNode(({ action }) =>
            action === "version"
              ? { network, node_vendor: "Nano V28.1" }
              : { count: "100000", unchecked: "0", cemented: String(cemented) }
          ),
          ({ url }) => url
        )
      const urls = [yield* node("live", 100_000), yield* node("live", 1_000), yield* node("beta", 100_000)]
      const ledgerOf = (NANO_RPC_URL: string, NANO_RPC_QUORUM: string) =>
        Effect.map(examined({ NANO_RPC_URL, NANO_RPC_QUORUM, PUBLIC_BASE_URL: "https://a.invalid" }), (of) =>
          of("ledger")
        )
      assert.deepStrictEqual(states(yield* ledgerOf(urls.join(","), "2")), ["ok", "warning", "fault"])
      const few = yield* ledgerOf(`http://key:s3cret@127.0.0.1:1,${urls[0]}`, "2")
      assert.deepStrictEqual(states(few), ["fault", "ok", "fault"])
      assert.include(few[2]!.said, "NANO_RPC_QUORUM is 2")
      assert.notInclude(JSON.stringify(few), "s3cret")
    })
  )

  it.live(
    "The public address has to lead to the service, over TLS, past a proxy that tells its clients",
    () =>
      Effect.gen(function* () {
        const sound = yield* withSite(service(() => false))
        assert.deepStrictEqual(states(sound), ["fault", "ok"])
        assert.include(sound[0]!.said, "without TLS")
        const silent = yield* withSite(service(() => true))
        assert.deepStrictEqual(states(silent), ["fault", "ok", "warning"])
        const credulous = yield* withSite(service((forwarded) => forwarded === "10.0.0.1"))
        assert.deepStrictEqual(states(credulous), ["fault", "ok", "fault"])
        assert.include(credulous[2]!.said, "claim")
        const other = yield* withSite((_, response) => void response.end("hello"))
        assert.deepStrictEqual(states(other), ["fault", "fault"])
        const media = yield* withSite(
          service(() => false),
          { MEDIA_BASE_URL: "http://127.0.0.1:1" }
        )
        assert.deepStrictEqual(states(media), ["fault", "ok", "fault"])
        assert.deepStrictEqual(states((yield* examined({}))("site")), ["warning"])
      })
  )

  it.live("Redis that does not answer is a fault", () =>
    Effect.gen(function* () {
      const away = (yield* examined({ REDIS_URL: "redis://:s3cret@127.0.0.1:1" }))("redis")
      assert.deepStrictEqual(states(away), ["fault"])
      assert.notInclude(JSON.stringify(away), "s3cret")
    })
  )

  it.live("The files of the site are examined as the start reads them", () =>
    Effect.gen(function* () {
      const of = yield* examined({ SITE_NAME: "Mara's Press", REGISTRATION: "closed" })
      assert.deepStrictEqual(
        of("appearance").map(({ said }) => said),
        ["The name of the site is Mara's Press, and accounts cannot be created."]
      )
      const folder = yield* temporaryDirectory
      assert.deepStrictEqual(states((yield* examined({ SITE_PAGES: folder }))("appearance")), [
        "ok",
        "warning"
      ])
      writeFileSync(join(folder, "imprint.md"), "# Imprint")
      const found = (yield* examined({ SITE_PAGES: folder }))("appearance")
      assert.include(found.map(({ said }) => said).join(), "The footer links to these pages: Imprint.")
      writeFileSync(join(folder, "terms.md"), "<b>Terms</b>")
      const wrong = (yield* examined({ SITE_PAGES: folder, SITE_LOGO: folder }))("appearance")
      assert.deepStrictEqual(states(wrong), ["fault", "fault"])
      assert.match(wrong[1]!.said, /^SITE_PAGES: terms\.md, line 1: Write HTML as Markdown/)
    })
  )
})
