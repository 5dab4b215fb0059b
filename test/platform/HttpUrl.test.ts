import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isHttpUrl } from "../../schemas/platform/httpUrl.ts"
import { HttpUrl } from "../../schemas/platform/Text.ts"
import { answerTo } from "./answerTo.ts"

const hex = (codePoint: number) => codePoint.toString(16)

describe("a URL", () => {
  it("A URL is absolute, has a host and no credentials, and stays as it was sent", () => {
    for (const url of [
      "https://Example.COM",
      "http://[::1]:8080/a?b#c",
      "https://例え.jp/本",
      "https://a.b/@c?d=@"
    ])
      assert.strictEqual(answerTo(HttpUrl, url), url)
    const wrong =
      "/a //a.b https:a.b https:///a.b https://?a https://u@a.b https://u:p@a.b https://@a.b ftp://a.b"
    for (const url of [...wrong.split(" "), "javascript:alert(1)", "https://a.b\\@c.d", "https://a.b:99999"])
      assert.match(answerTo(HttpUrl, url), /^invalid: /, url)
  })

  it("A URL has no invisible characters", () => {
    for (const codePoint of [
      0, 9, 10, 0x7f, 0x85, 0xad, 0x200b, 0x200d, 0x202e, 0x2028, 0x2066, 0xfeff, 0xfdd0, 0xe0041
    ])
      assert.match(
        answerTo(HttpUrl, `https://a.b/${String.fromCodePoint(codePoint)}c`),
        /^invalid: /,
        hex(codePoint)
      )
  })

  it("A URL has at most 2048 characters", () => {
    const long = (length: number) => `https://a.b/${"c".repeat(length - 12)}`
    assert.strictEqual(answerTo(HttpUrl, long(2048)), long(2048))
    assert.match(answerTo(HttpUrl, long(2049)), /^too_long: /)
  })

  it("A URL is also recognized without the schema", () => {
    const emoji = (count: number) => `https://a.b/${"😀".repeat(count)}`
    const texts = [
      "https://a.b/c?d#e",
      "HTTP://é.example",
      "https://u@a.b",
      "//a.b",
      "https://a.b/\0",
      "https://a.b/\ud800",
      ""
    ]
    for (const text of [...texts, emoji(2036), emoji(2037), `https://a.b/${"c".repeat(5000)}`])
      assert.strictEqual(isHttpUrl(text), Schema.is(HttpUrl)(text), text.slice(0, 30))
  })
})
