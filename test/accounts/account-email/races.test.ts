import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { decodeJwt } from "jose"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { signIn } from "../../support/actors/owner.ts"
import { urlOf } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import type { TestAnswer } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { receiptOf, registered, sendVerification } from "../registrations/flows.ts"
import { accessOf, assertProblem, refreshed, sendRefresh } from "../sessions/flows.ts"
import { assertJsonError, emailOf } from "./flows.ts"

const DATABASE = "test_account_email_races"

const connection = PgClient.make({ url: urlOf(DATABASE), maxConnections: 1 }).pipe(
  Effect.provide(Reactivity.layer),
  onRealClock
)

/** Locks a session's row until `release`. Meanwhile `waiting` counts the statements that wait for any lock. */
const holdingSession = Effect.fnUntraced(function* (id: string) {
  const holder = yield* (yield* connection).reserve
  const run = (statement: string) => holder.executeUnprepared(statement, [], undefined)
  yield* run("begin")
  yield* run(`select from sessions where id = '${id}' for update`)
  const observer = yield* connection
  const waiting = Effect.map(
    observer`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    (rows) => rows.length
  )
  return { release: run("commit"), waiting }
})

layer(twoServices(DATABASE))("e-mail changes in two processes (3.3, 4.1.6)", (it) => {
  /** Asks for an address. Returns the request that confirms it with the code of the mail. */
  const confirmationOf = Effect.fnUntraced(function* (token: string, email: string) {
    const account = yield* emailOf(token)
    yield* account.change({ email })
    const code = yield* codeTo(email)
    return () => account.verify({ code })
  })

  it.effect("Of two owners who confirm one address, one is verified and the other gets 409 email_taken", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 10; round++) {
        const email = `ada${round}@example.org`
        const owners = [yield* signIn(100 + round), yield* signIn(200 + round)]
        const confirmations = yield* Effect.forEach(owners, ({ accessToken }) =>
          confirmationOf(accessToken, email)
        )
        const answers = yield* Effect.forEach(confirmations, (confirm) => confirm(), {
          concurrency: "unbounded"
        })
        const [loser, ...others] = answers.filter(({ status }) => status !== 200)
        assert.isDefined(loser)
        assert.lengthOf(others, 0)
        assertJsonError(loser, 409, "email_taken")
        assert.lengthOf(yield* sql`select from owners where email = ${email}`, 1)
      }
    })
  )

  it.effect("A registration and a confirmation of one address leave it with one owner", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 10; round++) {
        const email = `bea${round}@example.org`
        const { registrationId } = yield* receiptOf(email)
        const code = yield* codeTo(email)
        const confirm = yield* confirmationOf((yield* signIn(300 + round)).accessToken, email)
        const [registered, confirmed] = yield* Effect.all(
          [sendVerification(registrationId, code), confirm()],
          { concurrency: "unbounded" }
        )
        if (registered.status === 200) assertJsonError(confirmed, 409, "email_taken")
        else assertProblem(registered, 409, "email-taken")
        assert.lengthOf(yield* sql`select from owners where email = ${email}`, 1)
      }
    })
  )

  it.effect("Concurrent confirmations of one change are all verified, and send one notice", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* signIn(1)
      yield* (yield* confirmationOf(accessToken, "cleo@example.org"))()
      const confirm = yield* confirmationOf(accessToken, "cleo2@example.org")
      const answers = yield* Effect.replicateEffect(confirm(), 5, { concurrency: "unbounded" })
      for (const { body } of answers)
        assert.deepStrictEqual(body, { status: "verified", email: "cleo2@example.org" })
      assert.lengthOf(yield* mailsTo("cleo@example.org"), 2)
    })
  )

  it.effect("Two changes of one owner leave one pending address, and only its mail confirms", () =>
    Effect.gen(function* () {
      const { accessToken } = yield* signIn(2)
      const account = yield* emailOf(accessToken)
      const emails = ["dora@example.org", "dorothea@example.org"]
      const asked = yield* Effect.forEach(emails, (email) => account.change({ email }), {
        concurrency: "unbounded"
      })
      for (const { body } of asked) assert.strictEqual(body.status, "confirmation_sent")
      const { pendingEmail } = (yield* account.read).body
      assert.include(emails, pendingEmail)
      const answer = yield* account.verify({ code: yield* codeTo(pendingEmail) })
      assert.deepStrictEqual(answer.body, { status: "verified", email: pendingEmail })
    })
  )

  /** Asserts that both answers lead to one current pair, in either order. */
  const assertOnePair = Effect.fnUntraced(function* (
    owner: { readonly accessToken: string },
    confirmed: TestAnswer,
    renewed: TestAnswer
  ) {
    const sql = yield* SqlClient.SqlClient
    assert.strictEqual(confirmed.status, 200, confirmed.text)
    assert.strictEqual(renewed.status, 200, renewed.text)
    const { session } = confirmed.body
    assert.isDefined(session)
    const id = decodeJwt(owner.accessToken)["sid"] as string
    const current = yield* sql`
      select revoked_at from sessions s join refresh_tokens t on t.session_id = s.id
      where s.id = ${id} and t.rotated_at is null`
    assert.deepStrictEqual(current, [{ revoked_at: null }])
    if (renewed.body.refreshToken !== session.refreshToken)
      assert.deepStrictEqual(yield* refreshed(renewed.body.refreshToken), session)
    assert.strictEqual(yield* accessOf(session.accessToken), 200)
    yield* refreshed(session.refreshToken)
  })

  it.effect(
    "A confirmation concurrent with a refresh leaves one current token, and the family lives on",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 20; round++) {
          const owner = yield* registered(`ena${round}@example.org`)
          const confirm = yield* confirmationOf(owner.accessToken, `eva${round}@example.org`)
          const [confirmed, renewed] = yield* Effect.all([confirm(), sendRefresh(owner.refreshToken)], {
            concurrency: "unbounded"
          })
          yield* assertOnePair(owner, confirmed, renewed)
        }
      })
  )

  for (const order of ["the refresh first", "the confirmation first"]) {
    it.effect(`A confirmation and a refresh that both wait for the session leave one pair, ${order}`, () =>
      Effect.gen(function* () {
        const isRefreshFirst = order === "the refresh first"
        const name = isRefreshFirst ? "flo" : "fay"
        const owner = yield* registered(`${name}@example.org`)
        const confirm = yield* confirmationOf(owner.accessToken, `${name}2@example.org`)
        const id = decodeJwt(owner.accessToken)["sid"] as string
        const { release, waiting } = yield* holdingSession(id)
        const sent = <E, R>(answer: Effect.Effect<TestAnswer, E, R>, before: number) =>
          Effect.tap(Effect.forkChild(answer), () =>
            eventually(
              "one more who waits",
              Effect.map(waiting, (count) => count > before)
            )
          )
        const refresh = sendRefresh(owner.refreshToken)
        const first = yield* sent(isRefreshFirst ? refresh : confirm(), 0)
        const second = yield* sent(isRefreshFirst ? confirm() : refresh, 1)
        yield* release
        const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
        const [confirmed, renewed] = isRefreshFirst ? answers.toReversed() : answers
        assert.strictEqual(
          confirmed!.body.session.refreshToken === renewed!.body.refreshToken,
          !isRefreshFirst
        )
        yield* assertOnePair(owner, confirmed!, renewed!)
      })
    )
  }
})
