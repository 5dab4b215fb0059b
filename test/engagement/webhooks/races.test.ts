import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OutsideHttpMemory } from "../../../layers/testing/OutsideHttpMemory.ts"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Dispatcher } from "../../../src/engagement/events/Dispatcher.ts"
import { Webhooks } from "../../../src/engagement/webhooks/Webhooks.ts"
import { Events } from "../../../src/platform/events/Events.ts"
import { now } from "../../../src/platform/time/now.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { deadlocks } from "../../support/deadlocks.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { deliver, eventOf, takeTurns } from "./receiver.ts"

type Process = Effect.Success<ReturnType<typeof twoAssemblies>>[number]

const POST = PostId.make("0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

const record = (process: Process, ownerId: OwnerId) =>
  Effect.flatMap(now, (at) =>
    Context.get(process, Events).record({
      ownerId,
      type: "post.unpublished",
      data: { post: { id: POST, slug: "a", title: "A", formerUrl: "https://press.test/a" }, by: "author" },
      at
    })
  )

const urlOf = (n: number) => `https://receiver-${n}.example/`

/** Returns all messages to a URL, of both processes. */
const postedOf = (processes: ReadonlyArray<Process>, url: string) =>
  Effect.map(
    Effect.forEach(processes, (process) => Context.get(process, OutsideHttpMemory).posted(url)),
    (all) => all.flat()
  )

describe("webhooks in two processes", () => {
  it.effect("Each event arrives once, no number is missing, and no webhook sleeps with work due", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_webhook_races")
      const [first, second] = processes
      const webhooks = Context.get(first, Webhooks)
      const owners = yield* Effect.provide(
        Effect.forEach(numbers(3), (n) => insertOwner(n)),
        first
      )
      const made = yield* Effect.forEach(owners, (owner, n) =>
        webhooks.create(owner, { url: urlOf(n), events: ["*"] }, undefined)
      )
      const writing = Effect.forEach(
        numbers(120),
        (n) => record(processes[n % 2]!, owners[n % owners.length]!),
        { concurrency: 32, discard: true }
      )
      const working = Effect.forEach(
        numbers(4),
        (n) => Effect.provide(Effect.repeat(deliver, { times: 15 }), processes[n % 2]!),
        { concurrency: 4, discard: true }
      )
      const turned = made[0]!.value
      const turning = Effect.forEach(
        numbers(20),
        (n) =>
          Effect.all([
            webhooks.change(owners[0]!, turned.webhook.id, { enabled: n % 2 === 1 }),
            Context.get(second, Webhooks).rotateSecret(owners[1]!, made[1]!.value.webhook.id, 60)
          ]),
        { discard: true }
      )
      yield* Effect.all([writing, working, turning], { concurrency: 3, discard: true })
      yield* Effect.provide(deliver, first)
      yield* Effect.provide(takeTurns, second)

      for (const [n, owner] of owners.entries()) {
        const sequences = (yield* postedOf(processes, urlOf(n))).map((it) => eventOf(it).sequence)
        assert.strictEqual(new Set(sequences).size, sequences.length, "an event came twice")
        const [webhook] = yield* webhooks.list(owner)
        assert.strictEqual(webhook?.waiting, 0)
        // The first one was turned off at times.
        if (n > 0)
          assert.deepStrictEqual(
            sequences.toSorted((a, b) => a - b),
            numbers(40).map((sequence) => sequence + 1)
          )
      }
      assert.strictEqual(yield* Effect.provide(deadlocks, first), 0)
    })
  )

  it.effect(
    "A process that dies in a turn loses nothing, and what arrives twice has one id and one body",
    () =>
      Effect.gen(function* () {
        const processes = yield* twoAssemblies("test_webhook_deaths")
        const [first, second] = processes
        const [owner] = yield* Effect.provide(
          Effect.forEach([1], (n) => insertOwner(n)),
          first
        )
        yield* Context.get(first, Webhooks).create(owner!, { url: urlOf(0), events: ["*"] }, undefined)
        const dying = Context.get(first, OutsideHttpMemory)
        for (const place of numbers(20)) {
          let count = 0
          // Dies with a request on its way.
          yield* dying.receive(urlOf(0), () =>
            count++ === place % 4 ? Effect.interrupt : Effect.succeed({})
          )
          yield* Effect.forEach(numbers(3), () => record(first, owner!), { discard: true })
          yield* Effect.exit(Effect.provide(deliver, first))
          yield* TestClock.adjust("61 seconds")
          yield* Effect.provide(deliver, second)
          const sql = Context.get(first, SqlClient.SqlClient)
          assert.isEmpty(yield* sql`select from webhook_deliveries where state <> 'delivered'`)
        }
        const posted = yield* postedOf(processes, urlOf(0))
        const bodies = new Map(posted.map((it) => [it.headers["webhook-id"], it.body]))
        assert.strictEqual(bodies.size, 60)
        for (const { body, headers } of posted) assert.strictEqual(bodies.get(headers["webhook-id"]), body)
      })
  )

  it.effect("A dispatcher that fails after its numbers were given gives them again, without a gap", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_webhook_dispatch")
      const [first] = processes
      const [owner] = yield* Effect.provide(
        Effect.forEach([1], (n) => insertOwner(n)),
        first
      )
      yield* Context.get(first, Webhooks).create(owner!, { url: urlOf(0), events: ["*"] }, undefined)
      const sql = Context.get(first, SqlClient.SqlClient)
      yield* sql`alter table webhook_deliveries add constraint broken check (false)`
      yield* record(first, owner!)
      yield* Context.get(first, Dispatcher).dispatch
      assert.isNotEmpty(yield* sql`select from events where sequence is null`)
      yield* sql`alter table webhook_deliveries drop constraint broken`
      yield* TestClock.adjust("1 hour")
      yield* record(first, owner!)
      yield* Effect.provide(deliver, first)
      const sequences = (yield* postedOf(processes, urlOf(0))).map((it) => eventOf(it).sequence)
      assert.deepStrictEqual(sequences, [1, 2])
    })
  )
})
