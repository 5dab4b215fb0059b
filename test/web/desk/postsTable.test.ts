import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { paid } from "../../payments/finance/selling.ts"
import { PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { authorOf } from "../../support/actors/author.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  assert.notInclude(answer.text, "secret")
  return answer.text
})

const readerOf = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  return reader
})

/** Returns the titles of the posts on a page, in their order. */
const titlesOf = (text: string) =>
  [...text.matchAll(/<th scope="row"><a href="\/write\/[0-9a-f-]{36}"><bdi>([^<]*)</g)].map(
    ([, title]) => title
  )

const nextOf = (text: string) => /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&")

/** Reads a table to its end. Its pages are not validated, which takes longer than to read them: `pageOf` does that for each order. */
const allOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const pages: Array<ReadonlyArray<string | undefined>> = []
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, text } = yield* reader.get(next)
    assert.strictEqual(status, 200, text)
    pages.push(titlesOf(text))
    next = nextOf(text)
  }
  return pages
})

const SORTS = ["title", "price", "reads", "walls", "sales", "income", "comments", "published"] as const

layer(service(database("test_web_posts_table")))("The table of an author's own posts", (it) => {
  it.effect("Own posts are listed by filter and title in one statement, with what can be done", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sellerOf(4)
      yield* author.draft({ title: "Crème brûlée at home" })
      yield* author.draft({ title: "تسع درجات من الاستقامة" })
      yield* author.draft({ title: `${"W".repeat(150)} <b>` })
      const free = yield* author.published({ title: "Free for all" })
      const reader = yield* readerOf(4)
      const { answer, statements } = yield* statementsOf(reader.get("/desk/posts"))
      // Two of the session.
      assert.lengthOf(statements, 3, statements.join("\n\n"))
      validated(answer.text)
      assert.lengthOf(titlesOf(answer.text), 5)
      assert.include(answer.text, "<bdi>تسع درجات من الاستقامة</bdi>")
      assert.include(answer.text, `${"W".repeat(150)} &lt;b&gt;`)
      assert.match(answer.text, /data-copy="https?:\/\/[^"]+\/@[^"]+\/free-for-all"/)
      assert.include(answer.text, `href="/give/${postId}"`)
      assert.notInclude(answer.text, `href="/give/${free.id}"`)
      assert.notInclude(answer.text, `action="/write/${postId}/delete"`)

      for (const [show, titles] of [
        ["draft", 3],
        ["free", ["Free for all"]],
        ["paid", ["On pennies"]]
      ] as const)
        for (const sort of ["", ...SORTS]) {
          const found = titlesOf(yield* pageOf(reader, `/desk/posts?show=${show}&sort=${sort}`))
          if (typeof titles === "number") assert.lengthOf(found, titles, sort)
          else assert.deepStrictEqual(found, [...titles], `${show} ${sort}`)
        }
      for (const [q, titles] of [
        ["creme BRULEE", ["Crème brûlée at home"]],
        ["penn", ["On pennies"]],
        ["استقامه", []],
        ["الاستقامة", ["تسع درجات من الاستقامة"]],
        ["creme -home", []],
        ["-home creme", ["Crème brûlée at home"]],
        ["'); drop table posts; --", []],
        ["!!!", []],
        ["x".repeat(5_000), []]
      ] as const)
        for (const sort of ["", "income"]) {
          const found = yield* pageOf(reader, `/desk/posts?sort=${sort}&q=${encodeURIComponent(q)}`)
          assert.deepStrictEqual(titlesOf(found), [...titles], q)
          if (titles.length === 0) assert.include(found, "None of your titles contain all of these words.")
        }
      assert.deepStrictEqual(titlesOf(yield* pageOf(reader, "/desk/posts?q=pennies&show=draft")), [])
      for (const odd of ["show=gone", "sort=id;--", "after=x", "q=%00", "after=%00&q=+", "sort=title&sort=x"])
        yield* pageOf(reader, `/desk/posts?${odd}`)

      const other = yield* readerOf(5)
      assert.deepStrictEqual(titlesOf(yield* pageOf(other, "/desk/posts?q=pennies")), [])
      assert.include(yield* pageOf(other, "/desk/posts"), "You haven&#39;t written anything yet.")
      for (const sort of ["", ...SORTS])
        assert.include(
          yield* pageOf(other, `/desk/posts?sort=${sort}&after=${postId}`),
          "There are no more posts."
        )
    })
  )

  it.effect("Every order lists each post once over its pages, and keeps its filter and words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(6)
      const { id } = yield* author.published({ title: "Penny 0" })
      yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, price_raw, slug, language,
          comments_enabled, creation_attested, created_at, updated_at, published_at)
        select gen_random_uuid(), owner_id, status, 'Penny ' || n, description, n % 2 = 0,
          case when n % 2 = 0 then (n % 5 + 1) * 1e28 end, 'penny-' || n, 'en', true, true, created_at, updated_at,
          published_at + n % 3 * interval '1 day'
        from posts, generate_series(1, 120) n where id = ${id}`
      yield* sql`
        insert into post_read_totals (post_id, owner_id, reads, walls)
        select id, owner_id, ascii(right(title, 1)) % 4, ascii(right(title, 1)) % 3 from posts
        where title like 'Penny %' and right(title, 1) <> '7'`
      yield* sql`
        insert into post_earnings (owner_id, post_id, shard, sales, earned_raw)
        select owner_id, id, shard, ascii(right(title, 1)) % 2, ascii(right(title, 1)) % 4 * 1e27
        from posts, generate_series(0, 1) shard where title like 'Penny %' and right(title, 1) <> '7'`
      yield* sql`insert into post_counts (post_id, comments)
        select id, ascii(right(title, 1)) % 5 from posts where title like 'Penny %' and right(title, 1) > '3'
        on conflict do nothing`
      const reader = yield* readerOf(6)
      for (const sort of ["", ...SORTS])
        for (const [query, count] of [
          ["", 121],
          ["&show=paid", 60],
          ["&q=penny&show=free", 61]
        ] as const) {
          const pages = yield* allOf(reader, `/desk/posts?sort=${sort}${query}`)
          assert.strictEqual(pages[0]?.length, 50, `${sort} ${query}`)
          assert.strictEqual(pages.flat().length, count, `${sort} ${query}`)
          assert.strictEqual(new Set(pages.flat()).size, count, `${sort} ${query}`)
        }
      const rows = yield* sql<{ readonly title: string; readonly reads: number }>`
        select title, coalesce(reads, 0) as reads from posts p left join post_read_totals t on t.post_id = p.id
        where p.owner_id = (select owner_id from posts where id = ${id})`
      const readsOf = new Map(rows.map(({ reads, title }) => [title, reads]))
      const reads = (yield* allOf(reader, "/desk/posts?sort=reads"))
        .flat()
        .map((title) => readsOf.get(title!)!)
      assert.deepStrictEqual(
        reads,
        reads.toSorted((one, other) => other - one)
      )
      const [first] = yield* allOf(reader, "/desk/posts?sort=title")
      assert.deepStrictEqual(first?.slice(0, 3), ["Penny 0", "Penny 1", "Penny 10"])
      const text = yield* pageOf(reader, "/desk/posts?sort=title")
      assert.match(text, /<th scope="col" aria-sort="ascending">\s*<a href="\/desk\/posts">Title</)
      assert.include(text, 'href="/desk/posts?sort=income"')
    })
  )

  it.effect("A post that leaves the filter between two pages loses none of the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(8)
      for (let n = 0; n < 52; n++) yield* author.draft({ title: `Draft ${n}` })
      const reader = yield* readerOf(8)
      for (const sort of ["", "reads"]) {
        const first = yield* pageOf(reader, `/desk/posts?show=draft&sort=${sort}`)
        const next = nextOf(first) ?? ""
        const last = /after=([0-9a-f-]+)/.exec(next)?.[1] ?? ""
        yield* sql`update posts set status = 'published', published_at = now() where id = ${last}`
        assert.lengthOf(titlesOf(yield* pageOf(reader, next)), 2)
        yield* sql`update posts set status = 'draft', published_at = null where id = ${last}`
      }
    })
  )

  it.effect("A post that is deleted between two pages leads to the first page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(12)
      for (let n = 0; n < 52; n++) yield* author.draft({ title: `Draft ${n}` })
      const reader = yield* readerOf(12)
      for (const [sort, left] of [
        ["", 50],
        ["title", 50]
      ] as const) {
        const next = nextOf(yield* pageOf(reader, `/desk/posts?sort=${sort}`)) ?? ""
        yield* sql`delete from posts where id = ${/after=([0-9a-f-]+)/.exec(next)?.[1] ?? ""}`
        assert.lengthOf(titlesOf(yield* pageOf(reader, next)), left, sort)
      }
    })
  )

  it.effect("A draft with a paywall and no price yet is not free", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(14)
      const paid = yield* author.draft({ title: "Not priced" })
      const reader = yield* readerOf(14)
      assert.include(yield* pageOf(reader, "/desk/posts"), "<td>Free</td>")
      yield* sql`update posts set enable_paywall = true, price_raw = null where id = ${paid.id}`
      const text = yield* pageOf(reader, "/desk/posts")
      assert.include(text, "<td>Not set</td>")
      assert.notInclude(text, "<td>Free</td>")
      assert.notInclude(text, `href="/give/${paid.id}"`)
    })
  )

  it.effect("Sales and tips of a post add up, and those of others and of comments do not", () =>
    Effect.gen(function* () {
      const { another, ownerId, payTo, postId, target } = yield* sellerOf(10)
      const payer = yield* payerOf(11)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      // A second payment buys nothing.
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW + 1n })
      const tip = { kind: "tip", postId, commentId: null, recipientId: ownerId } as const
      yield* paid(payer, { target: tip, payTo, amountRaw: 3n })
      yield* paid(payer, { target: { ...tip, postId: null }, payTo, amountRaw: 5n })
      yield* another
      const reader = yield* readerOf(10)
      const text = yield* pageOf(reader, "/desk/posts?sort=income")
      const amounts = [...text.matchAll(/data-unit="XNO earned"><data value="(\d+)"/g)].map(([, raw]) => raw)
      assert.deepStrictEqual(amounts, [String(PRICE_RAW + 3n), "0"])
      assert.match(text, /data-unit="sale">\s*<data value="1">/)
    })
  )

  it.effect("A draft is deleted from the list, and a post that moderators took off the site says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(7)
      const draft = yield* author.draft({ title: "To be deleted" })
      const withdrawn = yield* author.draft({ title: "Withdrawn" })
      const former = yield* author.draft({ title: "Former" })
      yield* sql`update posts set withdrawn_at = now() where id = ${withdrawn.id}`
      yield* sql`update posts set former_published_at = now() where id = ${former.id}`
      const reader = yield* readerOf(7)
      const text = yield* pageOf(reader, "/desk/posts")
      assert.include(text, "Taken off the site by our moderators")
      assert.include(text, "Back on the site in a few minutes")
      assert.notInclude(text, `href="/write/${withdrawn.id}/publish"`)
      assert.include(text, `action="/write/${draft.id}/delete"`)
      const deleted = yield* reader.post(`/write/${draft.id}/delete`)
      assert.strictEqual(deleted.status, 303, deleted.text)
      assert.notInclude(yield* pageOf(reader, "/desk/posts"), "To be deleted")
    })
  )
})
