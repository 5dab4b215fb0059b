import { resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Exit, Layer, Redacted, References, Scope } from "effect"
import { SMTPServer } from "smtp-server"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { emptyDatabase } from "../../support/Database.ts"
import { clientOf } from "../../support/httpClient.ts"
import { TestClient } from "../../support/TestClient.ts"
import { partsOver } from "../beside/parts.ts"
import { connected, type Database, directory, postgres } from "../database.ts"
import { nanoNode, type Server, service } from "../servers.ts"

const HELP = `Mails a post to many readers over a real SMTP server on this machine, and restarts the service in the middle.

  node test/bench/mailing/program.ts [--readers 100000] [--characters 10000] [--rate 60000] [--quiet]

  --rate   mails a minute that may leave: the pace of the operator.
  --quiet  sends no requests of other people meanwhile.

It prints the rate, the memory of the service, how long others waited, and whether each address got its mail once.`

const { values: options } = parseArgs({
  options: {
    readers: { type: "string", default: "100000" },
    characters: { type: "string", default: "10000" },
    rate: { type: "string", default: "60000" },
    quiet: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})
const READERS = Number(options.readers)
const WORDS = "Some words about a thing that happened. "

const LOOK_MILLIS = 100

/** Starts an SMTP server. It counts the mails of each address, and the bytes of all. */
const receiver = Effect.gen(function* () {
  const counts = new Map<string, number>()
  const ids = new Set<string>()
  const total = { bytes: 0 }
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 1,
    disableReverseLookup: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, callback) {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const message = Buffer.concat(chunks)
        total.bytes += message.length
        for (const { address } of envelope.rcptTo) counts.set(address, (counts.get(address) ?? 0) + 1)
        ids.add(/^Message-ID: (.*)$/im.exec(message.toString("latin1"))?.[1] ?? "")
        callback()
      })
    }
  })
  server.on("error", () => {})
  yield* Effect.addFinalizer(() => Effect.callback<void>((resume) => server.close(() => resume(Effect.void))))
  const port = yield* Effect.callback<number>((resume) => {
    const listening = server.listen(0, "127.0.0.1", () => {
      const address = listening.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  return { counts, ids, port, total }
})

/** Adds readers of an author, as if each had confirmed. */
const subscribe = (database: Database, authorId: string) =>
  database.rows(
    `insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
     select i, $1::uuid, 'reader' || n || '@example.org', 'reader' || n || '@example.org', 'active', now(), now(), i, now()
     from (select n, gen_random_uuid() as i from generate_series(1, $2::int) n) readers`,
    [authorId, READERS]
  )

/** Publishes a post of an author with many readers, whose mail leaves at once. */
const publish = Effect.fnUntraced(function* (author: Author, database: Database) {
  const client = yield* TestClient
  const profile = yield* client.send("GET", `/api/profile/${author.handle}`)
  yield* Effect.promise(() => subscribe(database, profile.body.id))
  const freeContentMarkdown = WORDS.repeat(Math.ceil(Number(options.characters) / WORDS.length))
  const { id } = yield* author.published({ freeContentMarkdown })
  yield* client.send("POST", `/api/v1/posts/${id}/mailing`, {
    token: author.key,
    body: { action: "send_now" }
  })
  return id as string
})

const bench = Effect.gen(function* () {
  const smtp = yield* receiver
  const url = Redacted.value(yield* emptyDatabase("pennypress_bench_mailing", { server: yield* postgres }))
  const database = yield* connected(url)
  const path = resolve(import.meta.dirname, "../../..")
  const checkout = { name: "service", path, database, data: yield* directory }
  const node = yield* nanoNode(database)
  const started = service(checkout, node, true, {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: "Press <press@press.example>",
    MAIL_POSTAL_ADDRESS: "1 Press Road",
    MAIL_RATE: `${options.rate}/minute`
  })
  const over = (server: Server) => Effect.provideService(TestClient, clientOf(server.url))

  const first = yield* Scope.make()
  const server = yield* Scope.provide(started, first)
  const part = yield* partsOver(server, options.quiet)
  const until = (count: number) => async () => {
    while (smtp.counts.size < count) await pause(LOOK_MILLIS)
  }

  const author = yield* authorOf(1).pipe(over(server))
  const id = yield* publish(author, database).pipe(over(server))
  const half = Math.floor(READERS / 2)
  yield* Effect.promise(() => part({ server, name: "first process", count: half, run: until(half) }))
  yield* Scope.close(first, Exit.void)

  const second = yield* started
  const rest = READERS - half
  yield* Effect.promise(() =>
    part({ server: second, name: "second process", count: rest, run: until(READERS) })
  )
  const isSent = Effect.gen(function* () {
    const client = yield* TestClient
    for (;;) {
      const { body } = yield* client.send("GET", `/api/v1/posts/${id}/mailing`, { token: author.key })
      if (body.state === "sent") return body
      yield* Effect.promise(() => pause(LOOK_MILLIS))
    }
  })
  const mailing = yield* isSent.pipe(over(second))
  const twice = [...smtp.counts.values()].filter((count) => count > 1).length
  yield* Console.log(
    `${smtp.counts.size} addresses, ${twice} of them twice, ${smtp.ids.size} Message-IDs, ` +
      `${(smtp.total.bytes / smtp.counts.size / 1000).toFixed(1)} kB each; ${JSON.stringify(mailing)}`
  )
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
