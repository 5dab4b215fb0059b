import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotificationId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { now } from "../../../src/platform/time/now.ts"
import { Notices } from "../../../src/publishing/posts/Notices.ts"
import { tellAll } from "../../engagement/notifications/fanout/crowd.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

const PATH = "/desk/notifications"

/** Returns the id of the account with this session. */
const idOf = (token: string) =>
  Effect.flatMap(TestClient, (client) =>
    Effect.map(client.send("GET", "/api/v1/me", { token }), ({ body }) => OwnerId.make(body.owner.id))
  )

/** An author with a browser, a post, and a reader who may comment. */
const scene = Effect.fnUntraced(function* (first: number) {
  const author = yield* commenterOf(first)
  const bob = yield* commenterOf(first + 1)
  const post = yield* author.published({ title: "Nine <i>degrees</i>" })
  const [ofAuthor, ofBob] = [yield* browser, yield* browser]
  yield* signIn(ofAuthor, first)
  yield* signIn(ofBob, first + 1)
  const ownerId = yield* idOf(author.accessToken)
  return { author, bob, ofAuthor, ofBob, ownerId, post, path: `/@${author.handle}/${post.slug}` }
})

const open = Effect.fnUntraced(function* (reader: Browser, path: string = PATH) {
  const page = yield* reader.get(path)
  assert.strictEqual(page.status, 200, page.text)
  assertPrivate(page)
  validated(page.text)
  return page.text
})

/** Returns the links of the entries, with their words. Entries of one moment have any order. */
const entriesOf = (text: string) => {
  const [, list = ""] = /<ol class="thread">([\s\S]*?)<\/ol>/.exec(text) ?? []
  return [...list.matchAll(/<p>\s*(?:<a href="([^"]+)">)?([\s\S]*?)<\/p>/g)].map(
    ([, href = null, words = ""]) => [
      href,
      words
        .replaceAll(/<[^>]+>|\s+/g, " ")
        .replaceAll(/ +/g, " ")
        .replaceAll("&#39;", "'")
        .trim()
    ]
  )
}

const pressed = Effect.fnUntraced(function* (
  reader: Browser,
  form: "read" | "mute",
  fields: Readonly<Record<string, string>>
) {
  const answer = yield* reader.post(`${PATH}/${form}`, fields)
  assert.strictEqual(answer.status, 303, answer.text)
  return answer.headers.get("location")
})

/** Returns the ids that the page marks as read. */
const idsOf = (text: string) =>
  (/name="ids" value="([0-9a-f- ]{36,})"/.exec(text)?.[1] ?? "").split(" ").filter((id) => id !== "")

layer(service(database("test_web_notifications")))("notifications in a browser", (it) => {
  it.effect("An owner without notifications is told what will appear", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      assert.strictEqual(
        (yield* reader.get(`${PATH}?all`)).headers.get("location"),
        `/sign-in?back=${encodeURIComponent(`${PATH}?all`)}`
      )
      yield* commenterOf(1)
      yield* signIn(reader, 1)
      const fresh = yield* open(reader)
      assert.include(fresh, "You&#39;re all caught up.")
      assert.notInclude(fresh, "Mark all read")
      assert.include(yield* open(reader, `${PATH}?all`), "followers and news about your account appear here")
      assert.include(fresh, `href="${PATH}/settings"`)
    })
  )

  it.effect("Each entry is a sentence with a link to the comment, the post or the person", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, ofBob, path, post } = yield* scene(11)
      const succeed = yield* succeeding(bob.key)
      yield* succeed(({ profile }) => profile.update({ payload: { name: `Bob "<b>" & \u05D0` } }))
      const said = yield* bob.say(post.id, "First <u>words</u>\nand more")
      const reply = yield* author.say(post.id, "Thanks", { parent: said.id })
      yield* bob.say(post.id, "Another")
      const client = yield* TestClient
      for (const [creator, token] of [
        [yield* idOf(bob.accessToken), author.accessToken],
        [yield* idOf(author.accessToken), bob.accessToken]
      ] as const)
        yield* client.send("PUT", `/api/v1/follows/${creator}`, { token, body: { following: true } })
      const news = yield* author.published({ title: "The next one" })
      yield* tellAll

      const text = yield* open(ofAuthor)
      const bobs = `Bob "<b>" & \u05D0`
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
      assert.sameDeepMembers(
        entriesOf(text).map(([, words]) => words?.replaceAll("&quot;", '"')),
        [`${bobs} now follows you`, "2 comments on “ Nine &lt;i&gt;degrees&lt;/i&gt; ”"]
      )
      const links = entriesOf(text).map(([link]) => link)
      assert.include(links, `/desk/comments?show=all&amp;post=${post.id}`)
      assert.include(text, `${path}/comments?thread=${said.id}#c-${said.id}`)
      assert.include(links, `/@${bob.handle}`)
      assert.include(text, "“<bdi>First &lt;u&gt;words&lt;/u&gt; and more</bdi>”")

      assert.sameDeepMembers(entriesOf(yield* open(ofBob)), [
        [`/@${author.handle}/${news.slug}`, "Author 11 published “ The next one ”"],
        [`/@${author.handle}`, "Author 11 now follows you"],
        [
          `${path}/comments?thread=${said.id}#c-${reply.id}`,
          "Author 11 replied to you on “ Nine &lt;i&gt;degrees&lt;/i&gt; ”"
        ]
      ])
    })
  )

  it.effect(
    "A deleted comment, a withdrawn post and a restricted person leave a sentence without a broken link",
    () =>
      Effect.gen(function* () {
        const { author, bob, ofAuthor, ofBob, path, post } = yield* scene(21)
        const said = yield* bob.say(post.id, "Gone soon")
        yield* author.say(post.id, "Indeed", { parent: said.id })
        yield* bob.removeComment(said.id)
        const afterwards = yield* open(ofAuthor)
        assert.strictEqual(entriesOf(afterwards)[0]?.[0], `${path}/comments?thread=${said.id}#c-${said.id}`)
        assert.notInclude(afterwards, "Gone soon")

        yield* author.unpublish(post.id)
        assert.deepStrictEqual(entriesOf(yield* open(ofBob)), [
          [null, "Author 21 replied to you on a post that is no longer public"]
        ])
        assert.notInclude(yield* open(ofBob), "Indeed")
        // The author still sees the title.
        assert.deepStrictEqual(entriesOf(yield* open(ofAuthor)), [
          [null, "Author 22 commented on “ Nine &lt;i&gt;degrees&lt;/i&gt; ”"]
        ])

        yield* author.publish(post.id, "again")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update owners set restricted_at = ${yield* now} where handle = ${bob.handle}`
        const restricted = yield* open(ofAuthor)
        assert.include(restricted, "A reader commented on")
        assert.notInclude(restricted, "Author 22")
      })
  )

  it.effect("Sales, tips, account issues and days are told in words, with the page to act on", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, ownerId, post } = yield* scene(31)
      const notices = yield* Notices
      const buyer = yield* idOf(bob.accessToken)
      const at = yield* now
      const sale = {
        recipientId: ownerId,
        postId: post.id,
        commentId: null,
        purchaseId: null,
        amountRaw: 250_000_000_000_000_000_000_000_000_123n,
        late: false,
        at
      }
      yield* notices.purchased({ ...sale, kind: "purchase", cause: "a", buyerId: buyer })
      yield* notices.purchased({ ...sale, kind: "purchase", cause: "b", buyerId: null })
      yield* notices.purchased({ ...sale, kind: "tip", cause: "c", buyerId: null, postId: null })
      for (const code of ["image_rejected", "payment_lapsed", "obligation_blocked", "news_of_later"])
        yield* notices.accountIssue({
          ownerId,
          code,
          cause: code,
          at,
          ...(code === "image_rejected" ? { postId: post.id } : {})
        })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into notifications (recipient_id, id, type, created_at, data)
        values (${ownerId}, gen_random_uuid(), 'summary', ${at},
          ${JSON.stringify({ followers: 1, comments: 0, reactions: 2, sales: 0, tips: 0 })}::text::jsonb)`
      const text = yield* open(ofAuthor)
      assert.sameDeepMembers(entriesOf(text), [
        ["/desk/sales", "2 readers bought “ Nine &lt;i&gt;degrees&lt;/i&gt; ”, 0.5 XNO"],
        ["/desk/sales", "A reader tipped you 0.25 XNO"],
        ["/desk", "Since yesterday: 1 new follower, 2 new reactions."],
        [`/write/${post.id}`, "An image you uploaded didn't pass our screening, so it is no longer shown."],
        [
          "/desk/purchases",
          "The network hasn't confirmed one of your payments for seven days. If it ever does, you'll get what you paid for."
        ],
        [
          "/payout?back=%2Fdesk",
          "We owe you money, but your account has no payout address. Save one, and choose it for this payment."
        ],
        [null, "Something about your account needs your attention."]
      ])
    })
  )

  it.effect("A page marks what it shows, by its form alone, and for its owner alone", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, ofBob, post } = yield* scene(41)
      for (const words of ["One", "Two", "Three"]) yield* bob.say(post.id, words)
      const text = yield* open(ofAuthor)
      assert.match(text, /<form method="post" action="\/desk\/notifications\/read" data-seen>/)
      assert.match(text, /src="\/assets\/seen\.[^"]+\.js"/)
      const [newest = "", ...others] = idsOf(text)
      assert.lengthOf(others, 2)
      // A page that is only loaded, perhaps before anyone looks at it, changes nothing.
      assert.lengthOf(idsOf(yield* open(ofAuthor)), 3)

      // Another reader marks nothing, and the place in the list is kept.
      yield* pressed(ofBob, "read", { ids: newest })
      assert.lengthOf(idsOf(yield* open(ofAuthor)), 3)
      assert.strictEqual(yield* pressed(ofAuthor, "read", { ids: newest }), `${PATH}?done=read`)
      assert.strictEqual(
        yield* pressed(ofAuthor, "read", { ids: newest, all: "", after: others[0]! }),
        `${PATH}?all&after=${others[0]}&done=read`
      )
      assert.deepStrictEqual(idsOf(yield* open(ofAuthor)), others)
      // The way back leads to the same list for an hour, and marks nothing twice.
      assert.include(yield* open(ofAuthor), "3 comments on")
      const all = yield* open(ofAuthor, `${PATH}?all&done=read`)
      assert.include(all, "Marked as read.")
      // One group, which has something new.
      assert.strictEqual(all.split('<span class="tag">New</span>').length - 1, 1)

      assert.strictEqual(yield* pressed(ofAuthor, "read", { ids: idsOf(all).join(" ") }), `${PATH}?done=read`)
      const back = yield* open(ofAuthor, PATH)
      assert.include(back, "3 comments on")
      assert.notInclude(back, '<span class="tag">New</span>')
      assert.notInclude(back, "data-seen")
      yield* bob.say(post.id, "Four")
      assert.strictEqual(yield* pressed(ofAuthor, "read", { ids: "all" }), `${PATH}?done=all`)
      assert.include(yield* open(ofAuthor, `${PATH}?done=all`), "Everything is marked as read.")
      assert.notInclude(yield* open(ofAuthor, `${PATH}?all`), "Mark these as read")
      for (const ids of ["x", "", `${newest} x`, `${newest},${newest}`, `${newest} `.repeat(200)])
        assert.strictEqual((yield* ofAuthor.post(`${PATH}/read`, { ids })).status, 400, ids)
      assert.strictEqual((yield* ofAuthor.post(`${PATH}/read`)).status, 400)
      yield* TestClock.adjust(60 * 60_000 - 1)
      assert.include(yield* open(ofAuthor), "4 comments on")
      yield* TestClock.adjust(2)
      assert.include(yield* open(ofAuthor, PATH), "all caught up")
      assert.include(yield* open(ofAuthor, `${PATH}?all`), "4 comments on")
    })
  )

  it.effect("Entries are grouped by post and kind, with each entry inside and the time since", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, ownerId, path, post } = yield* scene(71)
      const second = yield* author.published({ title: "Another post" })
      const said = yield* bob.say(post.id, "One")
      yield* bob.say(second.id, "Alone")
      yield* bob.say(post.id, "Two")
      const notices = yield* Notices
      const sale = { recipientId: ownerId, commentId: null, purchaseId: null, late: false, buyerId: null }
      const at = yield* now
      for (const [cause, kind, postId] of [
        ["a", "purchase", post.id],
        ["b", "purchase", post.id],
        ["c", "purchase", second.id],
        ["d", "tip", post.id],
        ["e", "tip", null],
        ["f", "tip", null]
      ] as const)
        yield* notices.purchased({
          ...sale,
          kind,
          postId,
          cause,
          at,
          amountRaw: 250_000_000_000_000_000_000_000_000_000n
        })
      yield* TestClock.adjust("3 hours")
      const text = yield* open(ofAuthor)
      assert.include(text, "3 hours ago</time>")
      assert.match(
        text,
        /href="\/desk\/comments\?show=all&amp;post=[0-9a-f-]+"\s*>2 comments on “<bdi>Nine &lt;i&gt;degrees/
      )
      assert.match(text, /commented\s+on “<bdi>Another post/)
      assert.match(
        text,
        /href="\/desk\/sales">2 readers bought\s+“<bdi>Nine [^]*?”,\s+<data value="[\d.]+">0.5<\/data> XNO/
      )
      assert.match(text, /A reader bought “<bdi>Another post/)
      assert.match(text, /2 tips,\s+<data value="[\d.]+">0.5</)
      assert.include(text, "<summary>All 2</summary>")
      assert.include(text, `${path}/comments?thread=${said.id}#c-${said.id}`)
      assert.include(text, "“<bdi>One</bdi>”")
      assert.strictEqual(text.split('name="muted"').length - 1, 2)
      yield* TestClock.adjust("8 days")
      yield* signIn(ofAuthor, 71)
      assert.notInclude(yield* open(ofAuthor), "ago</time>")
    })
  )

  it.effect("A muted discussion is silent until its owner wants it again", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, ofBob, post } = yield* scene(51)
      yield* bob.say(post.id, "Loud")
      const muting = yield* open(ofAuthor)
      assert.strictEqual(valueOf(muting, "muted"), "yes")
      const fields = { post: post.id, muted: "yes" }
      const muted = yield* pressed(ofAuthor, "mute", fields)
      assert.strictEqual(muted, `${PATH}?done=muted`)
      assert.strictEqual(yield* pressed(ofAuthor, "mute", fields), muted)
      yield* bob.say(post.id, "Unheard")
      const quiet = yield* open(ofAuthor, `${PATH}?done=muted`)
      assert.include(quiet, "You won&#39;t hear about new comments on that post.")
      assert.lengthOf(entriesOf(quiet), 1)
      assert.strictEqual(yield* pressed(ofAuthor, "mute", { ...fields, muted: "no" }), `${PATH}?done=unmuted`)
      yield* bob.say(post.id, "Heard")
      assert.include(entriesOf(yield* open(ofAuthor))[0]?.[1], "2 comments on")

      const draft = yield* author.draft()
      assert.strictEqual((yield* ofBob.post(`${PATH}/mute`, { post: draft.id, muted: "yes" })).status, 404)
      for (const wrong of [{ post: post.id }, { post: "x", muted: "yes" }, { ...fields, muted: "maybe" }])
        assert.strictEqual((yield* ofAuthor.post(`${PATH}/mute`, wrong)).status, 400)
    })
  )

  it.effect("A list of any length is read page by page, and a kind that is off is not in it", () =>
    Effect.gen(function* () {
      const { ofAuthor, ownerId } = yield* scene(61)
      const sql = yield* SqlClient.SqlClient
      const makeId = (n: number) =>
        NotificationId.make(`00000000-0000-7000-8000-${String(n).padStart(12, "0")}`)
      const at = yield* now
      for (let n = 1; n <= 105; n++)
        yield* sql`
          insert into notifications (recipient_id, id, type, created_at, read_at, data)
          values (${ownerId}, ${makeId(n)}, ${n % 9 === 0 ? "summary" : "account_issue"}, ${at},
            ${n === 105 ? at : null}, ${JSON.stringify({ code: `issue-${n}`, cause: String(n) })}::text::jsonb)`
      const seen: Array<string> = []
      let path: string | undefined = PATH
      while (path !== undefined) {
        const text: string = yield* open(ofAuthor, path)
        seen.push(...idsOf(text))
        path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&")
      }
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 104 }, (_, n) => makeId(104 - n))
      )
      assert.include(yield* open(ofAuthor, `${PATH}?after=${makeId(3)}`), `href="${PATH}">First page`)
      assert.lengthOf(entriesOf(yield* open(ofAuthor, `${PATH}?all&after=${makeId(3)}`)), 2)
      // Any other text begins the list.
      assert.strictEqual(
        idsOf(yield* open(ofAuthor, `${PATH}?after=%3Cb%3E&done=constructor`))[0],
        makeId(104)
      )

      // Those of the last hour stand among the unread ones, page by page.
      yield* ofAuthor.post(`${PATH}/read`, { ids: [makeId(3), makeId(60), makeId(104)].join(" ") })
      const listed: Array<number> = []
      for (path = PATH; path !== undefined;) {
        const text: string = yield* open(ofAuthor, path)
        listed.push(entriesOf(text).length)
        path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&")
      }
      assert.deepStrictEqual(listed, [50, 50, 5])

      yield* ofAuthor.post(`${PATH}/settings`, { in_app_notifications: "on", notify_summaries_inapp: "on" })
      assert.deepStrictEqual(
        idsOf(yield* open(ofAuthor)),
        [99, 90, 81, 72, 63, 54, 45, 36, 27, 18, 9].map(makeId)
      )
      yield* ofAuthor.post(`${PATH}/settings`, { notify_summaries_inapp: "on" })
      assert.deepStrictEqual(idsOf(yield* open(ofAuthor)), [])
    })
  )
})
