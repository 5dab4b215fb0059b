import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as MailerSmtp from "../../../layers/mail/MailerSmtp.ts"
import { Mailer } from "../../../src/platform/ports/Mailer.ts"
import { mail } from "./smtpSend.ts"
import { smtpServer } from "./smtpServer.ts"

describe("connections that mails to readers share", () => {
  it.effect("A connection ends after 100 mails, and the next mail opens another", () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* smtpServer({
        onConnect: (_, callback) => {
          connections++
          callback()
        }
      })
      const counts: Array<number> = []
      yield* Effect.gen(function* () {
        const { send } = yield* Mailer
        for (const mails of [100, 1]) {
          yield* Effect.replicateEffect(send({ ...mail, listId: "posts.press.test" }, Effect.void), mails)
          counts.push(connections)
        }
      }).pipe(
        Effect.provide(
          MailerSmtp.layer({
            url: Redacted.make(`smtp://127.0.0.1:${port}`),
            from: { address: "press@example.com" }
          })
        )
      )
      assert.deepStrictEqual(counts, [1, 2])
    })
  )
})
