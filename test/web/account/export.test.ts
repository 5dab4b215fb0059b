import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Restrictions } from "../../../src/engagement/moderation/Restrictions.ts"
import { readArchive } from "../../engagement/account-export/archive.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { ACCOUNT, pageOf, signedIn } from "./pages.ts"

const EXPORT = `${ACCOUNT}/export.zip`

layer(service(database("test_web_account_export"), 1, { rateLimitFactor: 1 }))(
  "the download of everything",
  (it) => {
    it.effect("The account leads to a ZIP with the posts of the owner who is signed in", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        yield* author.draft({ title: "Mine" })
        const reader = yield* signedIn(1)
        assert.include(
          yield* pageOf(reader),
          `<a class="button" href="${EXPORT}" download>Download everything</a>`
        )
        const answer = yield* reader.get(EXPORT)
        assertPrivate(answer)
        assert.strictEqual(answer.headers.get("content-type"), "application/zip")
        assert.match(
          answer.headers.get("content-disposition") ?? "",
          /^attachment; filename="pennypress-author1-\d{4}-\d\d-\d\d\.zip"$/
        )
        assert(answer.bytes !== undefined)
        const { paths } = yield* readArchive(answer.bytes)
        assert.include(paths, "drafts/mine.md")
      })
    )

    it.effect("A reader without a session is led to the sign-in", () =>
      Effect.gen(function* () {
        const answer = yield* (yield* browser).get(EXPORT)
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(answer.headers.get("location"), `/sign-in?back=${encodeURIComponent(ACCOUNT)}`)
      })
    )

    it.effect("A restricted account downloads everything from the page that tells of its restriction", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const reader = yield* signedIn(2)
        yield* (yield* Restrictions).setRestricted(
          { kind: "administrator" } as never,
          { handle: author.handle },
          true,
          { reason: "Spam" }
        )
        const page = yield* reader.get(ACCOUNT)
        assert.strictEqual(page.status, 403)
        assert.include(page.text, `<a href="${EXPORT}" download>Download everything</a>`)
        assert.strictEqual((yield* reader.get(EXPORT)).status, 200)
      })
    )

    it.effect("The eleventh download of an hour is refused", () =>
      Effect.gen(function* () {
        yield* authorOf(3)
        const reader = yield* signedIn(3)
        for (let i = 0; i < 10; i++) assert.strictEqual((yield* reader.get(EXPORT)).status, 200)
        assert.strictEqual((yield* reader.get(EXPORT)).status, 429)
      })
    )
  }
)
