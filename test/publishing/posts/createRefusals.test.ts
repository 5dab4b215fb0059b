import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, errorsOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

layer(service(database("test_posts_create_refusals")))("bodies that create no Post (4.3)", (it) => {
  it.effect("Text that cannot be stored is refused with a 422 in every member", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const texts = [
        "title",
        "description",
        "freeContentMarkdown",
        "paidContentMarkdown",
        "priceXno",
        "priceRaw",
        "slug",
        "canonicalUrl",
        "language",
        "ogTitle",
        "ogDescription",
        "ogImage",
        "creationMethod",
        "creationDetails"
      ]
      for (const member of texts) {
        const prefix = /Url|Image/.test(member) ? "https://a.test/" : "en"
        for (const bad of ["\0", "\ud800", "\udc00\ud800"]) {
          const answer = yield* author.create({
            freeContentMarkdown: "x",
            paidContentMarkdown: "x",
            enablePaywall: true,
            [member]: prefix + bad
          })
          assert.strictEqual(answer.status, 422, member)
          assert.strictEqual(answer.body.errors[0].field, member)
        }
      }
    })
  )

  it.effect("Several wrong members are named together, and unknown ones have the code unknown", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const answer = yield* author.create({
        title: 7,
        description: null,
        freeContentMarkdown: ["x"],
        enablePaywall: "yes",
        primaryCategoryId: "3",
        secondaryCategoryId: 1.5,
        slug: "Not a slug",
        canonicalUrl: "javascript:alert(1)",
        language: "not a language",
        ogImage: "/relative.png",
        creationMethod: "copied",
        creationAttested: null,
        status: "published",
        "": 1
      })
      assert.strictEqual(answer.status, 422)
      assert.sameMembers(
        [...errorsOf(answer)],
        [
          "title invalid",
          "description invalid",
          "freeContentMarkdown invalid",
          "enablePaywall invalid",
          "primaryCategoryId invalid",
          "secondaryCategoryId invalid",
          "slug invalid",
          "canonicalUrl invalid",
          "language invalid",
          "ogImage invalid",
          "creationMethod invalid",
          "creationAttested invalid",
          "status unknown",
          "body unknown"
        ]
      )
    })
  )

  it.effect("A body other than an object is refused", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      for (const body of ["[]", "null", "7", '"text"']) {
        assert.strictEqual((yield* author.create(body)).status, 422, body)
      }
      assert.deepStrictEqual(refusalOf(yield* author.create("{")), [400, "malformed-json"])
    })
  )

  it.effect("Slugs, languages and URLs have their forms", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(11)
      const wrong: ReadonlyArray<readonly [string, string]> = [
        ...["", "-a", "a-", "a--b", "A", "ä", "a_b", "a b"].map((it) => ["slug", it] as const),
        ...["", "e", "en_US", "en-", "x".repeat(36)].map((it) => ["language", it] as const),
        ...["", "ftp://a.test", "https://", "//a.test", "https://a b"].map(
          (it) => ["canonicalUrl", it] as const
        )
      ]
      for (const [member, value] of wrong) {
        const answer = yield* author.create({ freeContentMarkdown: "x", [member]: value })
        assert.strictEqual(answer.status, 422, `${member} ${value}`)
        assert.strictEqual(answer.body.errors[0].field, member)
      }
      for (const language of ["en", "pt-BR", "zh-Hant-TW", "de-CH-1996"]) {
        assert.strictEqual(
          (yield* author.create({ freeContentMarkdown: "x", language })).body.language,
          language
        )
      }
    })
  )

  it.effect("Unknown categories are refused, each by name", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const create = (categories: object) => author.create({ freeContentMarkdown: "x", ...categories })
      assert.deepStrictEqual(refusalOf(yield* create({ primaryCategoryId: 31 })), [
        422,
        "validation",
        "primaryCategoryId invalid"
      ])
      assert.deepStrictEqual(
        refusalOf(yield* create({ primaryCategoryId: 31, secondaryCategoryId: 2_147_483_647 })),
        [422, "validation", "primaryCategoryId invalid", "secondaryCategoryId invalid"]
      )
      assert.deepStrictEqual(
        errorsOf(yield* create({ primaryCategoryId: 0, secondaryCategoryId: 2_147_483_648 })),
        ["primaryCategoryId out_of_range", "secondaryCategoryId out_of_range"]
      )
      assert.strictEqual((yield* author.send("GET", "")).body.total, 0)
    })
  )

  it.effect("An owner session does not authenticate Post operations (5.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(13)
      const id = (yield* author.draft()).id
      for (const [method, path] of [
        ["POST", ""],
        ["GET", ""],
        ["GET", `/${id}`],
        ["PATCH", `/${id}`],
        ["DELETE", `/${id}`],
        ["POST", `/${id}/publish`],
        ["POST", `/${id}/unpublish`]
      ] as const) {
        const body = method === "POST" || method === "PATCH" ? {} : undefined
        const answer = yield* author.send(method, path, { token: author.accessToken, body })
        assert.deepStrictEqual(refusalOf(answer), [401, "invalid-credential"], `${method} ${path}`)
      }
    })
  )
})
