import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  asksForPrivacy,
  namedReader,
  readerKindOf,
  sourceOf,
  visitorOf
} from "../../../src/engagement/reads/readers.ts"
import { heldBy, longHeader, numbers } from "./heldBy.ts"

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

const kindOf = (
  userAgent: string | undefined,
  by?: "agents" | "feeds",
  headers: Readonly<Record<string, string>> = {}
) => readerKindOf(headers, namedReader(userAgent), by)

describe("readers", () => {
  it("Browsers are people, also on a telephone whose name ends with bot", () => {
    for (const name of [
      CHROME,
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
      "Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
      "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
      "Lynx/2.9.0dev.12 libwww-FM/2.14"
    ])
      assert.strictEqual(kindOf(name), "people", name)
  })

  it("Programs that name themselves are agents, as those without a name", () => {
    for (const name of [
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
      "Mozilla/5.0 (compatible; Claude-User/1.0)",
      "Mozilla/5.0 (compatible; ResearchAgent/2.1)",
      "svc-mcp/1.0.0",
      "curl/8.5.0",
      "",
      undefined
    ])
      assert.strictEqual(kindOf(name), "agents", name)
  })

  it("The list of crawlers decides before all else", () => {
    const names = [
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
      "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
      "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
      "facebookexternalhit/1.1",
      "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"
    ]
    for (const name of names)
      for (const by of [undefined, "agents", "feeds"] as const)
        assert.strictEqual(kindOf(name, by, { authorization: "Bearer ppk_1" }), "crawlers", name)
  })

  it("A form of an answer, a key and a signature tell the kind of a reader with the name of a browser", () => {
    assert.strictEqual(kindOf(CHROME, "feeds"), "feeds")
    assert.strictEqual(kindOf(CHROME, "agents"), "agents")
    assert.strictEqual(kindOf(CHROME, undefined, { authorization: "Bearer ppk_1" }), "agents")
    assert.strictEqual(kindOf(CHROME, undefined, { "signature-agent": '"https://agent.example"' }), "agents")
  })

  it("DNT and Sec-GPC ask for privacy, and their other values do not", () => {
    assert.isTrue(asksForPrivacy({ dnt: "1" }))
    assert.isTrue(asksForPrivacy({ "sec-gpc": "1" }))
    assert.isFalse(asksForPrivacy({ dnt: "0", "sec-gpc": "?0" }))
  })

  it("A source is the host of a referrer and nothing else of it", () => {
    for (const [referrer, host] of [
      ["https://News.Example:8443/item?id=1#x", "news.example"],
      ["http://user:secret@blog.example/", "blog.example"],
      ["https://xn--bcher-kva.example", "xn--bcher-kva.example"],
      ["android-app://com.example/", undefined],
      ["about:blank", undefined],
      ["https://a b/", undefined],
      [undefined, undefined]
    ] as const)
      assert.strictEqual(sourceOf(referrer), host, referrer)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => {
        const host = sourceOf(text)
        assert.isTrue(host === undefined || /^[a-z0-9.-]{1,253}$/.test(host), text)
      })
    )
  })

  it("A visitor has one hash under a key, and another one under any other key, address or name", () => {
    const [one, other] = [
      [1, 2],
      [1, 3]
    ] as const
    const hash = visitorOf(one, "192.0.2.1", namedReader(CHROME))
    assert.strictEqual(visitorOf(one, "192.0.2.1", namedReader(CHROME)), hash)
    assert.isTrue(Number.isSafeInteger(hash))
    assert.isBelow(hash, 2 ** 48)
    for (const another of [
      visitorOf(other, "192.0.2.1", namedReader(CHROME)),
      visitorOf(one, "192.0.2.2", namedReader(CHROME)),
      visitorOf(one, "192.0.2.1", namedReader("curl/8.5.0"))
    ])
      assert.notStrictEqual(another, hash)
  })

  it("The names of 2,000 programs with long headers take no more memory than their first characters", () => {
    const { held } = heldBy(() => {
      for (const n of numbers) namedReader(longHeader(`agent/${n} `))
    })
    assert.isBelow(held, 8)
  })

  it("A kept source is a copy, which holds no referrer in memory", () => {
    const { held, result } = heldBy(() =>
      numbers.map((n) => sourceOf(longHeader(`https://${n}.news.example/`)))
    )
    assert.strictEqual(result[7], "7.news.example")
    assert.isBelow(held, 8)
  })
})
