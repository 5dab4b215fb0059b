import { assert, describe, it, layer } from "@effect/vitest"
import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Schema } from "effect"
import { Handle } from "../../../schemas/accounts/profile/Profile.ts"
import { SIGNATURE_RULE } from "../../../schemas/accounts/sessions/walletSignature.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { FAUCET_MAX_RAW } from "../../../src/payments/development/nodeActions.ts"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { llmsText } from "../../../src/web/discovery-documents/llmsText.ts"
import {
  documentedAddress,
  documentedBlock,
  documentedSigner,
  ruleIn
} from "../../accounts/sessions/documentedSigner.ts"
import { operations } from "../../operations/document.ts"
import { vectors } from "../../platform/nano/vectors.ts"
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
    assert.isAtMost(Buffer.byteLength(text) / 4, 2_300)
    assert.isAtMost(Buffer.byteLength(llmsText(described)) / 4, 2_300)
    assert.include(text, SIGNATURE_RULE)
    assert.include(text, "Paths begin at https://press.test/ and")
  })

  it("An address that is made by the text alone is that of the key", () => {
    const text = llmsText(described)
    const { publicKey } = documentedSigner(text, ruleIn(text)?.["private key"] ?? "")
    const address = addressOfPublicKey(publicKey as never)
    assert.strictEqual(documentedAddress(text, publicKey), address)
    const [, end = ""] = /That of the vector ends with (\w+)\./.exec(text) ?? []
    assert.isAbove(end.length, 7)
    assert.isTrue(address.endsWith(end))
  })

  it("A handle as the text describes it is one", () => {
    const [, shortest, longest] = /(\d+) to (\d+) ASCII letters/.exec(llmsText(described)) ?? []
    const isHandle = Schema.is(Handle)
    assert.isTrue(isHandle("a".repeat(Number(shortest))) && isHandle("_9".repeat(Number(longest) / 2)))
    assert.isFalse(isHandle("a".repeat(Number(shortest) - 1)) || isHandle("a".repeat(Number(longest) + 1)))
  })

  it("A block that is made by the text alone has its hash, its signature and its work", () => {
    const text = llmsText(described)
    const signer = documentedSigner(text, ruleIn(text)?.["private key"] ?? "")
    const block = documentedBlock(text, {
      account: signer.publicKey,
      representative: signer.publicKey,
      previous: "11".repeat(32),
      link: "22".repeat(32),
      balance: 10n ** 30n
    })
    assert.include(text, `block hash ${bytesToHex(block)}, block signature ${signer.signDigest(block)}.`)
    const account = addressOfPublicKey(signer.publicKey as never)
    const ours = blockHash({
      type: "state",
      account,
      representative: account,
      previous: "11".repeat(32),
      link: "22".repeat(32),
      balance: 10n ** 30n
    } as never)
    assert.strictEqual(bytesToHex(block).toUpperCase(), ours)
    assert.include(text, "send 16 zeros")
    assert.include(text, "confirmed_frontier")
    assert.notInclude(llmsText({ ...described, ledger: "development" }), "confirmed_frontier")
  })

  it("Work as the text describes it has the difficulty that is published for it", () => {
    const text = llmsText(described)
    assert.include(text, "BLAKE2b-64 over them reversed and previous, read little-endian, is at least")
    assert.isAbove(vectors.work.length, 2)
    for (const { difficulty, root, work } of vectors.work) {
      const parts = Buffer.concat([hexToBytes(work).toReversed(), hexToBytes(root)])
      assert.strictEqual(bytesToHex(blake2b(parts, { dkLen: 8 }).toReversed()), difficulty)
    }
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
    const development = llmsText({ ...described, ledger: "development" })
    assert.include(development, `at most 10^${String(FAUCET_MAX_RAW).length - 1}`)
  })

  it("The text leaves out what a service does not have", () => {
    const bare = llmsText({ ...described, has: () => false })
    assert.notMatch(
      bare,
      /\/mcp|\/access|payment-sessions|Gift|attachments|claims|\{group\}|\n## (Tip|Buy|Further|Tool)/
    )
    assert.include(bare, "and anyone reads without an account.")
  })
})

layer(service(database("test_documents_llms")))("/llms.txt", (it) => {
  it.effect("The text names the category of its example", () =>
    Effect.gen(function* () {
      const { body } = yield* (yield* TestClient).send("GET", "/api/categories")
      const categories: ReadonlyArray<{ id: number; name: string }> = body.categories ?? body.data ?? body
      const name = categories.find(({ id }) => id === 3)?.name
      assert.include(llmsText(described), `(3 is ${name})`)
    })
  )

  it.effect("The document names what the service has, and no address", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { headers, status, text } = yield* client.send("GET", "/llms.txt")
      const paths = yield* ServicePaths
      const own = llmsText({ ...described, has: (path) => paths.all().has(path) })
      assert.deepStrictEqual([status, text], [200, own])
      const urls = text.match(/https:\/\/press\.test[^\s),;]*/g) ?? []
      assert.isAbove(urls.length, 8)
      for (const url of urls) {
        const path = url.slice(BASE_URL.length).replace(/\.$/, "")
        assert.isDefined(paths.ofUrl(path), url)
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
