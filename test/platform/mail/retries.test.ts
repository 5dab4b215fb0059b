import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { type Mail, MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { now } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { ada, as, deliver, emailChanged, nothing, outbox, post, rows, sentBy, twoOutboxes } from "./outbox.ts"

const away = new MailUnavailable({ reason: "connection" })

/** Returns the remaining wait of the outbox's one mail, or none when it is gone. */
const wait = Effect.gen(function* () {
  const at = yield* now
  return (yield* rows).map(({ due_at }) => due_at.getTime() - at.getTime())
})

layer(outbox(database("test_mail_retries")))("a mail that cannot leave", (it) => {
  it.effect("A mail is due again after 1 s, 2 s, 4 s … and at most 60 s, up to a fifth earlier", () =>
    Effect.gen(function* () {
      yield* nothing
      const { failNext } = yield* MailerMemory
      yield* failNext(away, 10)
      yield* post(emailChanged, ada, 60 * 60_000)
      const jitters: Array<number> = []
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]) {
        assert.deepStrictEqual(yield* sentBy(deliver), [])
        const [delay = 0] = yield* wait
        assert.isAtMost(delay, seconds * 1000)
        assert.isAtLeast(delay, seconds * 800)
        jitters.push(delay / seconds)
        yield* TestClock.adjust(delay - 1)
        assert.strictEqual(yield* deliver, 0)
        yield* TestClock.adjust(1)
      }
      // Mails that failed together spread out.
      assert.isAbove(new Set(jitters).size, 5)
      assert.lengthOf(yield* sentBy(deliver), 1)
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("A mail keeps its message id at each attempt, unlike any other mail", () =>
    Effect.gen(function* () {
      yield* nothing
      const attempts: Array<string> = []
      const lost = {
        send: (mail: Mail) =>
          Effect.suspend(() => {
            attempts.push(mail.id)
            // The server took the mail, and its answer was lost.
            return attempts.length < 4 ? Effect.fail(new MailUnavailable({ reason: "unknown" })) : Effect.void
          })
      }
      const [process] = yield* twoOutboxes("test_mail_same_message", { mailer: lost })
      yield* as(process)(post())
      const [row] = yield* as(process)(rows)
      while ((yield* as(process)(rows)).length > 0) {
        yield* as(process)(deliver)
        yield* TestClock.adjust("1 minute")
      }
      assert.deepStrictEqual(attempts, [row?.id, row?.id, row?.id, row?.id])
      yield* as(process)(Effect.andThen(post(), deliver))
      assert.notStrictEqual(attempts[4], row?.id)
    })
  )

  it.effect("A mail is retried until it expires, and then deleted", () =>
    Effect.gen(function* () {
      yield* nothing
      const { failNext } = yield* MailerMemory
      yield* failNext(away, 100)
      yield* post()
      const began = yield* now
      let attempts = 0
      while ((yield* rows).length > 0) {
        assert.strictEqual(yield* deliver, 1)
        attempts++
        const [delay] = yield* wait
        if (delay === undefined) break
        assert.isBelow((yield* now).getTime() + delay, began.getTime() + 10 * 60_000)
        yield* TestClock.adjust(delay)
      }
      // Six attempts within the first minute, and then one in 48 to 60 seconds.
      assert.isAtLeast(attempts, 15)
      assert.isAtMost(attempts, 20)
      assert.isAtLeast((yield* now).getTime() - began.getTime(), 9 * 60_000 - 1)
    })
  )
})
