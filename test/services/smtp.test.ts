import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, type Duration, Effect, Layer, Queue, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server"
import * as MailerSmtp from "../../layers/mail/MailerSmtp.ts"
import { EmailAddress } from "../../schemas/platform/EmailAddress.ts"
import { MailWorker } from "../../src/platform/mail/MailWorker.ts"
import { Mailer } from "../../src/platform/ports/Mailer.ts"
import { certificate } from "../layers/mail/certificate.ts"
import { smtpServer, type Received } from "../layers/mail/smtpServer.ts"
import { ada, as, code, loginCode, ORIGIN, outbox, ownerOf, post, rows } from "../platform/mail/outbox.ts"
import { database } from "../support/Database.ts"
import { eventually } from "../support/eventually.ts"

/** A server that accepts mail only over STARTTLS and after a login, as providers do. */
const guarded: SMTPServerOptions = {
  authOptional: false,
  authMethods: ["PLAIN", "LOGIN"],
  onAuth: ({ password, username }, { secure }, callback) =>
    secure && username === "press" && password === "s3cret"
      ? callback(null, { user: username })
      : callback(new Error("no"))
}

/** The way of a mail from the request to the server on this port. */
const service = Effect.fnUntraced(function* (
  name: string,
  port: number,
  timeout: Duration.Input = "500 millis"
) {
  const smtp = yield* Layer.build(
    MailerSmtp.layer({
      url: Redacted.make(`smtp://press:s3cret@localhost:${port}?starttls=required`),
      from: { name: "Pennypress", address: "press@example.com" },
      timeout,
      certificateAuthority: certificate
    }).pipe(Layer.provide(SecureRandom.layerWebCrypto))
  )
  const process = yield* Layer.build(
    outbox(database(`services_smtp_${name}`), { mailer: Context.get(smtp, Mailer) })
  )
  yield* as(process)(Layer.build(MailWorker))
  return {
    ownerOf: (email: string) => as(process)(ownerOf(email)),
    post: (...mail: Parameters<typeof post>) => as(process)(post(...mail)),
    empty: eventually("an empty outbox", as(process)(Effect.map(rows, ({ length }) => length === 0))),
    waiting: as(process)(Effect.map(rows, ({ length }) => length))
  }
})

/** An unused port. */
const freePort = Effect.scoped(Effect.map(smtpServer(), ({ port }) => port))

/** Returns a header of a message, unfolded. */
const header = ({ message }: Received, name: string) => {
  const head = message.slice(0, message.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]/g, " ")
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]
}

/** Returns the type and the text of each part of a multipart message. */
const parts = (received: Received) => {
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(header(received, "Content-Type") ?? "") ?? []
  return received.message
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = "", ...body] = part.split("\r\n\r\n")
      const text = body.join("\r\n\r\n")
      const isQuoted = /quoted-printable/i.test(head)
      return {
        type: /^Content-Type: ([^;\r]+)/im.exec(head)?.[1],
        text: isQuoted ? text.replaceAll("=\r\n", "").replaceAll("=3D", "=") : text
      }
    })
}

/** Troubles the first mail, and accepts the others. */
const troubledFirst = (trouble: (session: SMTPServerSession, callback: (error: Error) => void) => void) => {
  let mails = 0
  return {
    ...guarded,
    onRcptTo: (_: unknown, session: SMTPServerSession, callback: (error?: Error) => void) =>
      mails++ === 0 ? trouble(session, callback) : callback()
  } satisfies SMTPServerOptions
}

const answering = (responseCode: number) => Object.assign(new Error("no"), { responseCode })

describe("mail through an SMTP server", () => {
  it.live("A mail arrives once, over STARTTLS and with our login, as text and HTML", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer(guarded)
      const { empty, ownerOf, post } = yield* service("arrives", port)
      yield* ownerOf(ada)
      yield* post(loginCode)
      const mail = yield* Queue.take(received)
      yield* empty
      assert.deepStrictEqual(
        { from: mail.from, to: mail.to, isSecure: mail.isSecure, user: mail.user },
        { from: "press@example.com", to: ["ada@example.org"], isSecure: true, user: "press" }
      )
      assert.strictEqual(header(mail, "From"), "Pennypress <press@example.com>")
      assert.strictEqual(header(mail, "To"), "ada@example.org")
      assert.strictEqual(header(mail, "Subject"), `${code} is your Pennypress code`)
      assert.strictEqual(header(mail, "Auto-Submitted"), "auto-generated")
      assert.strictEqual(header(mail, "MIME-Version"), "1.0")
      assert.match(header(mail, "Message-ID") ?? "", /^<[0-9a-f-]{36}@example\.com>$/)
      assert.isBelow(
        Math.abs(Date.parse(header(mail, "Date") ?? "") - performance.timeOrigin - performance.now()),
        60_000
      )
      assert.match(header(mail, "Content-Type") ?? "", /^multipart\/alternative;/)
      const [text, html, ...others] = parts(mail)
      assert.lengthOf(others, 0)
      assert.strictEqual(text?.type, "text/plain")
      assert.strictEqual(html?.type, "text/html")
      for (const part of [text, html]) {
        assert.include(part?.text, code)
        assert.include(part?.text, ORIGIN)
      }
      assert.include(html?.text, `<html lang="en">`)
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.live("A mail arrives when a refusing server is back, and no request waits for it", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const { empty, post, waiting } = yield* service("refuses", port)
      yield* Effect.replicateEffect(post(), 3)
      assert.strictEqual(yield* waiting, 3)
      const { received } = yield* smtpServer(guarded, port)
      yield* Effect.replicateEffect(Queue.take(received), 3)
      yield* empty
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.live("A mail arrives once when the server hangs after DATA, and no request waits", () =>
    Effect.gen(function* () {
      const hung = yield* Deferred.make<void>()
      let mails = 0
      const server = yield* smtpServer(guarded)
      const { onData } = server.server
      server.server.onData = (stream: SMTPServerDataStream, session, callback) => {
        if (mails++ > 0) return onData.call(server.server, stream, session, callback)
        stream.resume()
        stream.on("end", () => Deferred.doneUnsafe(hung, Effect.void))
      }
      const { empty, post, waiting } = yield* service("hangs", server.port)
      yield* post()
      yield* Deferred.await(hung)
      yield* post(loginCode, EmailAddress.make("nobody@example.org"))
      assert.isAtLeast(yield* waiting, 1)
      yield* empty
      assert.strictEqual(mails, 1)
      yield* post()
      yield* Queue.take(server.received)
    })
  )

  it.live("A mail arrives once from a server that takes three seconds to greet and to answer its text", () =>
    Effect.gen(function* () {
      let sessions = 0
      const server = yield* smtpServer({
        ...guarded,
        onConnect: (_, callback) => {
          sessions += 1
          void setTimeout(3_000).then(() => callback())
        }
      })
      const { onData } = server.server
      server.server.onData = (stream: SMTPServerDataStream, session, callback) =>
        onData.call(server.server, stream, session, () => void setTimeout(3_000).then(() => callback()))
      const { empty, ownerOf, post } = yield* service("late", server.port, "1 minute")
      yield* ownerOf(ada)
      yield* post(loginCode)
      yield* Queue.take(server.received)
      yield* empty
      assert.strictEqual(sessions, 1)
      assert.strictEqual(yield* Queue.size(server.received), 0)
    })
  )

  it.live("A mail arrives although the server dropped the connection", () =>
    Effect.gen(function* () {
      const server = yield* smtpServer(
        troubledFirst(() => server.server.connections.forEach((it) => it._socket.destroy()))
      )
      const { empty, post } = yield* service("drops", server.port)
      yield* post()
      yield* Queue.take(server.received)
      yield* empty
      assert.strictEqual(yield* Queue.size(server.received), 0)
    })
  )

  it.live("A mail arrives after the server asked to retry later", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer(troubledFirst((_, callback) => callback(answering(451))))
      const { empty, post } = yield* service("defers", port)
      yield* post()
      yield* Queue.take(received)
      yield* empty
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.live("A mail to an unknown mailbox is dropped, without holding up others", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { port, received } = yield* smtpServer({
        ...guarded,
        onRcptTo: ({ address }, _, callback) => {
          asked.push(address)
          return address === ada ? callback(answering(550)) : callback()
        }
      })
      const { empty, post } = yield* service("rejects", port)
      yield* post()
      yield* post(undefined, EmailAddress.make("grace@example.org"))
      assert.deepStrictEqual((yield* Queue.take(received)).to, ["grace@example.org"])
      yield* empty
      assert.deepStrictEqual(asked.toSorted(), [ada, "grace@example.org"])
    })
  )
})
