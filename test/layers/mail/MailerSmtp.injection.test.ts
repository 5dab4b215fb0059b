import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { failure, mail, send } from "./smtpSend.ts"
import { smtpServer } from "./smtpServer.ts"

describe("mail with injected content", () => {
  it.effect("A mail has no second recipient or header, for any name and subject", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const evils = [
        "\r\nBcc: eve@example.net",
        "\nBcc: eve@example.net",
        "\rBcc: eve@example.net",
        "\u2028Bcc: x@y"
      ]
      const names = [
        ...evils,
        `" <eve@example.net>, "`,
        "<eve@example.net>",
        "a, b",
        "Ünï =?utf-8?q?=0D=0ABcc:_x?="
      ]
      for (const name of names) {
        yield* send(`smtp://127.0.0.1:${port}`, {
          ...mail,
          to: { ...mail.to, name },
          subject: `Hello${name}`
        })
        const { message, to } = yield* Queue.take(received)
        assert.deepStrictEqual(to, ["ada@example.org"])
        const head = message.slice(0, message.indexOf("\r\n\r\n"))
        assert.notMatch(head, /^bcc:/im)
        assert.strictEqual(head.match(/^to:/gim)?.length, 1)
        assert.match(head.replaceAll(/\r\n[ \t]/g, " "), /^To: .*<ada@example\.org>$/m)
      }
    })
  )

  it.effect("A mail to an invalid address is not sent", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const local = "x".repeat(64)
      const bad = [
        "ada@example.org\r\nRCPT TO:<eve@example.net>",
        "ada@example.org, eve@example.net",
        "<eve@example.net>",
        "ada@example.org>",
        "ada example@example.org",
        "ada@eve@example.org",
        "@example.org",
        "ada@",
        "ada",
        "",
        "ada\0@example.org",
        "ada\u202e@example.org",
        `x${local}@example.org`,
        `${local}@${"y".repeat(252)}.org`
      ]
      for (const address of bad) {
        assert.strictEqual(
          yield* failure(`smtp://127.0.0.1:${port}`, { ...mail, to: { address } }),
          "MailRejected address",
          address
        )
      }
      yield* send(`smtp://127.0.0.1:${port}`, { ...mail, to: { address: `${local}@${"y".repeat(63)}.org` } })
      // An address may have 320 characters (spec 8), also when a server refuses it, as this one does.
      const longest = `${local}@${`${"y".repeat(62)}.`.repeat(4)}org`
      assert.lengthOf(longest, 320)
      assert.strictEqual(
        yield* failure(`smtp://127.0.0.1:${port}`, { ...mail, to: { address: longest } }),
        "MailRejected recipient"
      )
      yield* send(`smtp://127.0.0.1:${port}`, { ...mail, to: { address: "jörg@bücher.example" } })
      assert.strictEqual(yield* Queue.size(received), 2)
    })
  )

  it.effect("A mail reads no file and no URL", () =>
    Effect.gen(function* () {
      const { port, received } = yield* smtpServer()
      const text = { path: "/etc/passwd" } as unknown as string
      assert.strictEqual(
        yield* failure(`smtp://127.0.0.1:${port}`, { ...mail, text }),
        "MailRejected message"
      )
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )
})
