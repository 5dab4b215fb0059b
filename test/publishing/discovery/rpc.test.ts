import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { otherService } from "../../support/actors/otherService.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_discovery_rpc"), 1, { adminToken: ADMIN_TOKEN }))(
  "public reads over RPC",
  (it) => {
    it.effect("Procedures answer the values that the HTTP operations encode, without a key", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id } = yield* author.published()
        yield* author.published({ title: "More" })
        const { handle } = author
        const postId = PostId.make(id)
        const client = yield* otherService()
        const overHttp = Effect.fnUntraced(function* (path: string) {
          const answer = yield* (yield* TestClient).send("GET", path)
          assert.strictEqual(answer.status, 200, path)
          return answer.body
        })
        for (const [path, value] of [
          [
            `/api/posts?q=pennies&per_page=1&page=1`,
            client["discovery.posts"]({ q: "pennies", per_page: 1, page: 1 })
          ],
          [`/api/posts?cursor=&per_page=1`, client["discovery.posts"]({ cursor: "", per_page: 1 })],
          [`/api/posts/${id}`, client["discovery.post"]({ postId })],
          [`/api/posts/${id}/public-content`, client["discovery.publicContent"]({ postId })],
          [`/api/posts/${id}/related?limit=3`, client["discovery.related"]({ postId, query: { limit: 3 } })],
          [`/api/profile/${handle}`, client["discovery.profile"]({ handle })],
          [`/api/profile/${handle}/summary`, client["discovery.profileSummary"]({ handle })],
          [
            `/api/profile/${handle}/posts?per_page=1`,
            client["discovery.profilePosts"]({ handle, query: { per_page: 1 } })
          ],
          ["/api/categories", client["discovery.categories"]()],
          ["/api/browse/categories", client["discovery.categoryCounts"]()]
        ] as const) {
          assert.deepEqual(yield* overHttp(path), yield* value as Effect.Effect<unknown, unknown>, path)
        }
      })
    )

    it.effect("A draft and an unknown Profile are not found, and a foreign cursor is invalid", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const postId = PostId.make((yield* author.draft()).id)
        const client = yield* otherService()
        for (const refused of [
          Effect.flip(client["discovery.post"]({ postId })),
          Effect.flip(client["discovery.publicContent"]({ postId })),
          Effect.flip(client["discovery.related"]({ postId, query: {} })),
          Effect.flip(client["discovery.profile"]({ handle: "no_one" })),
          Effect.flip(client["discovery.profilePosts"]({ handle: "no one", query: {} }))
        ]) {
          assert.strictEqual((yield* refused)._tag, "NotFound")
        }
        const invalid = yield* Effect.flip(client["discovery.posts"]({ cursor: "another" }))
        assert(invalid._tag === "Validation")
        assert.deepInclude(invalid.errors[0], { field: "cursor", code: "invalid" })
      })
    )
  }
)
