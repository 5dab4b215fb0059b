import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { signedHeaders } from "../../../src/engagement/webhooks/sign.ts"

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`

const [first, second, other] = [secretOf(1), secretOf(2), secretOf(3)]
const BODY = '{"id":"a","data":{"title":"“Pennies” 🪙"}}'

/** Headers of a message that was signed some seconds ago. */
const headersOf = (secrets: ReadonlyArray<string>, secondsAgo = 0) =>
  signedHeaders(
    {
      id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
      timestamp: Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000) - secondsAgo,
      body: BODY
    },
    secrets.map((secret) => Redacted.make(secret))
  )

describe("signatures of webhooks", () => {
  for (const [name, Webhook] of [
    ["standardwebhooks", StandardWebhook],
    ["svix", SvixWebhook]
  ] as const) {
    const verify = (secret: string, body: string, headers: Record<string, string>) =>
      new Webhook(secret).verify(body, headers)

    it(`The library ${name} verifies a message, also by each of two secrets`, () => {
      assert.doesNotThrow(() => verify(first, BODY, headersOf([first])))
      for (const secret of [first, second])
        assert.doesNotThrow(() => verify(secret, BODY, headersOf([second, first])))
    })

    it(`The library ${name} refuses another secret, a changed message and an old one`, () => {
      const headers = headersOf([first])
      assert.throws(() => verify(other, BODY, headers))
      assert.throws(() => verify(first, `${BODY} `, headers))
      assert.throws(() => verify(first, BODY, { ...headers, "webhook-id": "0190f3c2" }))
      assert.throws(() => verify(first, BODY, { ...headers, "webhook-timestamp": "1" }))
      assert.throws(() => verify(first, BODY, headersOf([first], 301)))
    })
  }
})
