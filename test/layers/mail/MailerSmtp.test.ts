import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import { MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { certificate } from "./certificate.ts"
import { failure, mail, send } from "./smtpSend.ts"
import { rawServer, scriptedServer, smtpServer } from "./smtpServer.ts"

const refusing = (responseCode: number) => (_: unknown, __: unknown, callback: (error: Error) => void) =>
  callback(Object.assign(new Error(`about ada@example.org`), { responseCode }))

describe("mail over SMTP", () => {
  it.effect("A mail arrives whole, from our address, at its one recipient", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      yield* send(`smtp://127.0.0.1:${port}`)
      const { from, isSecure, message, to } = yield* Queue.take(received)
      assert.deepStrictEqual(
        { from, to, isSecure },
        { from: "press@example.com", to: ["ada@example.org"], isSecure: false }
      )
      assert.include(message, "From: Pennypress <press@example.com>\r\n")
      assert.include(message, "To: Ada <ada@example.org>\r\n")
      assert.include(message, "Subject: Your code\r\n")
      assert.include(message, "Date: Sat, 21 Nov 2026 05:00:00 +0000\r\n")
      assert.include(message, `Message-ID: <${mail.id}@example.com>\r\n`)
      assert.include(message, "Auto-Submitted: auto-generated\r\n")
      assert.include(message, "Your code is 123456\r\n")
      assert.include(message, "<p>Your code is <b>123456</b></p>")
    })
  )

  for (const [origin, address, name] of [
    ["https://press.example:8443", "press@example.com", "press.example"],
    ["https://pénny.example", "press@example.com", "xn--pnny-bpa.example"],
    ["http://localhost:4020", "press@example.com", "example.com"],
    ["http://192.0.2.7:4020", "press@example.com", "example.com"],
    ["http://[2001:db8::7]", "press@example.com", "example.com"],
    ["http://pennypress", "press@münchen.example", "xn--mnchen-3ya.example"],
    [undefined, "press@example.com", "example.com"]
  ] as const)
    it.effect(`A session of ${address} at ${origin} begins with the name ${name}`, () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const port = yield* scriptedServer((line) => {
          lines.push(line)
          return "550 no"
        })
        yield* failure(`smtp://127.0.0.1:${port}`, mail, { origin, from: { address } })
        assert.include(lines, `EHLO ${name}`)
        assert.include(lines, `HELO ${name}`)
      })
    )

  it.effect("A mail goes over STARTTLS with our login and a verified certificate", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer({
        onAuth: ({ password, username }, _, callback) =>
          username === "us@er" && password === "p:w/d"
            ? callback(null, { user: username })
            : callback(new Error("no"))
      })
      const url = (password: string) => `smtp://us%40er:${password}@localhost:${port}?starttls=required`
      yield* send(url("p%3Aw%2Fd"), mail, { certificateAuthority: certificate })
      const { isSecure, user } = yield* Queue.take(received)
      assert.deepStrictEqual({ isSecure, user }, { isSecure: true, user: "us@er" })
      const wrong = yield* failure(url("wrong"), mail, { certificateAuthority: certificate })
      assert.strictEqual(wrong, "MailUnavailable refused_us")
      assert.strictEqual(yield* failure(url("p%3Aw%2Fd")), "MailUnavailable connection")
    })
  )

  it.effect("A mail goes over TLS from the first byte", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer({ secure: true })
      yield* send(`smtps://localhost:${port}`, mail, { certificateAuthority: certificate })
      assert.isTrue((yield* Queue.take(received)).isSecure)
      assert.strictEqual(yield* failure(`smtps://localhost:${port}`), "MailUnavailable connection")
    })
  )

  it.effect("The password is never sent without the required STARTTLS", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const port = yield* scriptedServer((line) => {
        lines.push(line)
        return line.startsWith("EHLO") ? "250-test\r\n250 AUTH PLAIN LOGIN" : "500 no"
      })
      const outcome = yield* failure(`smtp://user:secret@localhost:${port}?starttls=required`)
      assert.match(outcome, /^MailUnavailable/)
      assert.isFalse(lines.some((line) => line.startsWith("AUTH")))
    })
  )
})

describe("mail that the server does not take", () => {
  const cases = [
    { on: "onRcptTo", code: 550, outcome: "MailRejected recipient" },
    { on: "onRcptTo", code: 552, outcome: "MailRejected recipient" },
    { on: "onRcptTo", code: 450, outcome: "MailUnavailable mailbox_deferred" },
    { on: "onRcptTo", code: 454, outcome: "MailUnavailable deferred" },
    { on: "onRcptTo", code: 421, outcome: "MailUnavailable deferred" },
    { on: "onRcptTo", code: 530, outcome: "MailUnavailable refused_us" },
    { on: "onMailFrom", code: 550, outcome: "MailUnavailable refused_us" },
    { on: "onMailFrom", code: 451, outcome: "MailUnavailable deferred" },
    { on: "onData", code: 554, outcome: "MailRejected message" },
    { on: "onData", code: 452, outcome: "MailUnavailable deferred" }
  ] as const

  for (const { code, on, outcome } of cases) {
    it.effect(`A refusal ${on} with ${code} is ${outcome}`, () =>
      Effect.gen(function* () {
        const onData = (stream: any, session: unknown, callback: (error: Error) => void) => {
          stream.resume()
          stream.on("end", () => refusing(code)(stream, session, callback))
        }
        const { port } = yield* smtpServer({ [on]: on === "onData" ? onData : refusing(code) })
        assert.strictEqual(yield* failure(`smtp://127.0.0.1:${port}`), outcome)
      })
    )
  }

  for (const [answer, outcome] of [
    ["550 no such user", "MailRejected recipient"],
    ["550 5.1.1 no such user", "MailRejected recipient"],
    ["552 5.2.2 full", "MailRejected recipient"],
    ["554 5.7.1 relay access denied", "MailUnavailable refused_us"],
    ["550-5.7.1 our list has your address\r\n550 5.7.1 no", "MailUnavailable refused_us"],
    ["550 5.1.8 sender address rejected", "MailUnavailable refused_us"],
    ["554 5.3.2 no mail today", "MailUnavailable refused_us"]
  ] as const)
    it.effect(`An answer to RCPT of ${answer.replace("\r\n", " ")} is ${outcome}`, () =>
      Effect.gen(function* () {
        const port = yield* scriptedServer((line) => (line.startsWith("RCPT") ? answer : "250 test"))
        assert.strictEqual(yield* failure(`smtp://127.0.0.1:${port}`), outcome)
      })
    )

  it.effect("A refusal repeats no words of the server, which may contain addresses", () =>
    Effect.gen(function* () {
      const { port } = yield* smtpServer({ onRcptTo: refusing(550) })
      const error = yield* Effect.flip(send(`smtp://127.0.0.1:${port}`))
      assert.notInclude(JSON.stringify(error) + String(error), "ada")
    })
  )
})

describe("a server that is silent or unavailable", () => {
  it.effect("A server that does not listen is a connection failure", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(rawServer(() => {}))
      assert.strictEqual(yield* failure(`smtp://127.0.0.1:${port}`), "MailUnavailable connection")
    })
  )

  it.effect("A missing greeting is an unknown failure, within the time-out", () =>
    Effect.gen(function* () {
      const port = yield* rawServer(() => {})
      const outcome = yield* failure(`smtp://127.0.0.1:${port}`, mail, { timeout: "200 millis" })
      assert.strictEqual(outcome, "MailUnavailable unknown")
    })
  )

  it.effect("A missing answer after DATA is unknown, and the mail may have arrived", () =>
    Effect.gen(function* () {
      let isWhole = false
      const { port } = yield* smtpServer({
        onData: (stream) => {
          stream.resume()
          stream.on("end", () => (isWhole = true))
        }
      })
      const outcome = yield* failure(`smtp://127.0.0.1:${port}`, mail, { timeout: "1 second" })
      assert.strictEqual(outcome, "MailUnavailable unknown")
      assert.isTrue(isWhole)
    })
  )

  it.effect("A connection closed after DATA is an unknown failure", () =>
    Effect.gen(function* () {
      const { port, server } = yield* smtpServer({
        onData: (stream) => {
          stream.resume()
          stream.on("end", () => server.connections.forEach((connection) => connection._socket.destroy()))
        }
      })
      assert.strictEqual(yield* failure(`smtp://127.0.0.1:${port}`), "MailUnavailable unknown")
    })
  )

  it.effect("Another protocol is an unknown failure", () =>
    Effect.gen(function* () {
      const port = yield* rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      assert.strictEqual(yield* failure(`smtp://127.0.0.1:${port}`), "MailUnavailable unknown")
    })
  )

  it.effect("Endless slow answers end with the time of the caller", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string>()
      const port = yield* scriptedServer((line, socket) => {
        Queue.offerUnsafe(asked, line)
        socket.write("250-")
        return undefined
      })
      const fiber = yield* Effect.forkChild(
        Effect.timeoutOption(send(`smtp://127.0.0.1:${port}`, mail, { timeout: "1 minute" }), "15 seconds")
      )
      yield* Queue.take(asked)
      yield* TestClock.adjust("15 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(fiber)))
    })
  )

  it.effect("A text is handed over when the server asks for it, and not before", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const port = yield* scriptedServer((line) => {
        lines.push(line)
        if (line === "DATA") return "354 go on"
        return line === "." || !lines.includes("DATA") ? "250 test" : undefined
      })
      const before: Array<string> = []
      const handOver = Effect.sync(() => before.push(...lines))
      yield* send(`smtp://127.0.0.1:${port}`, mail, {}, Effect.asVoid(handOver))
      assert.strictEqual(before.at(-1), "DATA")
      assert.include(lines, "Subject: Your code")
    })
  )

  it.effect("No text leaves if its handing over dies", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const outcome = yield* Effect.flip(send(`smtp://127.0.0.1:${port}`, mail, {}, Effect.die("gone")))
      assert.deepStrictEqual(outcome, new MailUnavailable({ reason: "unknown" }))
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.effect("The connection closes immediately when the send is interrupted", () =>
    Effect.gen(function* () {
      const events = yield* Queue.unbounded<string>()
      const port = yield* scriptedServer((line, socket) => {
        socket.on("close", () => Queue.offerUnsafe(events, "closed"))
        Queue.offerUnsafe(events, line.slice(0, 4))
        return undefined
      })
      const fiber = yield* Effect.forkChild(send(`smtp://127.0.0.1:${port}`, mail, { timeout: "1 minute" }))
      assert.strictEqual(yield* Queue.take(events), "EHLO")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Queue.take(events), "closed")
    })
  )
})
