import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { confirmationUrl, tokenOfUrl } from "../../../src/accounts/account-email/confirmationLinks.ts"

const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,300}$/)
const origin = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 })))
  .map(([scheme, host, port]) => new URL(`${scheme}://${host}${port === null ? "" : `:${port}`}`).origin)

describe("the confirmation URL (4.1.6)", () => {
  it("The URL has the configured identity-provider origin, its verify path and the email-change type", () => {
    assert.strictEqual(
      confirmationUrl("https://id.example", "abc"),
      "https://id.example/auth/v1/verify?token=abc&type=email_change"
    )
  })

  it("A URL gives back its token for any origin", () => {
    fc.assert(
      fc.property(origin, token, (origin, token) => {
        assert.strictEqual(tokenOfUrl(origin, confirmationUrl(origin, token)), token)
      })
    )
  })

  it("A URL of another origin gives no token", () => {
    fc.assert(
      fc.property(origin, origin, token, (ours, theirs, token) => {
        fc.pre(ours !== theirs)
        assert.isUndefined(tokenOfUrl(ours, confirmationUrl(theirs, token)))
      })
    )
  })

  it("Arbitrary text never throws, and gives no token", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (text) => {
        assert.isUndefined(tokenOfUrl("https://id.example", text))
      })
    )
  })
})
