import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decodeJwt } from "jose"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import type { TestAnswer } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { registered } from "../registrations/flows.ts"
import { assertProblem, sendLogin, sendVerify } from "./flows.ts"

const succeeded = (answers: ReadonlyArray<TestAnswer>) => answers.filter(({ status }) => status === 200)

layer(twoServices("test_email_races"))("codes by mail in two parallel processes (4.1.1, 8)", (it) => {
  /** Registers an address and asks for a login. Returns the owner and the mailed code. */
  const loginOf = Effect.fnUntraced(function* (email: string) {
    const owner = decodeJwt((yield* registered(email)).accessToken).sub ?? ""
    yield* sendLogin(email)
    return { owner, code: yield* codeTo(email) }
  })
  const sessionsOf = Effect.fnUntraced(function* (owner: string) {
    const sql = yield* SqlClient.SqlClient
    return (yield* sql`select from sessions where owner_id = ${owner}`).length
  })
  const triesOf = Effect.fnUntraced(function* (email: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`select tries from email_codes where purpose = 'login' and subject = ${email}`
    return row?.["tries"]
  })

  it.effect("Fifty verifications of one login code give one session and 49 invalid-code", () =>
    Effect.gen(function* () {
      const email = "ada@example.org"
      const { code, owner } = yield* loginOf(email)
      const answers = yield* Effect.replicateEffect(sendVerify(email, code), 50, { concurrency: "unbounded" })
      const [winner, ...others] = succeeded(answers)
      assert.isDefined(winner)
      assert.lengthOf(others, 0)
      for (const answer of answers) if (answer !== winner) assertProblem(answer, 401, "invalid-code")
      assert.strictEqual(decodeJwt(winner.body.accessToken).sub, owner)
      // One session is of the registration, the other of this login.
      assert.strictEqual(yield* sessionsOf(owner), 2)
    })
  )

  it.effect("Of 20 concurrent wrong codes and the right one, five are checked and the rest refused", () =>
    Effect.gen(function* () {
      for (const place of [0, 3, 10, 20]) {
        const email = `bea${place}@example.org`
        const { code, owner } = yield* loginOf(email)
        const wrong = Array.from({ length: 20 }, (_, index) =>
          String((Number(code) + 1 + index) % 1_000_000).padStart(6, "0")
        )
        const guesses = wrong.toSpliced(place, 0, code)
        const answers = yield* Effect.forEach(guesses, (guess) => sendVerify(email, guess), {
          concurrency: "unbounded"
        })
        const wins = succeeded(answers).length
        assert.isAtMost(wins, 1)
        for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 401, "invalid-code")
        assert.strictEqual(yield* triesOf(email), 5)
        assertProblem(yield* sendVerify(email, code), 401, "invalid-code")
        assert.strictEqual(yield* sessionsOf(owner), 1 + wins)
        assert.strictEqual(yield* triesOf(email), 5)
      }
    })
  )

  it.effect("Four concurrent wrong codes leave the right one its try", () =>
    Effect.gen(function* () {
      const email = "cleo@example.org"
      const { code } = yield* loginOf(email)
      yield* Effect.replicateEffect(sendVerify(email, wrongCode(code)), 4, { concurrency: "unbounded" })
      assert.strictEqual((yield* sendVerify(email, code)).status, 200)
    })
  )

  it.effect("Of two codes requested concurrently, only the one that is kept works", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const email = `dora${round}@example.org`
        yield* registered(email)
        yield* Effect.replicateEffect(sendLogin(email), 2, { concurrency: "unbounded" })
        const mails = (yield* mailsTo(email)).slice(-2)
        const codes = new Set(mails.map(({ text }) => /^\d{6}$/m.exec(text)?.[0]))
        const answers = yield* Effect.forEach(codes, (code) => sendVerify(email, code))
        assert.lengthOf(succeeded(answers), 1)
      }
    })
  )
})
