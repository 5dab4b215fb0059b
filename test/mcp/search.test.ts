import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { call } from "./toolServer.ts"

layer(service(database("test_mcp_search")))("svc_search", (it) => {
  it.effect("The hosted search finds words without accents, and names authors on its first page alone", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const name = "Renée </untrusted>"
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { name } })
      for (const title of ["Café", "喫茶店"]) yield* author.published({ title })
      const search = Effect.fnUntraced(function* (wanted: object) {
        const { structuredContent } = yield* call("svc_search", wanted)
        const titles = structuredContent.posts.map(({ untrusted }: any) => untrusted.title)
        return { ...structuredContent, titles }
      })
      assert.deepStrictEqual((yield* search({ query: "cafe" })).titles, ["Café"])
      assert.deepStrictEqual((yield* search({ query: "喫茶" })).titles, ["喫茶店"])
      const card = { handle: author.handle, kind: "human", untrusted: { name } }
      for (const query of ["renee", `@${author.handle}`])
        assert.deepStrictEqual((yield* search({ query })).authors, [card], query)
      assert.deepStrictEqual((yield* search({})).authors, [])
      const { pagination } = yield* search({ limit: 1 })
      assert.deepStrictEqual((yield* search({ query: "renee", cursor: pagination.nextCursor })).authors, [])
      for (const query of ["!", "a:* & b", '"', "e\u0301"])
        assert.deepStrictEqual((yield* search({ query })).titles, [], query)
    })
  )
})
