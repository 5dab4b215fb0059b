import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

layer(service(database("test_posts_markdown")))("unsupported Markdown on create and update (4.3.5)", (it) => {
  it.effect("Unsupported Markdown is refused by feature, line and column, before anything is saved", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const headers = { "idempotency-key": "same" }
      const refused = yield* author.create(
        { freeContentMarkdown: "# Title\n\na <b>bold</b>\n\n- [ ] task" },
        headers
      )
      const unsupported = "freeContentMarkdown unsupported_markdown"
      assert.deepStrictEqual(refusalOf(refused), [422, "validation", unsupported, unsupported, unsupported])
      assert.deepStrictEqual(
        refused.body.errors.map(({ column, feature, line }: Record<string, unknown>) => [
          feature,
          line,
          column
        ]),
        [
          ["html", 3, 3],
          ["html", 3, 10],
          ["task_list", 5, 1]
        ]
      )
      assert.strictEqual(
        refused.body.errors[0].message,
        "Write HTML as Markdown, or put it in backticks (html at line 3, column 3)"
      )
      assert.strictEqual((yield* author.send("GET", "")).body.total, 0)
      assert.strictEqual((yield* author.create({ freeContentMarkdown: "fine" }, headers)).status, 201)
    })
  )

  it.effect("A link or image that no page shows is refused with its place, and says what to write", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const refused = yield* author.create({
        freeContentMarkdown: "a [b](javascript:alert(1))\n\n![c](data:image/png;base64,AA==)"
      })
      assert.deepStrictEqual(
        refused.body.errors.map(({ message }: Record<string, unknown>) => message),
        [
          "Link to an https:// address, a path such as /about, a heading such as #part-two, or a mailto:, tel: or nano: address (link_target at line 1, column 3)",
          "Upload the image, or write its https:// address (image_target at line 3, column 1)"
        ]
      )
    })
  )

  it.effect("Unsupported Markdown is named in both sections, together with other errors", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const refused = yield* author.create({
        freeContentMarkdown: "<b>",
        paidContentMarkdown: "[^1]: - [ ] task",
        enablePaywall: true,
        priceXno: "0"
      })
      assert.deepStrictEqual(refusalOf(refused), [
        422,
        "validation",
        "freeContentMarkdown unsupported_markdown",
        "paidContentMarkdown unsupported_markdown",
        "priceXno out_of_range"
      ])
    })
  )

  it.effect("A patch with unsupported Markdown changes nothing", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const draft = yield* author.draft()
      const refused = yield* author.patch(draft.id, {
        title: "Other",
        paidContentMarkdown: "| a |\n| - |\n| b | c |"
      })
      assert.deepStrictEqual(refusalOf(refused), [
        422,
        "validation",
        "paidContentMarkdown unsupported_markdown"
      ])
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
    })
  )

  it.effect("At most a hundred places of a section are named, and the others are counted", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      for (const [places, more] of [
        [100, ""],
        [101, "; and 1 more places"],
        [1000, "; and 900 more places"]
      ] as const) {
        const refused = yield* author.create({ freeContentMarkdown: "<b> ".repeat(places) })
        const { errors } = refused.body
        assert.lengthOf(errors, 100)
        assert.deepInclude(errors[98], { feature: "html", line: 1, column: 393 })
        assert.strictEqual(
          errors[99].message,
          `Write HTML as Markdown, or put it in backticks (html at line 1, column 397${more})`
        )
      }
    })
  )

  it.effect("A text that nests too deeply is refused quickly", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const refused = yield* author.create({ freeContentMarkdown: `${"1. ".repeat(60_000)}<b>` })
      assert.deepStrictEqual(refusalOf(refused), [422, "validation", "freeContentMarkdown too_complex"])
    })
  )

  it.effect("Supported Markdown is returned as it was sent", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const source =
        "\n# T  \r\n\r\nTab\there, ++under++, a<br>b, ~~s~~\n\n***\n\n| a | b |\n|:-|-:|\n| \\| | `x` |\n\n "
      const { body } = yield* author.create({ freeContentMarkdown: source, paidContentMarkdown: source })
      assert.strictEqual(body.freeContentMarkdown, source)
      assert.strictEqual((yield* author.read(body.id)).body.paidContentMarkdown, source)
    })
  )

  it.effect("The ogImageEffective is the OG image, else the first image of the free content (2.7)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const effective = (body: object) =>
        Effect.map(author.create(body), (answer) => answer.body.ogImageEffective as string | null)
      assert.isNull(yield* effective({ freeContentMarkdown: "none" }))
      assert.isNull(yield* effective({ paidContentMarkdown: "![a](https://a.test/paid.png)" }))
      const free = "a ![b][c] ![d](https://a.test/second.png)\n\n[c]: https://a.test/first.png"
      assert.strictEqual(yield* effective({ freeContentMarkdown: free }), "https://a.test/first.png")
      const og = "https://a.test/og.png"
      assert.strictEqual(yield* effective({ freeContentMarkdown: free, ogImage: og }), og)

      const draft = yield* author.draft({ freeContentMarkdown: free, ogImage: og })
      const patch = (body: object) =>
        Effect.map(author.patch(draft.id, body), (answer) => answer.body.ogImageEffective as string | null)
      assert.strictEqual(yield* patch({ ogImage: null }), "https://a.test/first.png")
      assert.strictEqual(yield* patch({ title: "kept" }), "https://a.test/first.png")
      assert.strictEqual(
        yield* patch({ freeContentMarkdown: "![x](https://a.test/x.png)" }),
        "https://a.test/x.png"
      )
      assert.isNull(yield* patch({ freeContentMarkdown: null, paidContentMarkdown: "![x](y)" }))
    })
  )
})
