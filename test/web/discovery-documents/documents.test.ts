import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const OTHER_ADDRESS = walletOf(777).account

const paid = { paidContentMarkdown: "The rest.", enablePaywall: true, priceXno: "0.05" }

const read = (path: string) => Effect.flatMap(TestClient, (client) => client.send("GET", path))

const posts = (query = "") => Effect.map(read(`/.well-known/x402/posts${query}`), ({ body }) => body)

const TERMS = {
  scheme: "exact",
  network: "nano:mainnet",
  asset: "XNO",
  amount: "50000000000000000000000000000",
  maxTimeoutSeconds: 900,
  extra: { quote: "required" }
}

layer(service(database("test_documents")))("the documents of payments (8)", (it) => {
  it.effect("The documents offer nothing while nothing is for sale", () =>
    Effect.gen(function* () {
      yield* (yield* authorOf(9)).published()
      const { body, headers } = yield* read("/.well-known/x402")
      assert.deepStrictEqual(body, {
        version: 1,
        x402Version: 2,
        kind: "resource-server",
        name: "Pennypress",
        description: "Writing by people and AI agents, sold by the Post for pennies of Nano (XNO).",
        resources: [],
        catalog: `${BASE_URL}/.well-known/x402/posts`,
        openapi: `${BASE_URL}/openapi.json`,
        docs: `${BASE_URL}/docs`,
        llms: `${BASE_URL}/llms.txt`,
        payment: {
          scheme: "exact",
          network: "nano:mainnet",
          asset: "XNO",
          decimals: 30,
          work: "required",
          workThreshold: (yield* NanoLedger).workThreshold.toString(16).padStart(16, "0")
        },
        instructions:
          "GET a resource for its 402, sign a send block for exactly `amount` raw to `payTo`, do not broadcast it, and repeat the GET with PAYMENT-SIGNATURE. On 503 repeat the same header.",
        updated: null
      })
      assert.strictEqual(
        headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      assert.deepStrictEqual(yield* posts(), {
        x402Version: 2,
        items: [],
        pagination: { limit: 20, offset: 0, total: 0, nextCursor: null }
      })
    })
  )

  it.effect("A document shows a Post with all that a buyer compares, until its end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 12, 0, 0, 900))
      const author = yield* authorOf(1)
      const { id, title, description, slug } = yield* author.published({ ...paid, secondaryCategoryId: 5 })
      const resource = `${BASE_URL}/api/posts/${id}/access`
      const named = Effect.map(read("/.well-known/x402"), ({ body }) => [body.resources, body.updated])
      const { updatedAt } = (yield* author.read(id)).body
      assert.deepStrictEqual(yield* named, [[resource], updatedAt])

      const catalogue = yield* posts()
      assert.deepStrictEqual(catalogue, {
        x402Version: 2,
        items: [
          {
            resource,
            type: "http",
            x402Version: 2,
            accepts: [{ ...TERMS, payTo: author.wallet.account }],
            lastUpdated: Math.floor(Date.UTC(2026, 10, 22, 12) / 1000),
            metadata: {
              title,
              description,
              url: `${BASE_URL}/@${author.handle}/${slug}`,
              author: author.handle,
              authorKind: "human",
              categoryIds: [3, 5],
              language: "en",
              priceXno: "0.05",
              creationMethod: "human_written",
              purchases: 0
            }
          }
        ],
        pagination: { limit: 20, offset: 0, total: 1, nextCursor: null }
      })

      // Every change of what is shown is seen at once, although the answers are kept.
      const first = () => Effect.map(posts(), ({ items }) => items[0])
      const { accessToken } = author
      const client = yield* TestClient
      yield* client.send("PUT", "/api/v1/profile/payout-address", {
        token: accessToken,
        body: { payoutAddress: OTHER_ADDRESS }
      })
      assert.strictEqual((yield* first()).accepts[0].payTo, OTHER_ADDRESS)
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { handle: "renamed_one" } })
      assert.strictEqual((yield* first()).metadata.author, "renamed_one")
      yield* client.send("POST", "/api/v1/profile/declare-agent", { token: author.key })
      assert.strictEqual((yield* first()).metadata.authorKind, "agent")
      yield* author.patch(id, { priceXno: "9999" })
      assert.strictEqual((yield* first()).metadata.priceXno, "9999")
      yield* author.patch(id, { enablePaywall: false, priceRaw: null })
      assert.deepStrictEqual([yield* first(), (yield* posts()).pagination.total], [undefined, 0])
      yield* author.patch(id, { enablePaywall: true, priceXno: "0.1" })
      assert.deepStrictEqual([(yield* first()).resource, (yield* posts()).pagination.total], [resource, 1])
      yield* author.unpublish(id)
      assert.deepStrictEqual([yield* named, (yield* posts()).pagination.total], [[[], null], 0])
      yield* author.publish(id, "again")
      assert.strictEqual((yield* posts()).pagination.total, 1)
      yield* author.unpublish(id, { "idempotency-key": "end" })
      yield* author.remove(id)
      assert.strictEqual((yield* posts()).pagination.total, 0)
    })
  )

  it.effect("The documents page by offset and by cursor, each Post once, within the limits", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const ids: Array<string> = []
      for (let number = 0; number < 5; number++) {
        // Three of one moment: the id decides between them.
        if (number > 2) yield* TestClock.adjust("1 second")
        ids.unshift((yield* author.published({ ...paid, title: `Number ${number}` })).id)
      }
      const all = yield* posts("?limit=100")
      const resources = all.items.map(({ resource }: any) => resource)
      assert.lengthOf(new Set(resources), 5)
      assert.deepStrictEqual(
        resources.slice(0, 2),
        ids.slice(0, 2).map((id) => `${BASE_URL}/api/posts/${id}/access`)
      )

      const byCursor: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: any = yield* posts(`?limit=2&cursor=${cursor}`)
        assert.deepInclude(page.pagination, { limit: 2, offset: null, total: 5 })
        byCursor.push(...page.items.map(({ resource }: any) => resource))
        cursor = page.pagination.nextCursor
      }
      assert.deepStrictEqual(byCursor, resources)

      const second = yield* posts("?limit=2&offset=2")
      assert.deepInclude(second.pagination, { limit: 2, offset: 2, total: 5 })
      assert.deepStrictEqual(
        second.items.map(({ resource }: any) => resource),
        resources.slice(2, 4)
      )
      assert.isNull((yield* posts("?limit=2&offset=3")).pagination.nextCursor)
      assert.deepStrictEqual((yield* posts("?offset=10000")).items, [])
      assert.strictEqual((yield* posts("?offset=10000")).pagination.total, 5)

      const { nextCursor } = (yield* posts("?limit=1")).pagination
      for (const [query, field] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["limit=x", "limit"],
        ["offset=-1", "offset"],
        ["offset=10001", "offset"],
        ["cursor=x", "cursor"],
        [`cursor=${nextCursor}x`, "cursor"],
        [`cursor=${nextCursor}&offset=0`, "cursor"]
      ] as const) {
        const [status, code, error] = refusalOf(yield* read(`/.well-known/x402/posts?${query}`))
        assert.deepStrictEqual([status, code], [422, "validation"], query)
        assert.include(error as string, field, query)
      }
    })
  )

  it.effect("The documents are revalidated, and a wrong credential is never anonymous", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const path of ["/.well-known/x402", "/.well-known/x402/posts", "/.well-known/railhint.json"]) {
        const { headers } = yield* client.send("GET", path)
        const etag = headers.get("etag")!
        const known = yield* client.send("GET", path, { headers: { "if-none-match": etag } })
        assert.deepStrictEqual([known.status, known.text], [304, ""], path)
        assert.strictEqual((yield* client.send("HEAD", path)).status, 200)
        const refused = yield* client.send("GET", path, { token: "garbage" })
        assert.deepStrictEqual(refusalOf(refused), [401, "unauthorized"], path)
      }
    })
  )

  it.effect("The rail hint is flat, and names no command and no faucet", () =>
    Effect.gen(function* () {
      const { body, text } = yield* read("/.well-known/railhint.json")
      assert.deepStrictEqual(body, {
        cheapest: "nano:mainnet",
        why: "The only rail: XNO has no network fee, so the quoted amount is the whole cost, from 0.00001 XNO, final in about a second.",
        docs: `${BASE_URL}/docs`,
        site: BASE_URL,
        agentReadme: `${BASE_URL}/llms.txt`,
        spec: "x402 exact scheme on nano:mainnet"
      })
      assert.notMatch(text, /faucet|npx|curl/)
    })
  )
})

const off = service(database("test_documents_off"), 1, {
  changePorts: (ports) =>
    Layer.merge(
      ports,
      Layer.effect(
        NanoLedger,
        Effect.map(NanoLedger, (ledger) => ({ ...ledger, kind: "off" as const }))
      ).pipe(Layer.provide(ports))
    )
})

layer(off)("a service without a ledger", (it) => {
  it.effect("A service without a ledger offers nothing for sale", () =>
    Effect.gen(function* () {
      yield* (yield* authorOf(1)).published(paid)
      const { body } = yield* read("/.well-known/x402")
      assert.deepInclude(body, { resources: [], payment: null })
      assert.deepInclude(yield* posts(), { items: [] })
      assert.deepInclude((yield* read("/.well-known/railhint.json")).body, {
        cheapest: null,
        why: "The service takes no payments at present."
      })
      assert.include((yield* read("/llms.txt")).text, "This service takes no payments at present.")
    })
  )
})
