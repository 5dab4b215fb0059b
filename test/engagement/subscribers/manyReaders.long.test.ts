import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Queue, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as MailerSmtp from "../../../layers/mail/MailerSmtp.ts"
import { MailingsWorker } from "../../../src/engagement/subscribers/mailings/MailingsWorker.ts"
import { MailWorker } from "../../../src/platform/mail/MailWorker.ts"
import { type Received, smtpServer } from "../../layers/mail/smtpServer.ts"
import { authorOf } from "../../support/actors/author.ts"
import { freshDatabase } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { processOver, TestClient } from "../../support/TestClient.ts"

const READERS = soak(600, 10_000)

/** Starts a process of the service with its workers of mail, which ends with the scope. */
const start = Effect.fnUntraced(function* (url: Redacted.Redacted, port: number, seed: number) {
  const mailer = MailerSmtp.layer({
    url: Redacted.make(`smtp://127.0.0.1:${port}`),
    from: { name: "Press", address: "press@example.org" }
  }).pipe(Layer.orDie)
  const process = yield* processOver(url, seed, { changePorts: (ports) => Layer.merge(ports, mailer) })
  yield* Layer.build(Layer.merge(MailWorker, MailingsWorker)).pipe(Effect.provideContext(process))
  return process
})

describe("mail to many readers", () => {
  it.live(
    "Mail reaches each address once over a real server, also when the process is restarted in the middle",
    () =>
      Effect.gen(function* () {
        const { port, received } = yield* smtpServer()
        const url = yield* freshDatabase("test_many_readers")
        const first = yield* Scope.make()
        const process = yield* start(url, port, 1).pipe(Scope.provide(first))
        const sql = Context.get(process, SqlClient.SqlClient)
        const { author, id } = yield* Effect.gen(function* () {
          const author = yield* authorOf(1)
          const client = yield* TestClient
          const me = yield* client.send("GET", `/api/profile/${author.handle}`)
          yield* Effect.orDie(sql`
            insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
            select i, ${me.body.id}::uuid, 'reader' || n || '@example.org', 'reader' || n || '@example.org', 'active',
              '2026-01-01', '2026-01-01', i, '2026-01-01'
            from (select n, gen_random_uuid() as i from generate_series(1, ${READERS}::int) n) r`)
          const { id } = yield* author.published()
          yield* client.send("POST", `/api/v1/posts/${id}/mailing`, {
            token: author.key,
            body: { action: "send_now" }
          })
          return { author, id }
        }).pipe(Effect.provideContext(process))

        const counts = new Map<string, number>()
        const ids = new Set<string>()
        const take = (mail: Received) => {
          const [address = ""] = mail.to
          counts.set(address, (counts.get(address) ?? 0) + 1)
          ids.add(/^Message-ID: (.*)$/im.exec(mail.message)?.[1] ?? "")
          assert.match(mail.message, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
          assert.match(mail.message, /^List-Id: <author1\.posts\.press\.test>\r$/im)
          assert.notMatch(mail.message, /^Auto-Submitted:/im)
        }
        const takeUntil = (count: number) =>
          Effect.gen(function* () {
            while (counts.size < count) take(yield* Queue.take(received))
          })

        const began = performance.now()
        yield* takeUntil(Math.floor(READERS / 3))
        yield* Scope.close(first, Exit.void)
        yield* Effect.gen(function* () {
          const second = yield* start(url, port, 2)
          yield* takeUntil(READERS)
          const seconds = (performance.now() - began) / 1000
          yield* Effect.logInfo(
            `${Math.round(READERS / seconds)} mails/s, ${Math.round(globalThis.process.memoryUsage().rss / 1e6)} MB`
          )
          yield* Effect.sleep("300 millis")
          for (const mail of yield* Queue.clear(received)) take(mail)
          const client = Context.get(second, TestClient)
          const { body } = yield* client.send("GET", `/api/v1/posts/${id}/mailing`, { token: author.key })
          assert.include(body, { state: "sent", recipients: READERS, sent: READERS, failed: 0 })
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(new Set(counts.values()), new Set([1]))
        assert.strictEqual(ids.size, READERS)
      }).pipe(Effect.scoped),
    600_000
  )
})
