import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Ref, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { MailWorker } from "../../../src/platform/mail/MailWorker.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { eventually } from "../../support/eventually.ts"
import { passing } from "../../support/passing.ts"
import { Logs } from "../http/Logs.ts"
import { as, emailChanged, ada, gatedMailer, post, rows, twoOutboxes } from "./outbox.ts"

/** Delivers for one of several processes, until the scope ends. */
const delivering = (process: Context.Context<Mails | Doorbells>) => as(process)(Layer.build(MailWorker))

const take = Effect.flatMap(MailerMemory, (memory) => memory.take)
const countSent = Effect.map(
  Effect.flatMap(MailerMemory, (memory) => memory.sent),
  (mails) => mails.length
)

describe("the delivery of mail", () => {
  it.effect("A process sends its own mails immediately, without waiting for the next poll", () =>
    Effect.gen(function* () {
      const [process] = yield* twoOutboxes("test_delivery_wakes")
      yield* delivering(process)
      for (let i = 0; i < 3; i++) {
        yield* as(process)(post())
        yield* as(process)(take)
      }
      yield* eventually(
        "an empty outbox",
        Effect.map(as(process)(rows), ({ length }) => length === 0)
      )
    })
  )

  it.effect("A starting process sends all mails left in the outbox", () =>
    Effect.gen(function* () {
      const [process] = yield* twoOutboxes("test_delivery_drains")
      yield* as(process)(Effect.replicateEffect(post(), 25))
      yield* delivering(process)
      yield* as(process)(Effect.replicateEffect(take, 25))
    })
  )

  it.effect("A process sends another process's mails within a second", () =>
    Effect.gen(function* () {
      const [posting, process] = yield* twoOutboxes("test_delivery_polls")
      yield* delivering(process)
      yield* as(posting)(post())
      yield* passing(
        1_000,
        "a mail",
        Effect.map(as(process)(countSent), (count) => count === 1)
      )
      assert.strictEqual(yield* as(posting)(countSent), 0)
    })
  )

  it.effect("The delivery survives a failure of the database, and logs it once", () =>
    Effect.gen(function* () {
      const [process] = yield* twoOutboxes("test_delivery_database")
      const lines = yield* Logs
      const said = (message: string) => lines.filter((line) => line.message === message).length
      yield* delivering(process)
      const sql = Context.get(process, SqlClient.SqlClient)
      for (let outage = 1; outage <= 2; outage++) {
        yield* sql`alter table mails rename to mails_away`
        let seconds = 0
        yield* passing(
          1_000,
          "an outage",
          Effect.sync(() => said("Mail is not being delivered") === outage && ++seconds > 20)
        )
        yield* sql`alter table mails_away rename to mails`
        yield* as(process)(post())
        yield* passing(
          1_000,
          "its end",
          Effect.map(as(process)(countSent), (count) => count === outage)
        )
        yield* passing(
          1_000,
          "word of it",
          Effect.sync(() => said("Mail is being delivered again") === outage)
        )
        assert.strictEqual(said("Mail is not being delivered"), outage)
      }
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("The delivery tries an unavailable database after 1, 1, 2, 4, 8 and then 10 seconds", () =>
    Effect.gen(function* () {
      const tries = yield* Ref.make(0)
      const away = new Error("the database is away")
      const services = Layer.mock(Mails, {
        claimBulk: () => Effect.succeed([]),
        claim: () =>
          Ref.updateAndGet(tries, (count) => count + 1).pipe(
            Effect.flatMap((count) => (count < 8 || count === 10 ? Effect.die(away) : Effect.succeed([])))
          )
      })
      const rings = Layer.mock(Doorbells, {
        bell: () => ({ ring: Effect.void, ringHere: Effect.void, rung: Effect.sleep("1 second") }),
        watch: () => Effect.void
      })
      yield* Layer.build(MailWorker.pipe(Layer.provide([services, rings])))
      yield* TestClock.adjust(0)
      let count = 1
      for (const seconds of [1, 1, 2, 4, 8, 10, 10, 1, 1, 1]) {
        yield* TestClock.adjust(seconds * 1_000 - 1)
        assert.strictEqual(yield* Ref.get(tries), count, `before ${seconds} s`)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* Ref.get(tries), ++count, `after ${seconds} s`)
      }
    })
  )

  it.effect("A stopping service lets the mail under way leave, and sends no other", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [process, other] = yield* twoOutboxes("test_delivery_stops", { mailer })
      const scope = yield* Scope.make()
      yield* Effect.provideService(delivering(process), Scope.Scope, scope)
      yield* as(process)(post())
      yield* begun
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      yield* gate.open
      yield* Fiber.join(stopped)
      assert.lengthOf(sent, 1)
      assert.lengthOf(yield* as(other)(rows), 0)
      yield* as(process)(post(emailChanged, ada))
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(sent, 1)
      assert.lengthOf(yield* as(other)(rows), 1)
    })
  )
})
