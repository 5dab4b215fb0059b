import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { SectionReader } from "../../../src/publishing/content/SectionReader.ts"
import { PagesRepo } from "../../../src/reading/pages/PagesRepo.ts"
import { PageTexts } from "../../../src/reading/pages/PageTexts.ts"
import { PageTextsRepo } from "../../../src/reading/pages/PageTextsRepo.ts"
import { pageTextWork, PageTextsWorker } from "../../../src/reading/pages/PageTextsWorker.ts"
import { TEXT_VERSION } from "../../../src/reading/pages/storedText.sql.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { passing } from "../../support/passing.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { titlesOf } from "./documents.ts"

/** A word of the paid section, and of no other text. */
const MARKER = "zanzibarquokka"

const STALE = { html: "<p>Stale</p>", words: 1 }

interface Stored {
  readonly related: ReadonlyArray<PostId> | null
  readonly html: string | null
  readonly words: number | null
  readonly version: number | null
  readonly is_due: boolean
}

const stored = Effect.fnUntraced(function* (id: PostId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Stored>`
    select html, words, version, related, coalesce(due_at < ${later(yield* now, 1_000)}, false) as is_due from page_texts
    where id = ${id}`
  return row
})

/** Stores words that no renderer makes, so that a page tells where it has its text from. */
const mark = Effect.fnUntraced(function* (id: PostId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update page_texts set html = '<p>As stored</p>' where id = ${id}`
})

const due = Effect.gen(function* () {
  // A revision is at least a microsecond after the one before, and so may be ahead of a clock that stands.
  yield* TestClock.adjust("1 milli")
  const { claim, leaseMillis } = pageTextWork(yield* PageTexts)
  const at = yield* now
  return (yield* claim({ at, leaseUntil: later(at, leaseMillis), limit: 1 }))[0]
})

const claimed = Effect.map(due, (row) => row ?? assert.fail("Nothing is due"))

/** Renders all texts that are due, one claim after the other, as the worker does. */
const drain = Effect.gen(function* () {
  const { render } = yield* PageTexts
  for (let row = yield* due; row !== undefined; row = yield* due) yield* render(row)
})

const pageOf = Effect.fnUntraced(function* (path: string) {
  // Answers that are kept end.
  yield* TestClock.adjust("11 seconds")
  const { status, text } = yield* (yield* TestClient).send("GET", path)
  assert.strictEqual(status, 200, path)
  return text
})

/** Rendering while the threads have too much to do. */
const overloaded = Layer.fresh(PageTexts.layer).pipe(
  Layer.provide(
    Layer.mock(SectionReader, {
      pageText: () => Effect.die(new DependencyUnavailable({ dependency: "section reader" }))
    })
  )
)

/** The service, and the repositories that its tests look into. */
const withRepos = Layer.mergeAll(PagesRepo.layer, PageTextsRepo.layer).pipe(
  Layer.provideMerge(service(database("test_reading_page_texts")))
)

layer(withRepos)("stored texts", (it) => {
  it.effect("are rendered once the Post is public, and its page shows them", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = yield* author.draft({ freeContentMarkdown: "# One\n\nTwo *three*." })
      yield* drain
      assert.isUndefined(yield* stored(draft.id))

      const { body } = yield* author.publish(draft.id)
      assert.include(yield* stored(draft.id), { html: null, version: null, is_due: true })
      yield* drain
      assert.deepInclude(yield* stored(draft.id), {
        html: '<h2 id="h-one"><a href="#h-one">One</a></h2>\n<p>Two <em>three</em>.</p>',
        words: 3,
        version: TEXT_VERSION,
        is_due: false
      })
      yield* mark(draft.id)
      assert.include(
        yield* pageOf(`/@${author.handle}/${body.slug}`),
        '<div class="prose e-content" dir="auto"><p>As stored</p></div>'
      )
    })
  )

  it.effect("are the same as those that a reader had who came before the worker", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id, slug } = yield* author.published({
        freeContentMarkdown: "A **bold** word.\n\n```ts\nconst a = 1\n```"
      })
      const before = yield* pageOf(`/@${author.handle}/${slug}`)
      assert.include(before, "<strong>bold</strong>")
      yield* drain
      const row = yield* stored(id)
      assert.include(before, row?.html ?? "nothing was stored")
    })
  )

  it.effect("end with an edit of the text, and with nothing else", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.published({ freeContentMarkdown: "Before" })
      yield* drain
      const sql = yield* SqlClient.SqlClient
      yield* sql`update posts set og_image = null where id = ${id}`
      assert.include(yield* stored(id), { html: "<p>Before</p>", is_due: false })

      const { body } = yield* author.patch(id, { freeContentMarkdown: "After" })
      assert.include(yield* stored(id), { html: null, is_due: true })
      assert.include(yield* pageOf(`/@${author.handle}/${body.slug}`), "<p>After</p>")
      yield* drain
      assert.include(yield* stored(id), { html: "<p>After</p>", is_due: false })
    })
  )

  it.effect("end within the change that puts a text behind a paywall, or takes it back", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const { id } = yield* author.published({
        freeContentMarkdown: "The teaser.",
        paidContentMarkdown: MARKER,
        enablePaywall: false
      })
      yield* drain
      assert.include((yield* stored(id))?.html ?? "", MARKER)
      const { body } = yield* author.patch(id, { enablePaywall: true, priceXno: "0.25" })
      assert.isNull((yield* stored(id))?.html)
      assert.notInclude(yield* pageOf(`/@${author.handle}/${body.slug}`), MARKER)
      yield* drain
      assert.include(yield* stored(id), { html: "<p>The teaser.</p>", is_due: false })
      assert.notInclude(yield* pageOf(`/@${author.handle}/${body.slug}`), MARKER)

      yield* author.unpublish(id)
      assert.include(yield* stored(id), { html: null, is_due: false })
      yield* drain
      assert.isNull((yield* stored(id))?.html)
    })
  )

  it.effect("are not stored by a worker that read the text before an edit", () =>
    Effect.gen(function* () {
      const repo = yield* PageTextsRepo
      const author = yield* authorOf(5)
      const change = { freeContentMarkdown: "Changed" }
      const edits = {
        text: (id: PostId) => Effect.map(author.patch(id, change), (it) => [it.status]),
        "away and public again": (id: PostId) =>
          Effect.map(
            Effect.all([author.unpublish(id), author.patch(id, change), author.publish(id, `again-${id}`)]),
            (all) => all.map(({ status }) => status)
          )
      }
      for (const [name, edit] of Object.entries(edits)) {
        const { id } = yield* author.published({ freeContentMarkdown: "Stale" })
        const lease = yield* claimed
        assert.strictEqual(lease.id, id, name)
        const statuses = yield* edit(id)
        assert.isTrue(
          statuses.every((status) => status === 200),
          `${name}: ${statuses}`
        )
        // Another worker is at it by now.
        assert.strictEqual((yield* claimed).id, id, name)
        assert.isFalse(yield* repo.store(lease, STALE, yield* now), name)
        assert.isFalse(yield* repo.release(lease, yield* now), name)
        assert.isNull((yield* stored(id))?.html, name)
        yield* TestClock.adjust("61 seconds")
        yield* drain
        assert.include(yield* stored(id), { html: "<p>Changed</p>" }, name)
      }
    })
  )

  it.effect("wait for an edit that is not committed, and take its text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* PageTextsRepo
      const author = yield* authorOf(6)
      const { id } = yield* author.published({ freeContentMarkdown: "Stale" })
      const lease = yield* claimed
      assert.strictEqual(lease.id, id)
      const isChanged = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const editing = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`update posts set free_content_markdown = 'Changed' where id = ${id}`
            yield* Deferred.succeed(isChanged, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(isChanged)
      // The row is locked: no other worker takes it, and the one that has it waits.
      assert.isUndefined(yield* due)
      const storing = yield* Effect.forkChild(repo.store(lease, STALE, yield* now), {
        startImmediately: true
      })
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(editing)
      assert.isFalse(yield* Fiber.join(storing))
      yield* drain
      assert.include(yield* stored(id), { html: "<p>Changed</p>" })
    })
  )

  it.effect("of another release are not shown, and are rendered anew within a day", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(7)
      const { id, slug } = yield* author.published({ freeContentMarkdown: "Of now" })
      yield* drain
      for (const version of [TEXT_VERSION - 1, TEXT_VERSION + 1]) {
        yield* sql`update page_texts set version = ${version}, html = '<p>Of then</p>' where id = ${id}`
        const page = yield* pageOf(`/@${author.handle}/${slug}`)
        assert.include(page, "<p>Of now</p>")
        assert.notInclude(page, "Of then")
        yield* TestClock.adjust("1 day")
        yield* drain
        assert.include(yield* stored(id), { html: "<p>Of now</p>", version: TEXT_VERSION, is_due: false })
      }
    })
  )

  it.effect("go with their Post", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(8)
      const { id } = yield* author.published()
      yield* drain
      assert.isDefined(yield* stored(id))
      yield* sql`delete from posts where id = ${id}`
      assert.isUndefined(yield* stored(id))
    })
  )

  it.effect("are read instead of the Markdown, and one by one as well", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const { id } = yield* author.published({ freeContentMarkdown: "Words" })
      const { text } = yield* PagesRepo
      assert.include(Option.getOrThrow(yield* text(id)), { html: null, words: null, public_text: "Words" })
      yield* drain
      assert.include(Option.getOrThrow(yield* text(id)), {
        html: "<p>Words</p>",
        words: 1,
        public_text: null
      })
    })
  )

  it.effect("come with four related Posts, chosen anew once a day, or when one is no longer public", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(12)
      const publish = Effect.fnUntraced(function* (title: string) {
        yield* TestClock.adjust("1 second")
        return yield* author.published({ title, description: "Quokkas of Rottnest", primaryCategoryId: 7 })
      })
      const four = yield* Effect.forEach(["One", "Two", "Three", "Four"], publish)
      const { id, slug } = yield* publish("Last")
      const shown = Effect.map(pageOf(`/@${author.handle}/${slug}`), titlesOf)
      const chosen = four.map((it) => it.id).toReversed()
      yield* drain
      assert.deepStrictEqual((yield* stored(id))?.related, chosen)

      // The page shows the stored choice, and not the Posts that have come since.
      const newer = yield* publish("Newer")
      yield* drain
      assert.deepStrictEqual(yield* shown, ["Four", "Three", "Two", "One"])
      yield* TestClock.adjust("1 day")
      yield* drain
      assert.deepStrictEqual((yield* stored(id))?.related, [newer.id, ...chosen.slice(0, 3)])
      assert.deepStrictEqual(yield* shown, ["Newer", "Four", "Three", "Two"])

      yield* author.unpublish(newer.id)
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(yield* shown, ["Four", "Three", "Two", "One"])
    })
  )

  it.effect("are tried again a little later when the threads have too much to do", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const { id } = yield* author.published({ freeContentMarkdown: "At last" })
      const lease = yield* claimed
      const { render } = yield* PageTexts.pipe(Effect.provide(overloaded))
      yield* render(lease)
      assert.include(yield* stored(id), { html: null, is_due: false })
      yield* drain
      assert.isNull((yield* stored(id))?.html)
      yield* TestClock.adjust("5 seconds")
      yield* drain
      assert.include(yield* stored(id), { html: "<p>At last</p>" })
    })
  )

  it.effect("are rendered by a fiber of its own", () =>
    Effect.gen(function* () {
      yield* drain
      yield* Layer.build(PageTextsWorker)
      const author = yield* authorOf(11)
      const { id } = yield* author.published({ freeContentMarkdown: "In time" })
      // No bell rings: the worker looks for itself.
      yield* passing(
        5_000,
        "a stored text",
        Effect.provideService(
          Effect.map(stored(id), (row) => row?.html === "<p>In time</p>"),
          SqlClient.SqlClient,
          yield* SqlClient.SqlClient
        )
      )
      // The pause after the text.
      yield* TestClock.adjust("1 second")
    })
  )
})
