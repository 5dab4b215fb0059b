import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted, Result, Schema } from "effect"
import * as fc from "fast-check"
import { mailFrom, MailboxFromString } from "../../../layers/mail/mailMessage.ts"
import { parseSmtpUrl } from "../../../layers/mail/smtpUrl.ts"

const parse = (url: string) => parseSmtpUrl(Redacted.make(url))
const read = (url: string) =>
  Result.getOrNull(
    Result.map(parse(url), ({ host, port, startTls, tls }) => `${host} ${port} ${tls} ${startTls}`)
  )

describe("SMTP_URL", () => {
  it("The URL names host, port and the protection of the connection", () => {
    assert.strictEqual(read("smtp://mail.example.org"), "mail.example.org 587 false offered")
    assert.strictEqual(read("smtp://mail.example.org:25/"), "mail.example.org 25 false offered")
    assert.strictEqual(read("smtps://mail.example.org"), "mail.example.org 465 true offered")
    assert.strictEqual(read("smtp://a:b@mail.example.org"), "mail.example.org 587 false required")
    assert.strictEqual(read("smtp://a:b@mail.example.org?starttls=never"), "mail.example.org 587 false never")
    assert.strictEqual(read("smtp://localhost:1025"), "localhost 1025 false never")
    assert.strictEqual(read("smtp://a:b@127.0.0.1:1025"), "127.0.0.1 1025 false never")
    assert.strictEqual(read("smtp://[::1]:1025"), "::1 1025 false never")
  })

  it("The URL holds a login, percent-encoded", () => {
    const login = Option.getOrThrow(Result.getOrThrow(parse("smtp://us%40er:p%3A%2Fw@host")).login)
    assert.strictEqual(login.user, "us@er")
    assert.strictEqual(Redacted.value(login.password), "p:/w")
    assert.notInclude(JSON.stringify(login), "p:/w")
    assert.isTrue(Option.isNone(Result.getOrThrow(parse("smtp://host")).login))
  })

  it("A wrong SMTP_URL is refused without repeating it", () => {
    const bad = [
      "",
      "secret",
      "http://secret@host",
      "smtp://",
      "smtp:secret",
      "smtp://host/secret",
      "smtp://host#secret"
    ]
    for (const url of [
      ...bad,
      "smtp://host?secret=1",
      "smtp://host?starttls=secret",
      "smtp://secret%zz:x@host"
    ]) {
      const problem = Option.getOrThrow(Result.getFailure(parse(url)))
      assert.notInclude(problem, "secret", url)
    }
  })

  it("Any text is at most refused as SMTP_URL", () => {
    const near = fc.string({ unit: fc.constantFrom(..."smtp:/@%?=[]. 0a") }).map((rest) => `smtp://${rest}`)
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (url) =>
        assert.isTrue(Result.isResult(parse(url)))
      )
    )
  })
})

describe("MAIL_FROM", () => {
  const decode = Schema.decodeUnknownOption(MailboxFromString)

  it("The sender is an address with or without a name", () => {
    assert.deepStrictEqual(decode("a@b.c"), Option.some({ address: "a@b.c" }))
    assert.deepStrictEqual(decode("<a@b.c>"), Option.some({ address: "a@b.c" }))
    assert.deepStrictEqual(
      decode("Penny Press <a@b.c>"),
      Option.some({ name: "Penny Press", address: "a@b.c" })
    )
    assert.deepStrictEqual(
      decode(`"Press, Penny" <a@b.c>`),
      Option.some({ name: "Press, Penny", address: "a@b.c" })
    )
    for (const bad of ["", "a", "A <a>", "a@b, c@d", "A <a@b> <c@d>", "A <a@b", "A\r\nBcc: x <a@b\r\n>"]) {
      assert.isTrue(Option.isNone(decode(bad)), bad)
    }
  })

  it.effect("The sender has a default", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* mailFrom).address, "pennypress@localhost")
    }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))
  )

  it("Any text is at most refused as MAIL_FROM", () => {
    const near = fc.string({ unit: fc.constantFrom(...`a@<>" ,.`) })
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (text) =>
        assert.isBoolean(Option.isSome(decode(text)))
      )
    )
  })
})
