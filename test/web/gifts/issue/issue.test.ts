import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { paidPost } from "../../../payments/access/paidPost.ts"
import { gift, issue, list, redeem, revoke } from "../../../payments/gifts/giving.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { readerOf } from "../../../support/actors/reader.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../../browser.ts"
import { validated } from "../../pages/documents.ts"
import { signIn, valueOf } from "../../signIn.ts"

/** A word of the paid section, as Markdown and as a page shows it. */
const SECRET = /secret/i

/** An author with a Post for sale, who is signed in in a browser. */
const scene = Effect.fnUntraced(function* (number: number, post: object = {}) {
  const author = yield* authorOf(number)
  const { id } = yield* author.published({ ...paidPost, ...post })
  const desk = yield* browser
  yield* signIn(desk, number)
  return { author, desk, id: id as string, path: `/give/${id}` }
})

/** Opens a page of an author, and checks what holds for each of them. */
const open = Effect.fnUntraced(function* (desk: Browser, path: string) {
  const page = yield* desk.get(path)
  assert.strictEqual(page.status, 200, page.text)
  assertPrivate(page)
  validated(page.text)
  assert.include(page.text, '<meta name="robots" content="noindex"')
  assert.notMatch(page.text, SECRET)
  assert.notInclude(page.text, "ppg_")
  return page.text.replaceAll(/\s+/g, " ")
})

const terms = { label: "", readers: "1", until: "" }

const MARK = `"><script>alert(1)</script> & 'so'`

layer(service(database("test_reading_give")))("an author who gives a Post in a browser", (it) => {
  it.effect("An author gets a link once, which a reader opens", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(1)
      const text = yield* open(desk, path)
      assert.strictEqual(valueOf(text, "readers"), "")
      assert.match(text, /name="until"[^>]*value="1970-01-31"/s)
      const key = valueOf(text, "key")
      const made = yield* desk.post(path, { key, label: MARK, readers: "2", until: "1970-01-20" })
      assert.strictEqual(made.status, 200, made.text)
      assertPrivate(made)
      validated(made.text)
      assert.notMatch(made.text, SECRET)
      const url = /data-copy="(https:\/\/press\.test\/@author1\/[^"]+#gift=ppg_[0-9A-Za-z_]+)"/.exec(
        made.text
      )![1]!
      assert.include(made.text, "the first 2 readers who open it")
      assert.include(made.text, "January 20, 1970")

      // The answer was lost, and the form is sent again.
      const again = yield* desk.post(path, { key, label: MARK, readers: "2", until: "1970-01-20" })
      assert.strictEqual(again.status, 409)
      validated(again.text)
      assert.include(again.text, "we showed its link when you created it")
      assert.notInclude(again.text, "ppg_")
      const changed = yield* desk.post(path, { key, ...terms })
      assert.strictEqual(changed.status, 409)
      assert.include(changed.text, "You already created a different gift from this page")
      const [shown, ...others] = (yield* list(author, `?postId=${id}`)).body.data
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(
        [shown.label, shown.maxRedemptions, shown.expiresAt],
        [MARK, 2, "1970-01-20T23:59:59.000000Z"]
      )

      const reader = yield* browser
      const opening = { key: valueOf((yield* reader.get("/gift")).text, "key"), token: url }
      assert.strictEqual((yield* reader.post("/gift", opening)).headers.get("location"), `/read/${id}`)
      assert.match((yield* reader.get(`/read/${id}`)).text, SECRET)
      const listed = yield* open(desk, path)
      assert.include(listed, "1 of 2 opened")
      assert.notInclude(listed, "<script>alert")
    })
  )

  it.effect("An author takes gifts back from new readers, and from those who opened them", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(2)
      const { accessToken } = yield* readerOf(3)
      const given = yield* gift(author, id, { maxRedemptions: 2, label: "For two" })
      assert.include(yield* open(desk, path), "0 of 2 opened")
      assert.notInclude(yield* open(desk, path), "from its readers, too")
      yield* redeem(accessToken, given.token)
      assert.include(yield* open(desk, path), "Stop new readers from opening it")
      for (const [redeemed, done, said, state] of [
        [
          "keep",
          "closed",
          "Readers who already opened it keep access.",
          "1 of 2 opened, taken back, readers keep access"
        ],
        [
          "revoke",
          "ended",
          "including from readers who had opened it",
          "1 of 2 opened, taken back, including from its readers"
        ]
      ] as const) {
        for (const _ of [1, 2]) {
          const ended = yield* desk.post(`${path}/end`, { gift: given.id, redeemed })
          assert.deepStrictEqual(
            [ended.status, ended.headers.get("location")],
            [303, `${path}?done=${done}`],
            ended.text
          )
        }
        const text = yield* open(desk, `${path}?done=${done}`)
        assert.include(text, said)
        assert.include(text, state)
      }
      // Nothing is left to end, and the gift is refused.
      assert.notInclude(yield* open(desk, path), "<details>")
      const reader = yield* browser
      const key = valueOf((yield* reader.get("/gift")).text, "key")
      const refused = yield* reader.post("/gift", { key, token: given.token })
      const locked = yield* reader.get(refused.headers.get("location")!)
      assert.strictEqual(locked.status, 403)
      assert.include(locked.text, "took this gift back")
    })
  )

  it.effect("An author sees gifts in every state, page by page", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(4)
      const { accessToken } = yield* readerOf(5)
      const used = yield* gift(author, id)
      yield* redeem(accessToken, used.token)
      yield* revoke(author, (yield* gift(author, id, { label: "Unwanted" })).id)
      yield* gift(author, id, { expiresAt: "1970-01-01T00:01:00Z" })
      yield* gift(author, id, { expiresAt: null, label: "For ever" })
      yield* TestClock.adjust("2 minutes")
      const text = yield* open(desk, path)
      for (const said of ["1 of 1 opened", "taken back", "0 of 1 opened, ended", "For ever"])
        assert.include(text, said)
      assert.strictEqual(
        [...text.matchAll(/<details>/g)].length,
        2,
        "the one that is open, and the one that is read"
      )

      for (let n = 0; n < 20; n++) yield* gift(author, id, { label: `Number ${n}` })
      const first = yield* open(desk, path)
      const next = /rel="next" href="([^"]+)"/.exec(first)![1]!
      assert.include(first, "Number 0")
      assert.notInclude(first, "For ever")
      const second = yield* open(desk, next.replaceAll("&amp;", "&"))
      assert.include(second, "For ever")
      assert.notInclude(second, "Number 0")
      assert.include(second, `href="${path}">First page`)
      assert.strictEqual((yield* desk.get(`${path}?after=no+cursor`)).status, 404)
    })
  )

  it.effect("An author gets a refused form back, with the reason", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(6)
      const key = valueOf(yield* open(desk, path), "key")
      for (const [field, value] of [
        ["readers", "0"],
        ["readers", MARK],
        ["until", "1969-12-31"],
        ["until", MARK],
        ["label", "x".repeat(81)]
      ] as const) {
        const refused = yield* desk.post(path, { key, ...terms, [field]: value })
        assert.strictEqual(refused.status, 409, `${field} ${value}`)
        validated(refused.text)
        assert.match(refused.text, new RegExp(`id="${field}-hint" tabindex="-1" autofocus`))
        assert.notStrictEqual(valueOf(refused.text, "key"), key)
      }
      assert.strictEqual((yield* desk.post(path, { key: "1", ...terms })).status, 400)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, created_at)
        select gen_random_uuid(), p.owner_id, p.id, sha256(int4send(n)), 1, p.created_at
        from posts p, generate_series(1, 200) n where p.id = ${id}`
      const full = yield* desk.post(path, { key, ...terms })
      assert.include(full.text, "You have 200 gifts that can still be opened.")
      validated(full.text)
      yield* sql`update gifts set revoked_at = created_at where post_id = ${id}`

      // The Post changes while its author fills in the form.
      yield* author.patch(id, { enablePaywall: false })
      assert.include((yield* desk.post(path, { key, ...terms })).text, "everyone can read it without a gift")
      yield* author.patch(id, { enablePaywall: true, priceXno: "0.5" })
      yield* author.unpublish(id)
      const withdrawn = yield* desk.post(path, { key, ...terms })
      assert.include(withdrawn.text, "published right now")
      const text = yield* open(desk, path)
      assert.include(text, "isn't for sale right now")
      assert.notInclude(text, "Create gift link")
      assert.strictEqual(
        (yield* sql`select id from gifts where post_id = ${id} and revoked_at is null`).length,
        0
      )
    })
  )

  it.effect("An author whose session has ended signs in, and the gift is then made", () =>
    Effect.gen(function* () {
      const { desk, path } = yield* scene(7, { title: "A title of her own" })
      const key = valueOf(yield* open(desk, path), "key")
      yield* desk.post("/sign-out")
      const refused = yield* desk.post(path, { key, ...terms, label: MARK, readers: "7" })
      assert.strictEqual(refused.status, 401)
      assertPrivate(refused)
      const shown = validated(refused.text).find(({ tag }) => tag === "textarea")
      assert.include(shown!.text, MARK)
      assert.include(refused.text, "You&#39;re not signed in.")
      assert.notInclude(refused.text, "A title of her own")
      const { answer } = yield* signIn(desk, 7, "/", valueOf(refused.text, "kept"))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.include(answer.text, "the first 7 readers who open it")
    })
  )

  it.effect("An author chooses one of the Posts that are for sale, or were given", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(8, { title: `Eleven ${MARK}` })
      yield* author.published({ title: "A free one" })
      yield* author.draft({ ...paidPost, title: "A draft" })
      const text = yield* open(desk, "/give")
      assert.include(text, `href="${path}"`)
      assert.notInclude(text, "A free one")
      assert.notInclude(text, "A draft")
      assert.notInclude(text, "<script>alert")
      yield* gift(author, id)
      yield* author.unpublish(id)
      assert.include(yield* open(desk, "/give"), "not for sale right now")
      for (let n = 0; n < 20; n++) yield* author.published({ ...paidPost, title: `Copy ${n}` })
      const first = yield* open(desk, "/give")
      const next = /rel="next" href="([^"]+)"/.exec(first)![1]!
      assert.notInclude(first, "Eleven")
      assert.include(yield* open(desk, next), "Eleven")
      // A name that is of no Post of hers begins the list, or ends it.
      assert.include(yield* open(desk, "/give?after=x"), "Copy 19")
      const { id: foreign } = yield* (yield* authorOf(9)).published(paidPost)
      assert.notInclude(yield* open(desk, `/give?after=${foreign}`), "Copy")
      const empty = yield* browser
      yield* readerOf(10)
      yield* signIn(empty, 10)
      assert.include(yield* open(empty, "/give"), "You don&#39;t have a post with a price yet.")
    })
  )

  it.effect("The form is linked from the pages where an author sees that the Post is theirs", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(11)
      const { id: free } = yield* author.published({ title: "A free one" })
      for (const own of [`/read/${id}`, `/respond/${id}`]) {
        const page = yield* desk.get(own)
        validated(page.text)
        assert.include(page.text, `href="${path}"`)
      }
      assert.notInclude((yield* desk.get(`/respond/${free}`)).text, "/give/")
      const reader = yield* browser
      yield* readerOf(12)
      yield* signIn(reader, 12)
      assert.notInclude((yield* reader.get(`/respond/${id}`)).text, "/give/")
    })
  )

  it.effect("Only the author of the Post gives it, in a form of these pages", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(13)
      const given = yield* gift(author, id)
      const key = valueOf(yield* open(desk, path), "key")
      const ending = { gift: given.id, redeemed: "revoke" }
      const stranger = yield* browser
      for (const at of ["/give", path])
        assert.strictEqual(
          (yield* stranger.get(at)).headers.get("location"),
          `/sign-in?back=${encodeURIComponent(at)}`
        )
      assert.strictEqual((yield* stranger.post(`${path}/end`, ending)).status, 401)
      const other = yield* browser
      yield* authorOf(14)
      yield* signIn(other, 14)
      assert.strictEqual((yield* other.get(path)).status, 404)
      assert.strictEqual((yield* other.post(path, { key, ...terms })).status, 404)
      assert.strictEqual((yield* other.post(`${path}/end`, ending)).status, 404)
      for (const target of [path, `${path}/end`])
        for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
          const forged = yield* desk.post(target, { key, ...terms, ...ending }, headers)
          assert.strictEqual(forged.status, 403, target)
        }
      for (const wrong of [{}, { ...ending, gift: "x" }, { ...ending, redeemed: "all" }])
        assert.strictEqual((yield* desk.post(`${path}/end`, wrong)).status, 400)
      for (const at of ["/give/x", "/give/00000000-0000-4000-8000-00000000000f"])
        assert.strictEqual((yield* desk.get(at)).status, 404)
      const [untouched, ...others] = (yield* list(author, `?postId=${id}`)).body.data
      assert.deepStrictEqual([untouched.state, others.length], ["active", 0])

      // Moderators restrict the account.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where handle = ${author.handle}`
      const restricted = yield* desk.post(path, { key, ...terms })
      assert.strictEqual(restricted.status, 403)
      assert.include(restricted.text, "restricted")
    })
  )

  it.effect("Pressing twice makes one gift, even together with the API", () =>
    Effect.gen(function* () {
      const { author, desk, id, path } = yield* scene(15)
      const key = valueOf(yield* open(desk, path), "key")
      const presses = yield* Effect.forEach(
        Array.from({ length: 8 }),
        (_, n) =>
          n % 4 === 3
            ? Effect.as(issue(author, { postId: id, expiresAt: null }, key), null)
            : desk.post(path, { key, ...terms }),
        { concurrency: "unbounded" }
      )
      const links = presses.filter((it) => it !== null && it.text.includes("#gift=ppg_"))
      assert.isAtMost(links.length, 1)
      for (const it of presses) if (it !== null) assert.include([200, 409], it.status, it.text)
      assert.lengthOf((yield* list(author, `?postId=${id}`)).body.data, 1)
    })
  )
})
