import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { MailWorker } from "../../src/platform/mail/MailWorker.ts"
import { emailOf } from "../accounts/account-email/flows.ts"
import { receiptOf, sendRegistration } from "../accounts/registrations/flows.ts"
import { sendLogin, sendRefresh, sendVerify } from "../accounts/sessions/flows.ts"
import { database } from "../support/Database.ts"
import { eventually } from "../support/eventually.ts"
import { LOCAL, service, TestClient } from "../support/TestClient.ts"
import { ADDRESSES, emailFlow } from "./emailFlow.ts"
import { recorder } from "./recorder.ts"
import { assertAbsent, assertNoCode, dump } from "./search.ts"
import { walletFlow } from "./walletFlow.ts"

/** Runs the effect while the table is missing. */
const without = Effect.fnUntraced(function* <A, E, R>(table: string, use: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table ${sql(table)} rename to away`
  yield* use
  yield* sql`alter table away rename to ${sql(table)}`
})

/** Runs the effect while the table refuses rows; the database names the refused row in its error. */
const refusingRows = Effect.fnUntraced(function* <A, E, R>(table: string, use: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table ${sql(table)} add constraint refuse check (false) not valid`
  yield* use
  yield* sql`alter table ${sql(table)} drop constraint refuse`
})

const metrics = Effect.gen(function* () {
  const { status, text } = yield* (yield* TestClient).send("GET", "/metrics", LOCAL)
  assert.strictEqual(status, 200)
  return text
})

layer(service(database("test_nothing_secret")))("the secrets of all operations", (it) => {
  it.effect("No secret of a wallet appears in logs, spans, tables or error answers", () =>
    Effect.gen(function* () {
      const { seen, watched } = recorder()
      const { first, key, refusals, refused, secrets, third } = yield* Effect.provide(walletFlow, watched)
      assertAbsent(secrets, "tables", yield* dump)

      const client = yield* TestClient
      yield* Effect.gen(function* () {
        yield* without("refresh_tokens", refused(sendRefresh(third.refreshToken)))
        yield* without("sessions", refused(client.send("GET", "/api/v1/me", { token: third.accessToken })))
        yield* without("api_keys", refused(client.send("GET", "/api/v1/me", { token: key })))
        // Reuse of a token is logged as a warning.
        yield* refused(sendRefresh(first.refreshToken))
      }).pipe(Effect.provide(watched))

      const { logs, spans } = seen()
      assert.isAbove(logs.length, 50)
      assert.isAbove(spans.length, 50)
      assert.include(logs.join("\n"), "A refresh token was reused")
      assert.include(logs.join("\n"), "A request crashed")
      assertAbsent(secrets, "logs", logs)
      assertAbsent(secrets, "spans", spans)
      assertAbsent(secrets, "error answers", refusals)
      assertAbsent(secrets, "metrics", [yield* metrics])
    })
  )

  it.effect("No secret of e-mail appears in logs, spans or tables, nor its reader in metrics", () =>
    Effect.gen(function* () {
      const { seen, watched } = recorder()
      const { codes, dumps, last, refusals, refused, secrets } = yield* Effect.provide(emailFlow, watched)
      const [ada = "", bea = ""] = ADDRESSES
      const account = yield* emailOf(last.accessToken)
      yield* Effect.gen(function* () {
        const { registrationId } = yield* receiptOf("dora@example.org")
        const verify = (yield* TestClient).send("POST", `/api/v1/registrations/${registrationId}/verify`, {
          body: { code: "000000" }
        })
        yield* without("email_codes", refused(sendVerify(ada, "000000")))
        yield* without("email_codes", refused(verify))
        yield* without("mails", refused(sendLogin(ada)))
        yield* without("registrations", refused(sendRegistration(ada)))
        yield* without("email_changes", refused(account.read))
        yield* refusingRows("email_codes", refused(sendLogin(ada)))
        yield* refusingRows("mails", refused(sendLogin(ada)))
        yield* refusingRows("registrations", refused(sendRegistration(ada)))
        yield* refusingRows("email_changes", refused(account.change({ email: ada })))
      }).pipe(Effect.provide(watched))
      // The delivering fiber logs the lost database.
      const isTold = Effect.sync(() =>
        seen().logs.some((line) => line.includes("Mail is not being delivered"))
      )
      const delivering = Effect.andThen(Layer.build(MailWorker), eventually("a warning", isTold))
      yield* without("mails", Effect.scoped(delivering)).pipe(Effect.provide(watched))

      const { logs, spans } = seen()
      assert.isAbove(codes.size, 6)
      assert.isAbove(logs.length, 100)
      assert.isAbove(spans.length, 100)
      for (const line of [
        "A mail was rejected",
        "A mail is delayed",
        "A mail cannot be decrypted",
        "expired"
      ])
        assert.include(logs.join("\n"), line)
      const tables = [...dumps, ...(yield* dump)]
      const told = { logs, spans, tables, "error answers": refusals, metrics: [yield* metrics] }
      for (const [where, texts] of Object.entries(told)) {
        assertAbsent(secrets, where, texts)
        assertNoCode(codes, where, texts)
      }
      const addresses = [...ADDRESSES, "dora@example.org"]
      assert.include(tables.join("\n"), bea)
      for (const where of ["logs", "spans", "metrics"] as const) assertAbsent(addresses, where, told[where])
    })
  )
})

layer(service(database("test_nothing_secret_limits"), 1, { rateLimitFactor: 1 }))(
  "a rate limit that is used up",
  (it) => {
    it.effect("A used up rate limit names neither the mailbox nor the client", () =>
      Effect.gen(function* () {
        const email = "ada.lovelace@example.org"
        const { seen, watched } = recorder()
        const answers = yield* Effect.gen(function* () {
          yield* sendLogin(email)
          return [yield* sendLogin(email), yield* sendRegistration(email)]
        }).pipe(Effect.provide(watched))
        for (const { status } of answers) assert.strictEqual(status, 429)
        const { logs, spans } = seen()
        assert.isAbove(logs.length, 3)
        assertAbsent([email], "logs", logs)
        assertAbsent([email], "spans", spans)
        assertAbsent(
          [email],
          "error answers",
          answers.map(({ headers, text }) => `${text} ${JSON.stringify([...headers])}`)
        )
        assertAbsent([email], "metrics", [yield* metrics])
      })
    )
  }
)
