import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { MailRejected, MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { database } from "../../support/Database.ts"
import { Logs } from "../http/Logs.ts"
import {
  ada,
  code,
  deliver,
  emailChanged,
  loginCode,
  nothing,
  outbox,
  ownerOf,
  post,
  TEN_MINUTES
} from "./outbox.ts"

/** Returns the metrics of mail after the effect, by their attributes. */
const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* effect
    const all = yield* Metric.snapshot
    return Object.fromEntries(
      all
        .filter(({ id }) => id.startsWith("mails_"))
        .map(({ attributes = {}, id, state }) => [
          [id, ...Object.values(attributes)].join(" "),
          "count" in state ? state.count : "value" in state ? state.value : undefined
        ])
    )
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const observed = outbox(database("test_mail_observed")).pipe(Layer.provideMerge(Logs.layer))

layer(observed)("what operators see of mail", (it) => {
  /** Posts and delivers mails for each of the outcomes. */
  const everyOutcome = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { failNext } = yield* MailerMemory
    yield* nothing
    yield* ownerOf(ada)
    yield* Effect.andThen(post(loginCode), deliver)
    yield* failNext(new MailRejected({ reason: "recipient" }))
    yield* Effect.andThen(post(loginCode), deliver)
    yield* failNext(new MailUnavailable({ reason: "deferred" }))
    yield* Effect.andThen(post(emailChanged), deliver)
    yield* TestClock.adjust(1_000)
    yield* deliver
    yield* post(emailChanged)
    yield* TestClock.adjust(TEN_MINUTES)
    yield* deliver
    yield* post(emailChanged)
    yield* sql`update mails set sealed_content = ${new Uint8Array(64)}`
    yield* deliver
  })

  it.effect("Attempts are counted by kind and outcome", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* counted(everyOutcome), {
        "mails_total login_code settled": 1,
        "mails_total login_code rejected": 1,
        "mails_total email_changed retried": 1,
        "mails_total email_changed settled": 1,
        "mails_total email_changed expired": 1,
        "mails_total unknown retried": 1
      })
    })
  )

  it.effect("A mail that the server may have taken counts as unknown", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* (yield* MailerMemory).failNext(new MailUnavailable({ reason: "unknown" }))
      assert.deepStrictEqual(yield* counted(Effect.andThen(post(emailChanged), deliver)), {
        "mails_total email_changed unknown": 1
      })
    })
  )

  it.effect("Public metrics do not reveal whether a mailbox has an owner", () =>
    Effect.gen(function* () {
      yield* nothing
      const ofNobody = yield* counted(Effect.andThen(post(loginCode), deliver))
      yield* ownerOf(ada)
      const ofOwner = yield* counted(Effect.andThen(post(loginCode), deliver))
      assert.deepStrictEqual(ofNobody, { "mails_total login_code settled": 1 })
      assert.deepStrictEqual(ofOwner, ofNobody)
    })
  )

  it.effect("A mail that expired in its last attempt counts as expired", () =>
    Effect.gen(function* () {
      yield* nothing
      yield* (yield* MailerMemory).failNext(new MailUnavailable({ reason: "connection" }))
      assert.deepStrictEqual(yield* counted(Effect.andThen(post(emailChanged, ada, 500), deliver)), {
        "mails_total email_changed expired": 1
      })
    })
  )

  it.effect("The sweep counts the mails that wait", () =>
    Effect.gen(function* () {
      yield* nothing
      const { sweep } = yield* Mails
      assert.deepStrictEqual(yield* counted(Effect.andThen(Effect.replicateEffect(post(), 3), sweep)), {
        mails_waiting: 3
      })
    })
  )

  it.effect("Logs name a mail by its id, and contain neither mailboxes nor codes", () =>
    Effect.gen(function* () {
      const lines = yield* Logs
      lines.length = 0
      yield* everyOutcome
      assert.deepStrictEqual(
        lines.map(({ annotations, level, message }) => [
          level,
          message,
          annotations["kind"],
          annotations["reason"]
        ]),
        [
          ["Warn", "A mail was rejected", "login_code", "recipient"],
          ["Info", "A mail is delayed", "email_changed", "deferred"],
          ["Warn", "A mail expired before it could be sent", "email_changed", undefined],
          ["Warn", "A mail cannot be decrypted or read by this process", "unknown", undefined]
        ]
      )
      for (const { annotations } of lines) assert.match(String(annotations["mail"]), /^[0-9a-f-]{36}$/)
      assert.notMatch(JSON.stringify(lines), new RegExp(`${code}|ada|example`))
    })
  )
})
