import { resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted, References } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { emptyDatabase } from "../../support/Database.ts"
import { clientOf } from "../../support/httpClient.ts"
import { TestClient } from "../../support/TestClient.ts"
import { partsOver } from "../beside/parts.ts"
import { connected, directory, postgres } from "../database.ts"
import { answerOf, bearer, post } from "../operation.ts"
import { nanoNode, own, service, start } from "../servers.ts"
import { fillOutbox, numberedEvents } from "./outbox.ts"
import { publishInTurn } from "./publishInTurn.ts"
import type { Seen } from "./receiver.ts"

const HELP = `Numbers events of authors and sends them to their webhooks, by a process of the service and a receiver on loopback.

  node test/bench/webhooks/program.ts [--events 20000] [--authors 20] [--webhooks 3] [--hang] [--publications 300] [--quiet]

  --webhooks      webhooks of each author, up to ten
  --hang          the last webhook of each author never answers
  --publications  publications of an author with webhooks, and of one without, in turn; 0 for none
  --quiet         sends no requests of other people meanwhile

It prints the events that are numbered in a second, the messages that arrive in a second, the memory of the service, how long
others waited, and the time of a publication with and without webhooks.`

const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "20000" },
    authors: { type: "string", default: "20" },
    webhooks: { type: "string", default: "3" },
    hang: { type: "boolean", default: false },
    publications: { type: "string", default: "300" },
    quiet: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})
const [events, authors, webhooks, publications] = [
  Number(options.events),
  Number(options.authors),
  Number(options.webhooks),
  Number(options.publications)
]

const LOOK_MILLIS = 20
/** Time without a message after which none is expected. */
const SILENCE_MILLIS = 30_000
/** The time in which earlier events of the authors arrive. */
const SETTLING_MILLIS = 5_000

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Makes the database, the receiver, the service, and authors of whom some have webhooks. */
const world = Effect.gen(function* () {
  const url = Redacted.value(yield* emptyDatabase("pennypress_bench_webhooks", { server: yield* postgres }))
  const database = yield* connected(url)
  const receiver = yield* start({ name: "receiver", args: [own("webhooks/receiver.ts")] }, database)
  const checkout = {
    name: "service",
    path: resolve(import.meta.dirname, "../../.."),
    database,
    data: yield* directory
  }
  const server = yield* service(checkout, yield* nanoNode(database), true, {
    PRIVATE_TARGETS: new URL(receiver.url).host
  })
  const made = yield* Effect.gen(function* () {
    const all = yield* Effect.forEach(numbers(authors), (n) => authorOf(n + 1))
    for (const author of all) {
      yield* author.published()
      for (const n of numbers(webhooks)) {
        const path = options.hang && n === webhooks - 1 ? "hangs" : "answers"
        const request = post(
          "/api/v1/webhooks",
          { url: `${receiver.url}/${path}/${author.handle}/${n}`, events: ["*"] },
          bearer(author.accessToken)
        )
        const { body, status } = yield* Effect.promise(() => answerOf(server, request))
        if (status !== 201) throw new Error(body)
      }
    }
    return { listened: all[0]!, other: yield* authorOf(authors + 1) }
  }).pipe(Effect.provideService(TestClient, clientOf(server.url)))
  // Earlier events of the authors arrive first.
  yield* Effect.promise(async () => {
    await publishInTurn(server, [made.listened], 1)
    await pause(SETTLING_MILLIS)
  })
  return { ...made, server, receiver, database, part: yield* partsOver(server, options.quiet) }
})

type World = Effect.Success<typeof world>

const measure = async ({ database, listened, other, part, receiver, server }: World) => {
  const seen = async () => (await (await fetch(receiver.url)).json()) as Seen
  /** Makes a cause that wakes the dispatcher and, after it, those who send. */
  const wake = () => publishInTurn(server, [listened], 1)
  /** Waits for messages, as long as some arrive. */
  const arrived = async (count: number) => {
    let last = { ...(await seen()), at: performance.now() }
    while (last.count < count && performance.now() - last.at < SILENCE_MILLIS) {
      await pause(LOOK_MILLIS)
      const now = await seen()
      if (now.count > last.count) last = { ...now, at: performance.now() }
    }
    return last
  }

  await database.rows("update webhooks set leased_until = 'infinity'")
  const numbered = async () => {
    const before = await numberedEvents(database)
    await fillOutbox(database, events)
    await wake()
    let [begun, end] = [
      { at: 0, count: 0 },
      { at: 0, count: 0 }
    ]
    while (end.count < events) {
      end = { at: performance.now(), count: (await numberedEvents(database)) - before }
      if (begun.count === 0) begun = end
      await pause(LOOK_MILLIS)
    }
    const rate = ((end.count - begun.count) * 1000) / (end.at - begun.at)
    return `${events} events for ${webhooks} webhooks each, ${rate.toFixed(0)} events/s`
  }
  console.log(await part({ server, name: "numbering", count: events, run: numbered }))

  await fetch(receiver.url, { method: "DELETE" })
  const sent = async () => {
    const [waiting] = await database.rows<{ readonly count: number }>(
      `select count(*)::int4 as count from webhook_deliveries d join webhooks w on w.id = d.webhook_id
       where d.state = 'waiting' and w.url not like '%/hangs/%'`
    )
    await database.rows("update webhooks set leased_until = localtimestamp")
    await wake()
    const { count, firstAt, lastAt, repeats } = await arrived(waiting?.count ?? 0)
    const rate = (count * 1000) / (lastAt - firstAt)
    return `${count} messages and ${repeats} repeats, ${rate.toFixed(0)} messages/s`
  }
  console.log(await part({ server, name: "sending", count: events * webhooks, run: sent }))

  if (publications > 0) {
    const [heard, unheard] = await publishInTurn(server, [listened, other], publications)
    console.log(
      `publishing: ${heard!.toFixed(2)} ms with webhooks, ${unheard!.toFixed(2)} ms without (×${(heard! / unheard!).toFixed(3)})`
    )
  }
}

const bench = Effect.gen(function* () {
  const made = yield* world
  yield* Effect.promise(() => measure(made))
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
