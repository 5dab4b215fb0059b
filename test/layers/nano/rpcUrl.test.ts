import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import { parseRpcUrls } from "../../../layers/nano/rpcUrl.ts"
import { assertRefused } from "../config/problems.ts"

const parsed = (text: string, kind: "http" | "ws" = "http") =>
  Result.getOrThrow(parseRpcUrls(Redacted.make(text), kind)).map(({ authorization, name, url }) => [
    name,
    Redacted.value(url),
    Option.getOrNull(Option.map(authorization, Redacted.value))
  ])

describe("URLs of Nano servers", () => {
  it("URLs keep their order, and move their user and password to a header", () => {
    assert.deepStrictEqual(
      parsed("https://press:hunter%402@node.example:7076/rpc?key=a%2Cb ,http://[::1]:7076"),
      [
        ["node.example:7076", "https://node.example:7076/rpc?key=a%2Cb", "Basic cHJlc3M6aHVudGVyQDI="],
        ["[::1]:7076", "http://[::1]:7076/", null]
      ]
    )
    assert.deepStrictEqual(parsed("wss://node.example", "ws"), [
      ["node.example", "wss://node.example/", null]
    ])
  })

  it("URLs on one host have names of their own", () => {
    assert.deepStrictEqual(
      parsed("http://a/1,http://a/2,http://b/1,http://a/3").map(([name]) => name),
      ["a", "a#2", "b", "a#3"]
    )
  })

  it("URLs show none of their secrets", () => {
    const servers = Result.getOrThrow(
      parseRpcUrls(Redacted.make("https://press:hunter2@a/hunter2?hunter2"), "http")
    )
    assert.notInclude(JSON.stringify(servers) + String(servers[0].url), "hunter2")
  })

  it.effect("URLs are refused without repeating them", () =>
    Effect.forEach(
      [
        [
          "NANO_RPC_URL",
          ["hunter2", "ftp://hunter2", "ws://hunter2", "http://a,", "http://", "localhost:7076"],
          "one is not such a URL"
        ],
        ["NANO_RPC_URL", ["http://hunter2/#a"], "one has a fragment"],
        ["NANO_RPC_URL", ["http://hunter2:100%@a"], "the user or password of one is not percent-encoded"],
        // Two answers of one node are not the word of two.
        ["NANO_WORK_URL", ["http://a,http://a/", "http://u:p@a,http://a"], "one is there twice"],
        [
          "NANO_WORK_URL",
          [Array.from({ length: 11 }, (_, index) => `http://a${index}`).join(",")],
          "there are more than 10"
        ]
      ] as const,
      ([name, values, problem]) =>
        assertRefused(name, values, `Expected http:// or https:// URLs separated by commas, but ${problem}`)
    )
  )

  it.effect("URLs of websockets have their own scheme", () =>
    assertRefused(
      "NANO_WS_URL",
      ["http://a"],
      "Expected ws:// or wss:// URLs separated by commas, but one is not such a URL"
    )
  )
})
