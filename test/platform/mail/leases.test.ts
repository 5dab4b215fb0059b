import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Option } from "effect"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { mailStatements } from "../../../src/platform/mail/mails.sql.ts"
import { Mailer, MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { Logs } from "../http/Logs.ts"
import { ada, as, deliver, emailChanged, gatedMailer, post, rows, sentBy, twoOutboxes } from "./outbox.ts"

/** The lease of a mail that a process claimed, and that of a mail whose text left. */
const LEASE = 180_000
const HOUR = 3_600_000

/** Claims the due mails and dies before it sends any. */
const takeAndDie = Effect.gen(function* () {
  const outbox = yield* mailStatements
  const at = yield* now
  const taken = yield* outbox.claim({ at, leaseUntil: later(at, LEASE), limit: 10 })
  return { lease: taken[0]!, outbox }
})

describe("an outbox that two processes share", () => {
  it.effect("Two processes send each of 60 mails once", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [first, second] = yield* twoOutboxes("test_mail_shared", { mailer }, { mailer })
      const mailboxes = Array.from({ length: 60 }, (_, i) => EmailAddress.make(`reader${i}@example.org`))
      yield* Effect.forEach(mailboxes, (mailbox) => post(emailChanged, mailbox)).pipe(as(first))
      const drain = Effect.repeat(deliver, { while: (taken) => taken > 0 })
      const draining = yield* Effect.forkChild(
        Effect.all([as(first)(drain), as(second)(drain)], { concurrency: "unbounded" })
      )
      // Each sends four at a time, so both take part.
      yield* Effect.replicateEffect(begun, 8)
      yield* gate.open
      yield* Fiber.join(draining)
      assert.deepStrictEqual(sent.map(({ to }) => to.address).toSorted(), mailboxes.toSorted())
      assert.lengthOf(yield* as(first)(rows), 0)
    })
  )

  it.effect("Another process claims an unsent mail after three minutes, not before", () =>
    Effect.gen(function* () {
      const [dying, other] = yield* twoOutboxes("test_mail_died")
      yield* as(dying)(post())
      yield* as(dying)(takeAndDie)
      yield* TestClock.adjust(LEASE - 1)
      assert.deepStrictEqual(yield* as(other)(sentBy(deliver)), [])
      yield* TestClock.adjust(1)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 1)
      assert.lengthOf(yield* as(other)(rows), 0)
    })
  )

  it.effect("A mail whose text left before a crash waits an hour, and is then reported", () =>
    Effect.gen(function* () {
      const lines = yield* Logs
      const [dying, other] = yield* twoOutboxes("test_mail_cut")
      const told = () => lines.filter(({ message }) => String(message).includes("is unknown")).length
      yield* as(dying)(post(emailChanged, ada, 2 * HOUR))
      const { failNext } = yield* as(other)(MailerMemory)
      yield* failNext(new MailUnavailable({ reason: "connection" }))
      yield* as(other)(deliver)
      yield* TestClock.adjust(1_000)
      const { lease, outbox } = yield* as(dying)(takeAndDie)
      const at = yield* now
      assert.isTrue(yield* outbox.handOver(lease, at, later(at, HOUR)))
      yield* TestClock.adjust(HOUR - 1)
      assert.strictEqual(yield* as(other)(deliver), 0)
      assert.strictEqual(told(), 0)
      yield* TestClock.adjust(1)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 1)
      assert.strictEqual(told(), 1)
      assert.lengthOf(yield* as(other)(rows), 0)
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("A delivery settles nothing after its lease ended", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [late, other] = yield* twoOutboxes("test_mail_late", {}, { mailer })
      yield* as(late)(post())
      const { lease, outbox } = yield* as(late)(takeAndDie)
      yield* TestClock.adjust(LEASE)
      const delivering = yield* Effect.forkChild(as(other)(deliver))
      yield* begun
      const before = yield* as(other)(rows)
      assert.isFalse(yield* outbox.complete(lease))
      assert.isFalse(yield* outbox.release(lease, yield* now))
      assert.deepStrictEqual(yield* as(other)(rows), before)
      yield* gate.open
      yield* Fiber.join(delivering)
      assert.lengthOf(sent, 1)
      assert.lengthOf(yield* as(other)(rows), 0)
    })
  )

  it.effect("A process that was stopped before the text left sends none after its lease", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const reached = yield* Latch.make()
      const resumed = yield* Latch.make()
      const stopped = Mailer.of({
        send: (mail, handOver) =>
          Effect.uninterruptible(
            Effect.andThen(Effect.andThen(reached.open, resumed.await), mailer.send(mail, handOver))
          )
      })
      const [first, second] = yield* twoOutboxes("test_mail_stopped", { mailer: stopped })
      yield* as(first)(post())
      const delivering = yield* Effect.forkChild(Effect.exit(as(first)(deliver)))
      yield* reached.await
      yield* TestClock.adjust(LEASE)
      assert.lengthOf(yield* as(second)(sentBy(deliver)), 1)
      yield* gate.open
      yield* resumed.open
      yield* Fiber.join(delivering)
      assert.lengthOf(sent, 0)
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(begun, 0)))
    })
  )

  it.effect("A process that was stopped after the text left is alone with its mail for an hour", () =>
    Effect.gen(function* () {
      const { begun, gate, send, sent } = yield* gatedMailer
      const stopped = Mailer.of({ send: (...all) => Effect.uninterruptible(send(...all)) })
      const [first, second] = yield* twoOutboxes("test_mail_stopped_late", { mailer: stopped })
      yield* as(first)(post())
      const delivering = yield* Effect.forkChild(as(first)(deliver))
      yield* begun
      yield* TestClock.adjust(HOUR - 1)
      assert.strictEqual(yield* as(second)(deliver), 0)
      yield* gate.open
      yield* Fiber.join(delivering)
      assert.lengthOf(sent, 1)
    })
  )
})

describe("a delivery that is interrupted", () => {
  it.effect("An interrupted delivery gives a mail under way five seconds to leave", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [stopping, other] = yield* twoOutboxes("test_mail_finishing", { mailer })
      yield* as(stopping)(post())
      const delivering = yield* Effect.forkChild(as(stopping)(deliver))
      yield* begun
      const stop = yield* Effect.forkChild(Fiber.interrupt(delivering))
      yield* TestClock.adjust(4_999)
      assert.isUndefined(stop.pollUnsafe())
      yield* gate.open
      yield* Fiber.join(stop)
      assert.lengthOf(sent, 1)
      assert.lengthOf(yield* as(other)(rows), 0)
    })
  )

  it.effect("An interrupted delivery leaves a mail alone for an hour if its text has left", () =>
    Effect.gen(function* () {
      const { begun, mailer, sent } = yield* gatedMailer
      const [stopping, other] = yield* twoOutboxes("test_mail_interrupted", { mailer })
      yield* as(stopping)(post(emailChanged, ada, 2 * HOUR))
      const delivering = yield* Effect.forkChild(as(stopping)(deliver))
      yield* begun
      const stop = yield* Effect.forkChild(Fiber.interrupt(delivering))
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(stop)
      assert.lengthOf(sent, 0)
      yield* TestClock.adjust(HOUR - 5_001)
      assert.strictEqual(yield* as(other)(deliver), 0)
      yield* TestClock.adjust(1)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 1)
    })
  )

  it.effect("An interrupted delivery releases a mail whose text has not left", () =>
    Effect.gen(function* () {
      const asked = yield* Latch.make()
      const silent = Mailer.of({ send: () => Effect.andThen(asked.open, Effect.never) })
      const [stopping, other] = yield* twoOutboxes("test_mail_unsent", { mailer: silent })
      yield* as(stopping)(post())
      const delivering = yield* Effect.forkChild(as(stopping)(deliver))
      yield* asked.await
      const stop = yield* Effect.forkChild(Fiber.interrupt(delivering))
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(stop)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 1)
    })
  )

  it.effect("An interrupted delivery releases mails that it has not begun to send", () =>
    Effect.gen(function* () {
      const { begun, mailer } = yield* gatedMailer
      const [stopping, other] = yield* twoOutboxes("test_mail_given_back", { mailer })
      yield* as(stopping)(Effect.replicateEffect(post(emailChanged, ada, 2 * HOUR), 10))
      const delivering = yield* Effect.forkChild(as(stopping)(deliver))
      yield* Effect.replicateEffect(begun, 4)
      const stop = yield* Effect.forkChild(Fiber.interrupt(delivering))
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(stop)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 6)
      yield* TestClock.adjust(HOUR - 5_000)
      assert.lengthOf(yield* as(other)(sentBy(deliver)), 4)
    })
  )
})

describe("a mailer", () => {
  it.effect("A mailer that never answers has 150 seconds, and its place then goes to another mail", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer, sent } = yield* gatedMailer
      const [process] = yield* twoOutboxes("test_mail_hanging", { mailer })
      yield* as(process)(Effect.replicateEffect(post(emailChanged, ada, 2 * HOUR), 10))
      const delivering = yield* Effect.forkChild(as(process)(deliver))
      for (const concurrent of [4, 4, 2]) {
        yield* Effect.replicateEffect(begun, concurrent)
        yield* TestClock.adjust(149_999)
        assert.isUndefined(delivering.pollUnsafe())
        yield* TestClock.adjust(1)
      }
      assert.strictEqual(yield* Fiber.join(delivering), 10)
      yield* gate.open
      yield* TestClock.adjust(HOUR)
      yield* as(process)(deliver)
      assert.lengthOf(sent, 10)
    })
  )

  it.effect("A mailer that fails for one mail does not affect the others", () =>
    Effect.gen(function* () {
      const { gate, send, sent } = yield* gatedMailer
      yield* gate.open
      let calls = 0
      const broken = {
        send: (...all: Parameters<typeof send>) =>
          Effect.suspend(() => (calls++ === 1 ? Effect.die(new Error("broken")) : send(...all)))
      }
      const [process] = yield* twoOutboxes("test_mail_broken", { mailer: broken })
      yield* as(process)(Effect.replicateEffect(post(), 10))
      assert.strictEqual((yield* Effect.exit(as(process)(deliver)))._tag, "Failure")
      assert.lengthOf(sent, 9)
      assert.lengthOf(yield* as(process)(rows), 1)
      yield* TestClock.adjust(LEASE)
      yield* as(process)(deliver)
      assert.lengthOf(sent, 10)
      assert.lengthOf(yield* as(process)(rows), 0)
    })
  )
})
