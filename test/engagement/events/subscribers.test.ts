import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { MailRejected } from "../../../src/platform/ports/Mailer.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { begin } from "../notifications/mails/mailing.ts"
import { postMails, prepare, send } from "../subscribers/mailing.ts"
import { ask, open, subscribed } from "../subscribers/readers.ts"
import { assertDescribed, dispatch, listenerOf } from "./listening.ts"

layer(service(database("test_event_subscribers")))("the events about readers by mail", (it) => {
  it.effect("A reader who confirms and one who leaves are each one event, without an address", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* authorOf(1)
      const listener = yield* listenerOf(author)
      const { nextCursor } = (yield* listener.page()).pagination
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      for (const name of ["leaves", "removed", "bounces"])
        yield* subscribed(author.handle, `${name}@example.org`)
      yield* ask(author.handle, "pending@example.org")
      const publish = Effect.gen(function* () {
        const { id } = yield* author.published()
        const sent = yield* client.send("POST", `/api/v1/posts/${id}/mailing`, {
          token: author.key,
          body: { action: "send_now" }
        })
        assert.strictEqual(sent.status, 202, sent.text)
      })
      yield* publish
      const mails = yield* postMails
      const end = mails.find(({ to }) => to.address.startsWith("leaves"))?.unsubscribeUrl ?? ""
      for (const _ of [1, 2]) yield* open("POST", end)
      yield* open("POST", `${end}/all`)
      const idOf = (address: string) =>
        Effect.map(
          sql<{ readonly id: string }>`select id from subscribers where address = ${address}`,
          ([row]) => row?.id ?? ""
        )
      for (const name of ["removed", "removed", "pending"])
        yield* client.send("DELETE", `/api/v1/subscribers/${yield* idOf(`${name}@example.org`)}`, {
          token: author.accessToken
        })
      const memory = yield* MailerMemory
      for (let n = 0; n < 3; n++) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.andThen(publish, prepare)
        yield* memory.failNext(new MailRejected({ reason: "recipient" }))
        yield* send
      }
      yield* dispatch
      const page = yield* listener.page({ after: nextCursor })
      const events = page.data.filter(({ type }: any) => type.startsWith("subscriber."))
      events.forEach(assertDescribed)
      assert.deepStrictEqual(
        events.map(({ data, type }: any) => `${type} ${data.subscriber.endedBy}`),
        [
          ...Array.from({ length: 3 }, () => "subscriber.confirmed null"),
          ...["reader", "author", "bounce"].map((by) => `subscriber.ended ${by}`)
        ]
      )
      assert.notInclude(JSON.stringify(page), "@example.org")
    })
  )
})
