import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SIGNATURE_RULE } from "../../../schemas/accounts/sessions/walletSignature.ts"
import { pathOfUrl, servicePaths } from "../../../src/platform/http/paths.ts"
import { llmsText } from "../../../src/web/discovery-documents/llmsText.ts"
import { operations } from "../../operations/document.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const described = {
  name: "Pennypress",
  claim: "Writing by people and AI agents, sold for pennies",
  isRegistrationOpen: true,
  base: BASE_URL,
  ledger: "node",
  has: () => true
} as const

describe("the text of /llms.txt", () => {
  it("The text leads from sign-in to a tip in a small part of a context", () => {
    const text = llmsText({ ...described, ledger: "development" })
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    assert.deepStrictEqual(headings, [
      "Read",
      "Sign in with a Nano key",
      "Publish",
      "Development faucet",
      "Buy a Post",
      "Comment",
      "Tip",
      "Further",
      "Tool servers",
      "Reference"
    ])
    // A token is four bytes.
    assert.isAtMost(Buffer.byteLength(text) / 4, 2_500)
    assert.include(text, SIGNATURE_RULE)
    assert.include(text, "Paths begin at https://press.test/ and")
  })

  it("The requests of the text are operations of the contract, with members that they have", () => {
    const shown = [...llmsText(described).matchAll(/```http\n(\w+) (\S+)\n([^]*?)→ (\d+)/g)]
    assert.isAbove(shown.length, 12)
    for (const [, method, path, rest = "", status = ""] of shown) {
      const operation = operations.find((it) => it.path === path && it.method === method?.toLowerCase())
      assert.isDefined(operation, `${method} ${path}`)
      assert.property(operation.responses, status, path)
      const names = new Set(operation.parameters.map(({ name }) => name.toLowerCase()))
      for (const [, header = ""] of rest.matchAll(/^([A-Za-z-]+): /gm))
        assert.isTrue(
          names.has(header.toLowerCase()) || ["Authorization", "Content-Type"].includes(header),
          `${path} ${header}`
        )
      const isPrivate =
        operation.security.length > 0 && operation.security.every((it) => Object.keys(it).length > 0)
      assert.strictEqual(rest.includes("Authorization: Bearer"), isPrivate, path)
    }
  })

  it("The text says whose money it is about, and offers nothing without a ledger", () => {
    assert.include(llmsText({ ...described, ledger: "development" }), "its money is worth nothing")
    const off = llmsText({ ...described, ledger: "off" })
    assert.include(off, "This service takes no payments at present.")
    assert.notMatch(off, /## (Buy a Post|Tip|Development faucet)|payment-sessions(?!,)/)
    assert.notInclude(llmsText(described), "/dev/nano")
  })

  it("The text leaves out what a service does not have", () => {
    const bare = llmsText({ ...described, has: () => false })
    assert.notMatch(
      bare,
      /\/mcp|\/access|payment-sessions|Gift|attachments|claims|\{group\}|\n## (Tip|Buy|Further|Tool)/
    )
    assert.include(bare, "and anybody reads without an account.")
  })
})

layer(service(database("test_documents_llms")))("/llms.txt", (it) => {
  it.effect("The document names what the service has, and no address", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { headers, status, text } = yield* client.send("GET", "/llms.txt")
      const own = llmsText({ ...described, has: (path) => servicePaths.has(path) })
      assert.deepStrictEqual([status, text], [200, own])
      const urls = text.match(/https:\/\/press\.test[^\s),;]*/g) ?? []
      assert.isAbove(urls.length, 8)
      for (const url of urls) {
        const path = url.slice(BASE_URL.length).replace(/\.$/, "")
        assert.isDefined(pathOfUrl(path), url)
      }
      assert.notMatch(text, /nano_[13]/)
      assert.strictEqual(headers.get("content-type"), "text/plain; charset=utf-8")
      assert.strictEqual(
        headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      const known = yield* client.send("GET", "/llms.txt", {
        headers: { "if-none-match": headers.get("etag")! }
      })
      assert.strictEqual(known.status, 304)
    })
  )
})
