import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { postBy } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { discussed, moderatorOf, reported } from "./actors.ts"

type Moderator = Effect.Success<ReturnType<typeof moderatorOf>>

/** Reads a page of the room, and checks that it is a valid one. */
const pageOf = Effect.fnUntraced(function* ({ reader }: Moderator, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  validated(answer.text)
  return answer.text.replaceAll(/\s+/g, " ")
})

const pathOf = (report: string) => `/moderate/reports/${report}`

/** Decides about a report as its form does. Returns the path to which the browser goes. */
const decide = Effect.fnUntraced(function* (
  { reader }: Moderator,
  report: string,
  decision: string,
  more: Readonly<Record<string, string>> = {}
) {
  const { headers, status, text } = yield* reader.post(pathOf(report), {
    do: decision,
    reason: "Spam",
    ...more
  })
  assert.strictEqual(status, 303, text)
  return headers.get("location") ?? ""
})

const room = () => service(database("test_moderate_queue"), 1, { adminToken: ADMIN_TOKEN })

layer(room())("The queue of moderators", (it) => {
  it.effect(
    "A decision opens the next report, which is about another thing and about none of one's own",
    () =>
      Effect.gen(function* () {
        const mo = yield* moderatorOf(1)
        const own = (yield* postBy(mo)).replace("/write/", "")
        const [one, two, three] = [yield* discussed(100), yield* discussed(110), yield* discussed(120)]
        const reportOf = (number: number, target: Parameters<typeof reported>[1]) =>
          Effect.tap(reported(number, target), () => TestClock.adjust("1 minute"))
        const first = yield* reportOf(130, { comment: one.comment })
        const second = yield* reportOf(131, { comment: two.comment })
        yield* reportOf(132, { comment: one.comment })
        yield* reportOf(133, { post: own })
        const claimed = yield* reportOf(134, { post: one.post })
        const last = yield* reportOf(135, { post: three.post })
        const ann = yield* moderatorOf(2)
        assert.strictEqual((yield* ann.reader.post(`${pathOf(claimed)}/claim`)).status, 303)

        const page = yield* pageOf(mo, pathOf(second))
        assert.include(page, `href="${pathOf(first)}" rel="prev" data-key="k"`)
        assert.include(page, `href="${pathOf(last)}" rel="next" data-key="j"`)
        assert.notInclude(yield* pageOf(mo, pathOf(first)), 'rel="prev"')
        assert.notInclude(yield* pageOf(mo, pathOf(last)), 'rel="next"')

        const onward = yield* decide(mo, second, "hide", { reason: "An advert" })
        assert.strictEqual(onward, `${pathOf(last)}?done=${second}`)
        const next = yield* pageOf(mo, onward)
        assert.include(next, "Done. <bdi>You</bdi> hid the comment on")
        assert.include(next, "“<bdi>An advert</bdi>”")
        assert.include(next, `href="${pathOf(second)}"`)
        assert.include(next, "<textarea")
        // After the last one, the queue begins again.
        assert.strictEqual(yield* decide(mo, last, "dismiss"), `${pathOf(first)}?done=${last}`)
        const end = yield* decide(mo, first, "dismiss")
        assert.strictEqual(end, `/moderate?done=${first}`)
        assert.include(yield* pageOf(mo, end), "Done. <bdi>You</bdi> dismissed it on")
        // Another moderator does not read that they did it, and an unknown report says nothing.
        assert.include(yield* pageOf(ann, end), `<bdi>@${mo.handle}</bdi> dismissed it on`)
        for (const id of ["x", "018f0000-0000-7000-8000-000000000000", claimed])
          assert.notInclude(yield* pageOf(mo, `/moderate?done=${id}`), 'id="outcome"')
      })
  )

  it.effect("A report shows the post as readers see it, and where its paid part begins", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mo = yield* moderatorOf(11)
      const author = yield* commenterOf(200)
      const post = yield* author.published({
        title: "Watches <b>for sale</b>",
        description: "A tale",
        freeContentMarkdown: "## Before\n\nSome **bold** words[^1].\n\n[^1]: A free note.",
        paidContentMarkdown:
          "## After\n\nAn *address*[^1]. `<script>alert(1)</script>`\n\n[^1]: A paid note.",
        enablePaywall: true,
        priceXno: "0.25"
      })
      const report = yield* reported(201, { post: post.id }, "It <i>sells</i> stolen goods")
      const page = yield* pageOf(mo, pathOf(report))
      const places = [
        '<p class="said" dir="auto">It &lt;i&gt;sells&lt;/i&gt; stolen goods</p>',
        "Watches &lt;b&gt;for sale&lt;/b&gt;</h2>",
        "A tale</p>",
        "<strong>bold</strong>",
        "A free note.",
        'aria-label="The part for buyers"',
        "Paid from here:",
        '<data value="0.25">0.25</data> XNO',
        "<em>address</em>",
        "A paid note.",
        'value="dismiss"'
      ].map((words) => page.indexOf(words))
      assert.notInclude(places, -1)
      assert.deepStrictEqual(
        places,
        places.toSorted((one, other) => one - other)
      )
      assert.notInclude(page, "<script>alert")
      // The queue names the post by its title and description.
      const list = yield* pageOf(mo, "/moderate")
      assert.isBelow(list.indexOf("stolen goods"), list.indexOf("Watches &lt;b&gt;"))
      assert.notInclude(list, "paid note")

      // Also after no reader sees it any more.
      yield* sql`update posts set paid_content_markdown = null, enable_paywall = false, price_raw = null where id = ${post.id}`
      assert.strictEqual((yield* author.unpublish(post.id)).status, 200)
      const draft = yield* pageOf(mo, pathOf(report))
      assert.include(draft, "<strong>bold</strong>")
      assert.notInclude(draft, "Paid from here")
      // A resolved report opens the draft no longer.
      yield* decide(mo, report, "dismiss")
      assert.notInclude(yield* pageOf(mo, pathOf(report)), "<strong>bold</strong>")
      yield* sql`delete from posts where id = ${post.id}`
      assert.include(yield* pageOf(mo, pathOf(report)), "It was deleted.")
    })
  )

  it.effect("A report shows a comment, a profile, and what else of the author is reported", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const mo = yield* moderatorOf(21)
      const { comment, post, talker } = yield* discussed(300, "Cheap <b>watches</b>")
      const own = yield* talker.published({ title: "Watches again" })
      const report = yield* reported(302, { comment }, "First reason")
      yield* reported(303, { comment }, "Second reason")
      const other = yield* reported(304, { post: own.id }, "Third reason")
      yield* reported(305, { post }, "Of another author")
      const page = yield* pageOf(mo, pathOf(report))
      assert.include(page, '<p class="said" dir="auto">Cheap &lt;b&gt;watches&lt;/b&gt;</p>')
      assert.include(page, "1 other report")
      assert.include(page, "Second reason")
      const others = page.slice(page.indexOf("Other open reports about"))
      assert.include(others, `<a href="${pathOf(other)}">Post</a>: “<bdi>Third reason</bdi>”`)
      assert.notInclude(others, "Second reason")
      assert.notInclude(page, "Of another author")

      const profile = { bio: "Ask me <b>now</b>", location: "Zürich" }
      yield* client.send("PATCH", "/api/v1/profile", { token: talker.key, body: profile })
      const sent = yield* mo.reader.post("/report", {
        handle: talker.handle,
        text: "Not who they say",
        mail: "ann@example.org"
      })
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly id: string }>`
        select id from reports where target_kind = 'account' and reason = 'Not who they say'`
      assert.isDefined(row, sent.text)
      const account = yield* pageOf(mo, pathOf(row!.id))
      assert.include(account, "Ask me &lt;b&gt;now&lt;/b&gt;")
      assert.include(account, "Zürich")
      assert.include(account, "2 reports,")
      const found = yield* pageOf(mo, `/moderate/accounts?handle=${talker.handle}`)
      for (const reason of ["First reason", "Third reason", "Not who they say"]) assert.include(found, reason)
    })
  )

  it.effect("A restriction is asked once more, with the posts and comments that disappear", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const mo = yield* moderatorOf(31)
      const { comment, talker } = yield* discussed(400)
      yield* talker.published({ title: "One" })
      yield* talker.published({ title: "Two" })
      const report = yield* reported(402, { comment })
      const typed = { reason: "A note for <b>us</b>", author: "Please stop" }
      const asked = yield* mo.reader.post(`${pathOf(report)}/restrict`, typed)
      assert.strictEqual(asked.status, 200)
      validated(asked.text)
      assert.include(asked.text, "2 posts and 1 comment disappear.")
      assert.include(asked.text, "A note for &lt;b&gt;us&lt;/b&gt;")
      assert.include(asked.text, "Please stop")
      assert.strictEqual((yield* client.send("GET", `/@${talker.handle}`)).status, 200)
      // A refusal asks again.
      const refused = yield* mo.reader.post(pathOf(report), { do: "restrict", reason: " ", author: "Stop" })
      assert.strictEqual(refused.status, 422)
      validated(refused.text)
      assert.include(refused.text, "2 posts and 1 comment disappear.")
      assert.include(refused.text, "Write a reason that others can understand later.")
      yield* decide(mo, report, "restrict", typed)
      assert.strictEqual((yield* client.send("GET", `/@${talker.handle}`)).status, 404)

      const lonely = yield* commenterOf(403)
      const [account] = yield* (yield* SqlClient.SqlClient)<{ readonly id: string }>`
        select id from owners where handle = ${lonely.handle}`
      const again = yield* mo.reader.post("/moderate/accounts/restrict", {
        account: account!.id,
        reason: "Hm"
      })
      assert.strictEqual(again.status, 200)
      validated(again.text)
      assert.include(again.text, "Readers see nothing of this account now.")
      assert.include(again.text, `name="account" value="${account!.id}"`)
      const empty = yield* mo.reader.post("/moderate/accounts", { account: account!.id, do: "restrict" })
      assert.strictEqual(empty.status, 422)
      assert.include(empty.text, `Restrict @${lonely.handle}?`)
      for (const [id, status] of [
        ["018f0000-0000-7000-8000-000000000000", 404],
        ["x", 400]
      ] as const)
        assert.strictEqual(
          (yield* mo.reader.post("/moderate/accounts/restrict", { account: id })).status,
          status
        )
    })
  )
})

layer(service(database("test_moderate_accounts"), 1, { adminToken: ADMIN_TOKEN }))(
  "The accounts of moderators",
  (it) => {
    it.effect("The page lists the 20 newest accounts, and the 20 with the most open reports", () =>
      Effect.gen(function* () {
        const mo = yield* moderatorOf(1)
        assert.include(yield* pageOf(mo, "/moderate/accounts"), "No report is open.")
        const often = yield* discussed(100)
        const once = yield* discussed(110)
        yield* reported(120, { comment: often.comment })
        yield* reported(121, { post: (yield* often.talker.published()).id })
        const report = yield* reported(122, { post: once.post })
        for (let number = 200; number < 220; number++) {
          yield* TestClock.adjust("1 second")
          yield* commenterOf(number)
        }
        const handlesOf = (text: string) =>
          [...text.matchAll(/<bdi>@([^<]+)<\/bdi><\/a>/g)].map(([, handle]) => handle)
        const listsOf = Effect.gen(function* () {
          const page = yield* pageOf(mo, "/moderate/accounts")
          const [, newest = "", reported = ""] = page.split('<section class="files"')
          return { newest: handlesOf(newest), reported: handlesOf(reported), page }
        })
        const { newest, page, reported: most } = yield* listsOf
        assert.lengthOf(newest, 20)
        const last = yield* commenterOf(219)
        assert.strictEqual(newest[0], last.handle)
        assert.deepStrictEqual(most, [often.talker.handle, once.author.handle])
        assert.include(page, "2 open reports · 1 post · ")
        // A resolved report counts no more, and a search shows no lists.
        yield* decide(mo, report, "dismiss")
        assert.deepStrictEqual((yield* listsOf).reported, [often.talker.handle])
        assert.notInclude(yield* pageOf(mo, `/moderate/accounts?handle=${last.handle}`), "Most reported")
      })
    )
  }
)
