import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { signedHeaders } from "../../../src/engagement/webhooks/sign.ts"

/** The block of the documents in this language. */
const block = (language: string) => {
  const [, code] =
    new RegExp(`^\`\`\`${language} verify\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(
      readFileSync("src/engagement/README.md", "utf8")
    ) ?? []
  assert.isDefined(code)
  return code ?? ""
}

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`

const SECRET = secretOf(1)
const BODY = '{"data":{"title":"“Pennies” 🪙"}}'

type Headers = Readonly<Record<string, string>>
type Call = readonly [secret: string, headers: Headers, body: string]

const headersOf = (secondsAgo = 0): Headers =>
  signedHeaders(
    {
      id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
      timestamp: Math.floor((performance.timeOrigin + performance.now()) / 1_000) - secondsAgo,
      body: BODY
    },
    [secretOf(2), SECRET].map((secret) => Redacted.make(secret))
  )

/** Calls with their answers. */
const cases = (): ReadonlyArray<readonly [Call, boolean]> => [
  [[SECRET, headersOf(), BODY], true],
  [[secretOf(2), headersOf(), BODY], true],
  [[secretOf(3), headersOf(), BODY], false],
  [[SECRET, headersOf(), `${BODY} `], false],
  [[SECRET, headersOf(301), BODY], false],
  [[SECRET, { ...headersOf(), "webhook-id": "other" }, BODY], false]
]

describe("the lines of the README that verify a webhook", () => {
  it("The lines in JavaScript accept what was signed, and nothing else", async () => {
    const url = `data:text/javascript,${encodeURIComponent(block("js"))}`
    const { isFromPennypress } = await import(url)
    for (const [call, expected] of cases()) assert.strictEqual(isFromPennypress(...call), expected)
  })

  it("The lines in Python accept what was signed, and nothing else", () => {
    const program = `${block("python")}
import json, sys
print(json.dumps([is_from_pennypress(*call) for call in json.load(sys.stdin)]))`
    const all = cases()
    const printed = execFileSync("python3", ["-c", program], {
      input: JSON.stringify(all.map(([call]) => call)),
      encoding: "utf8"
    })
    assert.deepStrictEqual(
      JSON.parse(printed),
      all.map(([, expected]) => expected)
    )
  })
})
