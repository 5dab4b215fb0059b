import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { doc } from "../content/native/nodes.ts"
import { columnsOf, image, url, writeNative } from "./rejectedImages.ts"
import { reject } from "./rejections.ts"

layer(service(database("test_posts_emptied")))(
  "a rejected image that was all of a Post (3.2, rule 6)",
  (it) => {
    it.effect("A public Post that was only a rejected image stays public with a null section", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(7)
        const client = yield* TestClient
        const countsOf = Effect.fnUntraced(function* () {
          const categories = yield* client.send("GET", "/api/browse/categories")
          const summary = yield* client.send("GET", `/api/profile/${author.handle}/summary`)
          return [categories.body.data.find((it: any) => it.id === 3).postCount, summary.body.counts.posts]
        })
        for (const section of ["freeContentMarkdown", "native"]) {
          const post = yield* author.published({ freeContentMarkdown: `![a](${url})`, ogImage: url })
          if (section === "native") yield* writeNative(author, post.id, { free: doc(image(url)) })
          const before = yield* countsOf()
          assert.isTrue(yield* reject(post.id, url))
          const { body } = yield* author.read(post.id)
          assert.deepInclude(body, {
            status: "published",
            freeContentMarkdown: null,
            paidContentMarkdown: null,
            ogImage: null,
            ogImageEffective: null
          })
          assert.deepInclude(yield* columnsOf(post.id), { free_content_native: null, excerpt: "" })
          assert.deepStrictEqual(yield* countsOf(), before)
          const shown = yield* client.send("GET", `/api/posts/${post.id}/public-content`)
          assert.strictEqual(shown.status, 200)
        }
      })
    )

    it.effect("A paywall in front of only a rejected image stays with its price", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(8)
        const paywall = { enablePaywall: true, priceXno: "1" }
        for (const [paidContentMarkdown, left] of [
          [`![a](${url}) words`, " words"],
          [`![a](${url})`, null]
        ] as const) {
          const { id, priceRaw } = yield* author.published({ ...paywall, paidContentMarkdown })
          assert.isTrue(yield* reject(id, url))
          assert.deepInclude((yield* author.read(id)).body, {
            status: "published",
            enablePaywall: true,
            priceRaw,
            paidContentMarkdown: left
          })
        }
      })
    )

    it.effect("An author can edit an emptied public Post without losing more", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(13)
        const { id } = yield* author.published({ freeContentMarkdown: `![a](${url})` })
        assert.isTrue(yield* reject(id, url))
        const edited = yield* author.patch(id, { title: "Other" })
        assert.strictEqual(edited.status, 200, edited.text)
        assert.deepInclude(edited.body, { title: "Other", freeContentMarkdown: null })
        for (const [patch, error] of [
          [{ title: "" }, "title required"],
          [{ primaryCategoryId: null }, "primaryCategoryId required"],
          [{ creationAttested: false }, "creationAttested required"]
        ] as const) {
          assert.deepStrictEqual(refusalOf(yield* author.patch(id, patch)), [
            422,
            "publication-incomplete",
            error
          ])
        }
        assert.strictEqual((yield* author.patch(id, { freeContentMarkdown: "words" })).status, 200)
        assert.deepStrictEqual(refusalOf(yield* author.patch(id, { freeContentMarkdown: null })), [
          422,
          "publication-incomplete",
          "content required"
        ])
      })
    )

    it.effect("A rejected image leaves a public Post that could no longer be published", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(9)
        const sql = yield* SqlClient.SqlClient
        const post = yield* author.published({ freeContentMarkdown: `a ![a](${url})` })
        yield* sql`update posts set title = '', free_content_markdown = ${`a <b> ![a](${url})`} where id = ${post.id}`
        yield* sql`update owners set payout_address = null where handle = ${author.handle}`
        assert.isTrue(yield* reject(post.id, url))
        const { body } = yield* author.read(post.id)
        assert.deepInclude(body, { status: "published", freeContentMarkdown: "a <b> " })
      })
    )
  }
)
