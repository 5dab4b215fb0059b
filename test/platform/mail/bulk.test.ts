import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { SubscriberId } from "../../../schemas/platform/Ids.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { MailWorker } from "../../../src/platform/mail/MailWorker.ts"
import { MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import type { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import {
  ada,
  as,
  deliver,
  gatedMailer,
  nothing,
  outbox,
  post,
  postBulk,
  rows,
  twoOutboxes
} from "./outbox.ts"

const bea = EmailAddress.make("bea@example.org")

/** Claims mails that are due, at most that many. */
const claims = Effect.fnUntraced(function* (limit: number) {
  const { claim, claimBulk } = yield* Mails
  const at = yield* now
  const asked = { at, leaseUntil: later(at, 60_000), limit }
  return { urgent: yield* claim(asked), bulk: yield* claimBulk(asked) }
})

/** Delivers for one of several processes, until the scope ends. */
const delivering = (process: Context.Context<Mails | Doorbells>) => as(process)(Layer.build(MailWorker))

const recipientsOf = (mails: ReadonlyArray<{ readonly recipient: string }>) =>
  mails.map(({ recipient }) => recipient)

describe("mails that may wait", () => {
  it.effect("Bulk mails are claimed apart, so a code that is posted after them is first", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(postBulk(bea), 30)
      yield* post()
      const { bulk, urgent } = yield* claims(10)
      assert.deepStrictEqual(recipientsOf(urgent), [ada])
      assert.deepStrictEqual(
        recipientsOf(bulk),
        Array.from({ length: 10 }, () => bea)
      )
    }).pipe(Effect.provide(outbox(database("test_bulk_claims"))))
  )

  it.effect("Bulk mails take two places while the server is slow, and a code still leaves", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [process] = yield* twoOutboxes("test_bulk_places", { mailer })
      yield* as(process)(Effect.replicateEffect(postBulk(bea), 20))
      yield* delivering(process)
      const first = yield* Effect.replicateEffect(begun, 2)
      assert.deepStrictEqual(
        first.map(({ to }) => to.address),
        [bea, bea]
      )
      yield* as(process)(post())
      assert.strictEqual((yield* begun).to.address, ada)
      const attempted = (yield* as(process)(rows)).filter(({ attempts }) => attempts > 0)
      assert.lengthOf(attempted, 3)
      yield* gate.open
      yield* eventually(
        "an empty outbox",
        Effect.map(as(process)(rows), ({ length }) => length === 0)
      )
      assert.lengthOf(sent, 21)
    })
  )

  it.effect("A bulk mail is tried again after a minute, and in the end once an hour", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* (yield* MailerMemory).failNext(new MailUnavailable({ reason: "connection" }), 10)
      const { deliver: send } = yield* Mails
      const sql = yield* SqlClient.SqlClient
      yield* postBulk()
      const waits: Array<number> = []
      for (let attempt = 0; attempt < 8; attempt++) {
        const { bulk } = yield* claims(1)
        yield* send(bulk[0]!)
        const [row] = yield* rows
        waits.push((row!.due_at.getTime() - (yield* now).getTime()) / 60_000)
        yield* sql`update mails set due_at = ${yield* now}`
      }
      for (const [index, minutes] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
        assert.isAtMost(waits[index]!, minutes)
        assert.isAtLeast(waits[index]!, minutes * 0.8)
      }
    }).pipe(Effect.provide(outbox(database("test_bulk_retries"))))
  )

  it.effect("A sweep that ends before it has counted the mails that expired deletes none of them", () =>
    Effect.gen(function* () {
      const counted: Array<readonly [string, number]> = []
      let isCut = true
      const bodies = {
        bodyOf: () => Effect.succeedNone,
        expired: (body: string, count: number) =>
          Effect.suspend(() => {
            if (isCut) return Effect.die(new Error("cut"))
            counted.push([body, count])
            return Effect.void
          })
      }
      const bodyId = "0197a1b2-0000-7000-8000-000000000001"
      const [process] = yield* twoOutboxes("test_bulk_sweep", { bodies })
      yield* as(process)(
        Effect.gen(function* () {
          const { postShared, sweep } = yield* Mails
          const at = yield* now
          const readers = [1, 2].map((number) => ({
            readerId: SubscriberId.make(`0197a1b2-0000-7000-8000-00000000000${number}`),
            recipient: bea as string,
            mailbox: bea as string
          }))
          yield* postShared({ bodyId, at, expiresAt: later(at, 1000), readers })
          yield* TestClock.adjust("1 hour")
          assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep)))
          assert.lengthOf(yield* rows, 2)
          isCut = false
          yield* sweep
          assert.lengthOf(yield* rows, 0)
          assert.deepStrictEqual(counted, [[bodyId, 2]])
        })
      )
    })
  )

  it.effect("The delivery of other mails leaves bulk mails alone", () =>
    Effect.gen(function* () {
      yield* postBulk()
      assert.strictEqual(yield* deliver, 0)
      assert.lengthOf(yield* rows, 1)
    }).pipe(Effect.provide(outbox(database("test_bulk_apart"))))
  )
})
