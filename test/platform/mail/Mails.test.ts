import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { emailChangeLetters, registrationLetters } from "../../../src/accounts/email-codes/codeLetters.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { MailRejected } from "../../../src/platform/ports/Mailer.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { database } from "../../support/Database.ts"
import {
  ada,
  as,
  code,
  deliver,
  emailChanged,
  gatedMailer,
  loginCode,
  nothing,
  outbox,
  ownerOf,
  post,
  rows,
  sentBy,
  TEN_MINUTES,
  twoOutboxes
} from "./outbox.ts"

const registrationCode = registrationLetters(code, "Pennypress")

layer(outbox(database("test_mails")))("the outbox", (it) => {
  it.effect("A failed request rolls its mail back, and a committed one sends it once", () =>
    Effect.gen(function* () {
      yield* nothing
      const transactions = yield* Transactions
      yield* Effect.flip(transactions.run(Effect.andThen(post(), Effect.fail("refused"))))
      assert.lengthOf(yield* rows, 0)
      yield* transactions.run(post())
      assert.lengthOf(yield* rows, 1)
      const mails = yield* sentBy(Effect.andThen(deliver, deliver))
      assert.deepStrictEqual(
        mails.map(({ to }) => to),
        [{ address: ada }]
      )
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("A commit wakes the delivery, and a failure does not", () =>
    Effect.gen(function* () {
      yield* nothing
      const { rung } = (yield* Doorbells).bell("mails")
      const transactions = yield* Transactions
      // Earlier tests may have left a ring.
      yield* Effect.timeoutOption(rung, 0).pipe(TestClock.withLive)
      const woken = yield* Effect.forkChild(rung)
      yield* Effect.flip(transactions.run(Effect.andThen(post(), Effect.fail("refused"))))
      yield* transactions.run(
        Effect.gen(function* () {
          yield* post()
          yield* Effect.yieldNow
          assert.isUndefined(woken.pollUnsafe())
        })
      )
      yield* Fiber.join(woken)
    })
  )

  it.effect("The row does not reveal the mail's content", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post(loginCode)
      const [row] = yield* rows
      const text = new TextDecoder("latin1").decode(row?.sealed_content)
      assert.isAbove(text.length, 40)
      assert.notInclude(text, code)
      assert.notInclude(text, "login")
    })
  )

  it.effect("A row is the same whether or not the mailbox has an owner", () =>
    Effect.gen(function* () {
      const shape = Effect.gen(function* () {
        yield* post(loginCode)
        const [row] = yield* rows
        return { ...row, id: 0, due_at: 0, sealed_content: row?.sealed_content.length }
      })
      yield* nothing
      const ofNobody = yield* shape
      yield* nothing
      yield* ownerOf(ada)
      assert.deepStrictEqual(yield* shape, ofNobody)
    })
  )

  it.effect("A login code leaves only for a mailbox with an owner, and both rows are deleted", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post(loginCode)
      assert.deepStrictEqual(yield* sentBy(deliver), [])
      assert.lengthOf(yield* rows, 0)

      yield* ownerOf(ada)
      yield* post(loginCode)
      const [mail, ...others] = yield* sentBy(deliver)
      assert.lengthOf(others, 0)
      assert.strictEqual(mail?.subject, "314159 is your Pennypress code")
      assert.include(mail?.text, code)
      assert.include(mail?.html, code)
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("The owner of a mailbox is looked up when the mail leaves", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post(loginCode)
      yield* ownerOf(ada)
      assert.lengthOf(yield* sentBy(deliver), 1)
    })
  )

  it.effect("A registration code to a mailbox that has an owner says to sign in instead", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post(registrationCode)
      const [code1] = yield* sentBy(deliver)
      assert.strictEqual(code1?.subject, "314159 is your Pennypress code")
      assert.include(code1?.text, code)

      yield* ownerOf(ada)
      yield* post(registrationCode)
      const [login] = yield* sentBy(deliver)
      assert.strictEqual(login?.subject, "You already have a Pennypress account")
      assert.include(login?.text, "sign in instead")
      assert.notInclude(`${login?.text}${login?.html}`, code)
    })
  )

  it.effect("A change of address writes to mailboxes with and without an owner", () =>
    Effect.gen(function* () {
      yield* nothing
      const confirmationUrl = "https://press.test/auth/v1/verify?token=t&type=email_change"
      const both = Effect.gen(function* () {
        const [confirm] = yield* sentBy(
          Effect.andThen(post(emailChangeLetters(code, confirmationUrl, "Pennypress")), deliver)
        )
        assert.include(confirm?.text, confirmationUrl)
        assert.include(confirm?.text, code)
        const [changed] = yield* sentBy(Effect.andThen(post(emailChanged), deliver))
        assert.strictEqual(changed?.subject, "Your Pennypress email address was changed")
      })
      yield* both
      yield* ownerOf(ada)
      yield* both
    })
  )

  it.effect("A delivery claims the oldest four, and each other mail only once it can be sent", () =>
    Effect.gen(function* () {
      const { begun, gate, mailer } = yield* gatedMailer
      const [process] = yield* twoOutboxes("test_mail_claims", { mailer })
      const left = Effect.map(as(process)(rows), (mails) => mails.map(({ id }) => id))
      yield* as(process)(
        Effect.forEach(Array.from({ length: 25 }), () => Effect.andThen(post(), TestClock.adjust(1)))
      )
      const ids = yield* left
      const delivering = yield* Effect.forkChild(as(process)(deliver))
      yield* Effect.replicateEffect(begun, 4)
      assert.deepStrictEqual(
        (yield* as(process)(rows)).filter(({ attempts }) => attempts > 0).map(({ id }) => id),
        ids.slice(0, 4)
      )
      yield* gate.open
      assert.strictEqual(yield* Fiber.join(delivering), 10)
      assert.deepStrictEqual(yield* left, ids.slice(10))
      assert.strictEqual(yield* as(process)(deliver), 10)
      assert.strictEqual(yield* as(process)(deliver), 5)
      assert.strictEqual(yield* as(process)(deliver), 0)
    })
  )

  it.effect("A mail expires unsent, to the millisecond", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post()
      yield* TestClock.adjust(TEN_MINUTES - 1)
      assert.lengthOf(yield* sentBy(deliver), 1)
      yield* post()
      yield* TestClock.adjust(TEN_MINUTES)
      assert.deepStrictEqual(yield* sentBy(deliver), [])
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("A mail that the server rejects is not sent again", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* post()
      yield* (yield* MailerMemory).failNext(new MailRejected({ reason: "recipient" }))
      assert.deepStrictEqual(yield* sentBy(deliver), [])
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("An unreadable mail does not delay others, and is deleted when it expires", () =>
    Effect.gen(function* () {
      yield* nothing
      const sql = yield* SqlClient.SqlClient
      yield* post()
      yield* sql`update mails set sealed_content = ${new Uint8Array(64)}`
      yield* post()
      assert.lengthOf(yield* sentBy(deliver), 1)
      assert.lengthOf(yield* rows, 1)
      yield* TestClock.adjust(TEN_MINUTES)
      assert.deepStrictEqual(yield* sentBy(deliver), [])
      assert.lengthOf(yield* rows, 0)
    })
  )

  it.effect("A sweep deletes only expired mails that no delivery claimed", () =>
    Effect.gen(function* () {
      yield* nothing
      const { sweep } = yield* Mails
      yield* post(emailChanged, ada, 1000)
      yield* TestClock.adjust(1)
      yield* post(emailChanged, ada, 1000)
      yield* TestClock.adjust(180_999)
      yield* sweep
      assert.lengthOf(yield* rows, 2)
      yield* TestClock.adjust(1)
      yield* sweep
      assert.lengthOf(yield* rows, 1)
      yield* TestClock.adjust(1)
      yield* sweep
      assert.lengthOf(yield* rows, 0)
    })
  )
})
