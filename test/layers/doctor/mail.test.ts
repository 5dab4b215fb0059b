import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { mailCheck } from "../../../layers/doctor/mail.ts"
import { rawServer, scriptedServer, smtpServer } from "../mail/smtpServer.ts"
import { states } from "./examined.ts"

describe("the doctor at a mail server", () => {
  it.live("A mail server that stays silent, refuses or cuts is named with what it owed", () =>
    Effect.gen(function* () {
      const mailOf = Effect.fnUntraced(function* (url: string) {
        const findings = yield* mailCheck(
          {
            MAIL_FROM: { address: "press@nowhere.invalid" },
            ADMIN_TOKEN: Option.none(),
            MAIL_BOUNCES: Option.none(),
            MAIL_POSTAL_ADDRESS: Option.none(),
            SUBSCRIPTIONS: Option.none(),
            PUBLIC_BASE_URL: "http://localhost",
            SMTP_URL: Option.some(Redacted.make(url))
          },
          "100 millis"
        )
        assert.deepStrictEqual(states(findings), ["fault"])
        return findings[0]!.said
      })
      const answering = (answer: (line: string, socket: Socket) => string | undefined) =>
        Effect.flatMap(scriptedServer(answer), (port) =>
          mailOf(`smtp://press:s3cret@127.0.0.1:${port}?starttls=never`)
        )
      const silent = yield* rawServer(() => {})
      assert.include(yield* mailOf(`smtp://127.0.0.1:${silent}`), "Waited in vain for the greeting")
      assert.include(yield* mailOf(`smtps://127.0.0.1:${silent}`), "Waited in vain for the connection")
      assert.include(yield* answering(() => undefined), "Waited in vain for the answer to EHLO")
      const extensions = "250-test\r\n250 AUTH PLAIN"
      const upTo = (step: string, trouble: (socket: Socket) => string | undefined) =>
        answering((line, socket) => (line.startsWith(step) ? trouble(socket) : extensions))
      assert.include(yield* upTo("AUTH", () => undefined), "Waited in vain for the answer to AUTH")
      assert.include(yield* upTo("AUTH", () => "535 no"), "refuses the login (535)")
      assert.include(yield* upTo("EHLO", () => "421 busy"), "answers 421 to EHLO")
      const cut = (socket: Socket) => {
        socket.destroy()
        return undefined
      }
      assert.match(yield* upTo("EHLO", cut), /^The connection failed .* waited for the answer to EHLO/)
      assert.include(yield* mailOf("smtp://127.0.0.1:1"), "The connection failed (ECONNREFUSED)")
      const { port } = yield* smtpServer({ secure: true })
      assert.include(yield* mailOf(`smtps://localhost:${port}`), "No TLS connection")
    })
  )

  it.live("A service with mail to readers is told what it lacks", () =>
    Effect.gen(function* () {
      const { port } = yield* smtpServer()
      const lacks = (MAIL_BOUNCES: Option.Option<string>, SUBSCRIPTIONS: "on" | "off") =>
        Effect.map(
          mailCheck({
            MAIL_FROM: { address: "press@nowhere.invalid" },
            ADMIN_TOKEN: Option.none(),
            MAIL_BOUNCES,
            MAIL_POSTAL_ADDRESS: Option.none(),
            SUBSCRIPTIONS: Option.some(SUBSCRIPTIONS),
            PUBLIC_BASE_URL: "http://localhost",
            SMTP_URL: Option.some(Redacted.make(`smtp://127.0.0.1:${port}`))
          }),
          (findings) =>
            findings.flatMap(({ advice, said }) =>
              /postal|MAIL_BOUNCES/.test(said) ? [advice?.slice(0, 20)] : []
            )
        )
      const bounces = Option.some("bounces@mail.example")
      assert.deepStrictEqual(yield* lacks(bounces, "off"), [])
      assert.deepStrictEqual(yield* lacks(Option.none(), "on"), ["Set MAIL_POSTAL_ADDR"])
      assert.deepStrictEqual(yield* lacks(bounces, "on"), ["Set MAIL_POSTAL_ADDR", "Set ADMIN_TOKEN for "])
    })
  )
})
