import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, errorsOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const full = {
  paidContentMarkdown: "Paid",
  enablePaywall: true,
  priceXno: "1",
  secondaryCategoryId: 4,
  canonicalUrl: "https://elsewhere.test/",
  ogTitle: "T",
  ogDescription: "D",
  ogImage: "https://img.test/og.png",
  creationDetails: "By hand"
}

layer(service(database("test_posts_patch")))("changing Posts (4.3.7, 4.3.9)", (it) => {
  it.effect("Omitted members stay, and an explicit null clears a member", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = yield* author.draft(full)
      yield* TestClock.adjust("1 second")
      const { body: renamed, status } = yield* author.patch(draft.id, { title: " Renamed " })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(renamed, { ...draft, title: "Renamed", updatedAt: renamed.updatedAt })
      assert.isTrue(renamed.updatedAt > draft.updatedAt)

      const nullable = [
        "freeContentMarkdown",
        "primaryCategoryId",
        "secondaryCategoryId",
        "canonicalUrl",
        "ogTitle",
        "ogDescription",
        "ogImage",
        "creationMethod",
        "creationDetails"
      ]
      const cleared = yield* author.patch(
        draft.id,
        Object.fromEntries(nullable.map((member) => [member, null]))
      )
      assert.strictEqual(cleared.status, 200)
      for (const member of nullable) assert.isNull(cleared.body[member], member)
      assert.strictEqual(cleared.body.paidContentMarkdown, "Paid")
      const empty = yield* author.patch(draft.id, { paidContentMarkdown: null })
      assert.deepInclude(empty.body, { paidContentMarkdown: null, enablePaywall: false, priceRaw: null })
      assert.deepStrictEqual((yield* author.read(draft.id)).body, empty.body)
    })
  )

  it.effect("A required member cannot be cleared, and an empty or unknown patch is refused", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const draft = yield* author.draft()
      for (const member of [
        "title",
        "description",
        "enablePaywall",
        "slug",
        "language",
        "commentsEnabled",
        "mailReaders",
        "creationAttested"
      ]) {
        const answer = yield* author.patch(draft.id, { [member]: null })
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", `${member} invalid`])
      }
      assert.deepStrictEqual(refusalOf(yield* author.patch(draft.id, {})), [
        422,
        "validation",
        "body required"
      ])
      for (const member of [
        "id",
        "status",
        "updatedAt",
        "url",
        "attachments",
        "ogImageEffective",
        "contentEditability"
      ] as const) {
        const answer = yield* author.patch(draft.id, { [member]: draft[member] })
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", `${member} unknown`])
      }
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
    })
  )

  it.effect("A patch requires the revision in X-Post-Revision or If-Match, quoted or not", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.draft()
      const spellings: ReadonlyArray<(revision: string) => Record<string, string>> = [
        (it) => ({ "x-post-revision": it }),
        (it) => ({ "x-post-revision": `"${it}"` }),
        (it) => ({ "if-match": it }),
        (it) => ({ "if-match": `"${it}"` }),
        (it) => ({ "x-post-revision": it, "if-match": `"${it}"` })
      ]
      for (const [n, headersOf] of spellings.entries()) {
        const { updatedAt } = (yield* author.read(id)).body
        const current = yield* author.patch(id, { title: `Title ${n}` }, headersOf(updatedAt))
        assert.strictEqual(current.status, 200)
        const stale = yield* author.patch(id, { title: "Stale" }, headersOf(updatedAt))
        assert.deepStrictEqual(refusalOf(stale), [409, "revision-conflict"])
        assert.strictEqual((yield* author.read(id)).body.title, `Title ${n}`)
      }
    })
  )

  it.effect("Fractional seconds of the revision are significant", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("123 millis")
      const author = yield* authorOf(4)
      const { id, updatedAt } = yield* author.draft()
      assert.match(updatedAt, /\.123000Z$/)
      const patch = (fraction: string) =>
        author.patch(id, { title: "x" }, { "x-post-revision": updatedAt.replace(/\.\d+Z/, `${fraction}Z`) })
      for (const fraction of ["", ".12", ".123001", ".122999", ".1230001"]) {
        assert.deepStrictEqual(refusalOf(yield* patch(fraction)), [409, "revision-conflict"], fraction)
      }
      assert.strictEqual((yield* patch(".123")).status, 200)
    })
  )

  it.effect("A malformed or conflicting revision is 422 in the ordinary JSON error format", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const draft = yield* author.draft()
      const now = draft.updatedAt as string
      const malformed: ReadonlyArray<readonly [Record<string, string>, string]> = [
        ...[
          "",
          "yesterday",
          '"',
          `"${now}`,
          "*",
          "0",
          now.slice(0, 10),
          now.replace("-", "/"),
          "2026-99-99T00:00:00Z",
          "2026-02-30T00:00:00Z",
          "2027-02-29T00:00:00Z",
          "2026-04-31T00:00:00.123456Z"
        ].map((it) => [{ "x-post-revision": it }, "X-Post-Revision invalid"] as const),
        [{ "if-match": `W/"${now}"` }, "If-Match invalid"],
        [{ "if-match": "*" }, "If-Match invalid"],
        [{ "x-post-revision": now, "if-match": now.replace("Z", "1Z") }, "If-Match mismatch"],
        [{ "x-post-revision": now, "if-match": "x" }, "If-Match invalid"]
      ]
      for (const [headers, error] of malformed) {
        const answer = yield* author.patch(draft.id, { title: "x" }, headers)
        assert.strictEqual(answer.headers.get("content-type"), "application/json", JSON.stringify(headers))
        assert.deepInclude(answer.body, { statusCode: 422, statusMessage: "Unprocessable Content" })
        assert.deepStrictEqual(refusalOf(answer), [422, "malformed_revision", error])
      }
      assert.deepStrictEqual((yield* author.read(draft.id)).body, draft)
    })
  )

  it.effect("Changes in one clock tick have strictly increasing revisions, with microseconds (2.7)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const { id, updatedAt } = yield* author.draft()
      const revisions: Array<string> = [updatedAt]
      for (let n = 0; n < 3; n++) {
        const { body } = yield* author.patch(
          id,
          { title: `Title ${n}` },
          { "x-post-revision": revisions.at(-1)! }
        )
        revisions.push(body.updatedAt)
      }
      yield* author.publish(id)
      revisions.push((yield* author.read(id)).body.updatedAt)
      yield* author.unpublish(id)
      revisions.push((yield* author.read(id)).body.updatedAt)
      const second = revisions[0]!.slice(0, 20)
      for (const [n, revision] of revisions.entries()) {
        assert.match(revision, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
        assert.isTrue(revision.startsWith(second))
        if (n > 0) assert.isTrue(revision > revisions[n - 1]!, `${revision} after ${revisions[n - 1]}`)
      }
    })
  )

  it.effect("An edit that leaves a Post public requires the whole declaration (3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const post = yield* author.published()
      const missing: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ title: " " }, ["title required"]],
        [{ description: "" }, ["description required"]],
        [{ freeContentMarkdown: null }, ["content required"]],
        [{ primaryCategoryId: null }, ["primaryCategoryId required"]],
        [{ secondaryCategoryId: 3 }, ["secondaryCategoryId mismatch"]],
        [{ creationMethod: null }, ["creationMethod required"]],
        [{ creationAttested: false }, ["creationAttested required"]],
        [{ paidContentMarkdown: "x", enablePaywall: true }, ["priceRaw required"]],
        [{ title: "", creationAttested: false }, ["title required", "creationAttested required"]]
      ]
      for (const [body, errors] of missing) {
        const answer = yield* author.patch(post.id, body)
        assert.strictEqual(answer.body.type, "https://press.test/problems/publication-incomplete")
        assert.deepStrictEqual(errorsOf(answer), errors)
      }
      const edited = yield* author.patch(post.id, { title: "Edited", secondaryCategoryId: 5 })
      assert.deepInclude(edited.body, {
        status: "published",
        title: "Edited",
        slug: post.slug,
        secondaryCategoryId: 5
      })
    })
  )

  it.effect("A new slug is rejected on a published Post (3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const post = yield* author.published()
      assert.deepStrictEqual(refusalOf(yield* author.patch(post.id, { slug: "other" })), [
        409,
        "post-published"
      ])
      assert.strictEqual((yield* author.patch(post.id, { slug: post.slug, title: "Same slug" })).status, 200)
      yield* author.unpublish(post.id)
      assert.strictEqual((yield* author.patch(post.id, { slug: "other" })).body.slug, "other")
    })
  )

  it.effect("A public edit to autonomous_agent labels the account (3.4b)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const post = yield* author.published()
      yield* author.patch(post.id, { creationMethod: "autonomous_agent" })
      const profile = yield* author.send("GET", "/../profile")
      assert.strictEqual(profile.body.authorKind, "agent")
    })
  )
})
