import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { mail, send } from "./smtpSend.ts"
import { smtpServer } from "./smtpServer.ts"

/** Returns the headers of a message by their names in lower case. */
const headersOf = (message: string) => {
  const head = message.slice(0, message.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ")
  return new Map(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
  )
}

describe("a mail that can be unsubscribed from", () => {
  it.effect("A mail has the unsubscribe headers of RFC 8058, with the whole URL", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const unsubscribeUrl = `https://press.example.org/unsubscribe?token=${"aB3_-".repeat(60)}`
      yield* send(`smtp://127.0.0.1:${port}`, { ...mail, unsubscribeUrl })
      const headers = headersOf((yield* Queue.take(received)).message)
      assert.strictEqual(headers.get("list-unsubscribe"), `<${unsubscribeUrl}>`)
      assert.strictEqual(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click")
    })
  )

  it.effect("A mail that its reader asked for has no unsubscribe header", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      yield* send(`smtp://127.0.0.1:${port}`, mail)
      const headers = headersOf((yield* Queue.take(received)).message)
      assert.isTrue(headers.has("subject"))
      assert.isFalse(headers.has("list-unsubscribe"))
      assert.isFalse(headers.has("list-unsubscribe-post"))
    })
  )

  it.effect("A mail has no other header and no second URL, for any URL", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const evils = [
        "\r\nBcc: eve@example.net",
        "\nBcc: eve@example.net",
        "\u2028Bcc: x@y",
        ">, <mailto:eve@example.net"
      ]
      for (const evil of evils) {
        yield* send(`smtp://127.0.0.1:${port}`, {
          ...mail,
          unsubscribeUrl: `https://press.example.org/${evil}`
        })
        const { message, to } = yield* Queue.take(received)
        assert.deepStrictEqual(to, ["ada@example.org"])
        const headers = headersOf(message)
        assert.isFalse(headers.has("bcc"))
        assert.match(headers.get("list-unsubscribe") ?? "", /^<https:\/\/press\.example\.org\/[^<>]*>$/)
      }
    })
  )

  it.effect("A mail to a reader names them in its envelope alone, and any other mail does not", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const bounceToken = "0123456789ab".repeat(4)
      const url = `smtp://127.0.0.1:${port}`
      const bounces = { bounces: "bounces-of-mail@mail.example" }
      yield* send(url, { ...mail, bounceToken }, bounces)
      const named = yield* Queue.take(received)
      assert.strictEqual(named.from, `bounces-of-mail+${bounceToken}@mail.example`)
      assert.isAtMost(named.from.indexOf("@"), 64)
      assert.deepStrictEqual(named.to, ["ada@example.org"])
      assert.notInclude(named.message, bounceToken)
      yield* send(url, mail, bounces)
      yield* send(url, { ...mail, bounceToken })
      for (const _ of [1, 2]) assert.strictEqual((yield* Queue.take(received)).from, "press@example.com")
    })
  )
})
