import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { AccountEmail } from "../../../src/accounts/account-email/AccountEmail.ts"
import { EmailCodes } from "../../../src/accounts/email-codes/EmailCodes.ts"
import { Registrations } from "../../../src/accounts/registrations/Registrations.ts"
import { RetiredHandles } from "../../../src/accounts/retired-handles/RetiredHandles.ts"
import { Sessions } from "../../../src/accounts/sessions/Sessions.ts"
import { WalletLogin } from "../../../src/accounts/sessions/WalletLogin.ts"
import { HousekeepingWorker } from "../../../src/app.ts"
import { Notifications } from "../../../src/engagement/notifications/feed/Notifications.ts"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { PublicReports } from "../../../src/engagement/reports/PublicReports.ts"
import { Mailings } from "../../../src/engagement/subscribers/mailings/Mailings.ts"
import { Subscribers } from "../../../src/engagement/subscribers/Subscribers.ts"
import { Webhooks } from "../../../src/engagement/webhooks/Webhooks.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { Events } from "../../../src/platform/events/Events.ts"
import { FeedChanges } from "../../../src/platform/feed-changes/FeedChanges.ts"
import { Idempotency } from "../../../src/platform/idempotency/Idempotency.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { Imports } from "../../../src/publishing/imports/service/Imports.ts"
import { Uploads } from "../../../src/publishing/uploads/Uploads.ts"
import { challengeOf, claimOf, refreshed, sendClaim, sendRefresh } from "../../accounts/sessions/flows.ts"
import { signIn, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"

const DAY = 24 * 60 * 60 * 1000
const ID = "00000000-0000-4000-8000-000000000001"

layer(service(database("test_housekeeping")))("housekeeping", (it) => {
  const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))
  const count = (table: string, where: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(sql`select from ${sql(table)} where ${sql.literal(where)}`, (rows) => rows.length)
    )

  it.effect("Sealed replacements are deleted after ten seconds, not before", () =>
    Effect.gen(function* () {
      yield* start
      const sessions = yield* Sessions
      const sealed = count("refresh_tokens", "sealed_replacement is not null")
      const { refreshToken } = yield* signIn(1)
      const pair = yield* refreshed(refreshToken)
      yield* TestClock.adjust(10_000)
      yield* sessions.sweep
      assert.strictEqual(yield* sealed, 1)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      yield* TestClock.adjust(1)
      yield* sessions.sweep
      assert.strictEqual(yield* sealed, 0)
      yield* refreshed(pair.refreshToken)
      // The rotated token itself stays, so that the service detects its reuse.
      assert.strictEqual((yield* sendRefresh(refreshToken)).status, 401)
      assert.strictEqual((yield* sendRefresh(pair.refreshToken)).status, 401)
    })
  )

  it.effect("Expired challenges are deleted, and live ones stay and can be claimed", () =>
    Effect.gen(function* () {
      yield* start
      const walletLogin = yield* WalletLogin
      const wallet = walletOf(2)
      const ids = [yield* challengeOf(wallet)]
      yield* TestClock.adjust(1)
      ids.push(yield* challengeOf(wallet))
      const left = Effect.map(
        Effect.forEach(ids, ({ challengeId }) => count("wallet_challenges", `id = '${challengeId}'`)),
        (counts) => counts.join()
      )
      yield* TestClock.adjust(5 * 60_000 - 1)
      yield* walletLogin.sweep
      assert.strictEqual(yield* left, "1,1")
      assert.strictEqual((yield* sendClaim(claimOf(wallet, ids[1]!))).status, 200)
      yield* TestClock.adjust(1)
      yield* walletLogin.sweep
      assert.strictEqual(yield* left, "0,1")
    })
  )

  it.effect("Expired sessions and their tokens are deleted, and live, revoked and younger ones stay", () =>
    Effect.gen(function* () {
      yield* start
      const sessions = yield* Sessions
      const idOf = ({ accessToken }: { readonly accessToken: string }) =>
        decodeJwt(accessToken)["sid"] as string
      const old = yield* signIn(3)
      yield* refreshed(old.refreshToken)
      yield* TestClock.adjust(1)
      const young = yield* signIn(3)
      const there = (pair: { readonly accessToken: string }) =>
        Effect.all([
          count("sessions", `id = '${idOf(pair)}'`),
          count("refresh_tokens", `session_id = '${idOf(pair)}'`)
        ])
      yield* TestClock.adjust(30 * DAY - 1)
      yield* sessions.sweep
      assert.deepStrictEqual(yield* there(old), [1, 2])
      yield* TestClock.adjust(1)
      yield* sessions.sweep
      assert.deepStrictEqual(yield* there(old), [0, 0])
      assert.deepStrictEqual(yield* there(young), [1, 1])
      assert.strictEqual((yield* sendRefresh(old.refreshToken)).status, 401)
    })
  )

  it.effect("Expired idempotency records are deleted, and live and eternal ones stay", () =>
    Effect.gen(function* () {
      yield* start
      const idempotency = yield* Idempotency
      const at = new Date(Date.UTC(2026, 10, 21, 5))
      const expiries = { past: at.getTime() - 1, now: at.getTime(), future: at.getTime() + 1, never: null }
      for (const [idempotencyKey, expiry] of Object.entries(expiries)) {
        const expiresAt = expiry === null ? null : new Date(expiry)
        const names = { scope: "post_creation", scopeId: ID, idempotencyKey } as const
        yield* idempotency.claim({ ...names, intent: {}, resourceId: ID, at: new Date(0), expiresAt })
      }
      const sql = yield* SqlClient.SqlClient
      const left = Effect.map(
        sql<{
          readonly name: string
        }>`select idempotency_key as name from idempotency_records where scope_id = ${ID} order by 1`,
        (rows) => rows.map(({ name }) => name)
      )
      yield* idempotency.sweep
      assert.deepStrictEqual(yield* left, ["future", "never", "now"])
      yield* TestClock.adjust(2)
      yield* idempotency.sweep
      assert.deepStrictEqual(yield* left, ["never"])
    })
  )

  it.effect("A supervised fiber runs all sweeps every minute", () =>
    Effect.gen(function* () {
      yield* start
      yield* challengeOf(walletOf(4))
      const pair = yield* signIn(4)
      yield* refreshed(pair.refreshToken)
      yield* Layer.build(HousekeepingWorker)
      const clock = yield* Clock.Clock
      const isEmpty = Effect.gen(function* () {
        yield* Effect.provideService(TestClock.adjust("1 minute"), Clock.Clock, clock)
        const sealed = yield* count("refresh_tokens", "sealed_replacement is not null")
        const challenges = yield* count("wallet_challenges", "true")
        return sealed + challenges === 0
      })
      yield* eventually("a sweep", isEmpty)
      assert.isAbove(yield* count("sessions", "true"), 0)
    })
  )
})

describe("housekeeping", () => {
  plain.effect("continues after a failed sweep, which does not stop the other sweeps", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make<Readonly<Record<string, number>>>({})
      const counted = (name: string) => Ref.update(runs, (all) => ({ ...all, [name]: (all[name] ?? 0) + 1 }))
      const away = Effect.die(new Error("the database is away"))
      const services = Layer.mergeAll(
        Layer.mock(AccountEmail, { sweep: counted("confirmations") }),
        Layer.mock(Sessions, { sweep: Effect.andThen(counted("sessions"), away) }),
        Layer.mock(WalletLogin, { sweep: Effect.andThen(counted("challenges"), away) }),
        Layer.mock(Events, { sweep: counted("events") }),
        Layer.mock(FeedChanges, { announcing: () => (change) => change, sweep: counted("feeds") }),
        Layer.mock(Idempotency, { sweep: counted("records") }),
        Layer.mock(Imports, { sweep: counted("imports") }),
        Layer.mock(EmailCodes, { sweep: counted("codes") }),
        Layer.mock(RetiredHandles, { sweep: counted("handles") }),
        Layer.mock(Registrations, { sweep: counted("registrations") }),
        Layer.mock(Settlements, { sweep: counted("settlements") }),
        Layer.mock(Mails, { sweep: counted("mails") }),
        Layer.mock(Uploads, { sweep: counted("uploads") }),
        Layer.mock(Notifications, { sweep: counted("notifications") }),
        Layer.mock(Counters, { nextDue: (sql) => sql`null`, sweep: counted("counters") }),
        Layer.mock(PublicReports, { sweep: counted("reports") }),
        Layer.mock(Reads, { sweep: counted("reads") }),
        Layer.mock(Subscribers, { sweep: counted("subscribers") }),
        Layer.mock(Mailings, { sweep: counted("mailings") }),
        Layer.mock(Webhooks, { sweep: counted("webhooks") })
      )
      yield* Layer.build(HousekeepingWorker.pipe(Layer.provide(services)))
      yield* TestClock.adjust("59 seconds")
      const names = [
        "confirmations",
        "sessions",
        "challenges",
        "events",
        "feeds",
        "records",
        "imports",
        "codes",
        "handles",
        "registrations",
        "settlements",
        "mails",
        "uploads",
        "notifications",
        "counters",
        "reports",
        "reads",
        "subscribers",
        "mailings",
        "webhooks"
      ]
      const once = Object.fromEntries(names.map((name) => [name, 1]))
      assert.deepStrictEqual(yield* Ref.get(runs), once)
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(new Set(Object.values(yield* Ref.get(runs))), new Set([3]))
    })
  )
})
