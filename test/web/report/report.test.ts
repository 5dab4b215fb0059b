import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { PublicReports } from "../../../src/engagement/reports/PublicReports.ts"
import { RateLimits } from "../../../src/platform/rate-limits/RateLimits.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { discussed, moderatorOf, reported } from "../moderation/actors.ts"
import { validated } from "../pages/documents.ts"

const MAIL = EmailAddress.make("reader@example.org")
const REASON = 'It shows <b>my</b> "address" \u05D0'
const ESCAPED = "It shows &lt;b&gt;my&lt;/b&gt; &quot;address&quot; \u05D0"
const UNKNOWN = "018f0000-0000-7000-8000-000000000000"

type Target = Readonly<Record<string, string>>

const pathOf = (target: Target) => `/report?${new URLSearchParams(target).toString()}`

/** Sends a report as the form does, from a browser without a session. */
const sent = Effect.fnUntraced(function* (
  target: Target,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {}
) {
  const reader = yield* browser
  return yield* reader.post("/report", { ...target, text: REASON, mail: MAIL, ...fields }, headers)
})

const reportsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: string; readonly reason: string; readonly reporter_email: string }>`
    select id, reason, reporter_email from reports where target_id = ${id} order by id`
})

/** Returns all that an answer tells, without the name of the request and the count of all requests. */
const toldBy = ({ headers, status, text }: TestAnswer) => ({
  status,
  text,
  headers: Object.fromEntries(
    [...headers].filter(([name]) => name !== "x-request-id" && name !== "ratelimit")
  )
})

const options = { adminToken: ADMIN_TOKEN, operatorContact: "https://press.example/help" }

layer(service(database("test_web_report"), 1, options))("a report without an account", (it) => {
  it.effect("A reader without an account reports a post, a comment and an account from their pages", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const mo = yield* moderatorOf(1)
      const { author, comment, post, slug, talker } = yield* discussed(10, "Buy <i>cheap</i> watches")
      const sql = yield* SqlClient.SqlClient
      const [owner] = yield* sql<{
        readonly id: string
      }>`select id from owners where handle = ${talker.handle}`
      const places = [
        [{ post }, `/@${author.handle}/${slug}`, "On pennies"],
        [{ comment }, `/@${author.handle}/${slug}/comments`, "Buy &lt;i&gt;cheap&lt;/i&gt; watches"],
        [{ handle: talker.handle }, `/@${talker.handle}`, "You report the account of"]
      ] as const
      for (const [target, page, words] of places) {
        const { text } = yield* client.send("GET", page)
        assert.include(text, `href="${pathOf(target)}"`)
        const reader = yield* browser
        const form = yield* reader.get(pathOf(target))
        assert.strictEqual(form.status, 200, form.text)
        assertPrivate(form)
        validated(form.text)
        assert.include(form.text, words)
        assert.include(form.text, '<a href="https://press.example/help">')
        const answer = yield* sent(target)
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/report?done"])
        assert.deepStrictEqual(answer.headers.getSetCookie(), [])
        const thanks = yield* reader.get("/report?done")
        assert.strictEqual(thanks.status, 200)
        validated(thanks.text)
      }
      const list = yield* mo.reader.get("/moderate")
      validated(list.text)
      assert.strictEqual(list.text.split(ESCAPED).length, 4)
      assert.include(list.text, `<a href="mailto:${MAIL}">`)
      assert.include(list.text, `The account <bdi>@${talker.handle}</bdi>`)

      // Each is decided as any other report is.
      const [[ofPost], [ofComment], [ofAccount]] = [
        yield* reportsOf(post),
        yield* reportsOf(comment),
        yield* reportsOf(owner!.id)
      ]
      for (const [report, decision, button] of [
        [ofPost!.id, "withdraw", "Withdraw the post"],
        [ofComment!.id, "hide", "Hide the comment"],
        [ofAccount!.id, "restrict", `Restrict @${talker.handle}`]
      ] as const) {
        const path = `/moderate/reports/${report}`
        const page = yield* mo.reader.get(path)
        validated(page.text)
        assert.include(page.text, button)
        assert.strictEqual((yield* mo.reader.post(path, { do: decision, reason: "Right" })).status, 303)
        validated((yield* mo.reader.get(path)).text)
      }
      assert.strictEqual((yield* client.send("GET", `/@${talker.handle}`)).status, 404)
      assert.strictEqual((yield* client.send("GET", `/api/posts/${post}`)).status, 404)
      const admin = yield* administrator()
      const { reports } = yield* admin["moderation.reports.list"]({ status: "resolved" })
      assert.deepStrictEqual(
        reports.map(({ reporter, replyTo, target }) => [reporter, replyTo, target.kind, target.state]),
        [
          [null, MAIL, "post", "withdrawn"],
          [null, MAIL, "comment", "hidden"],
          [null, MAIL, "account", "not_public"]
        ]
      )
    })
  )

  it.effect("What readers don't see is answered like what doesn't exist, and nothing is saved", () =>
    Effect.gen(function* () {
      const moderator = yield* administrator()
      const { author, comment, post } = yield* discussed(20)
      const deleted = yield* author.say(post, "Soon gone")
      yield* author.removeComment(deleted.id)
      yield* moderator["moderation.comments.hide"]({ commentId: CommentId.make(comment), reason: "x" })
      const withdrawn = yield* author.published({ title: "Withdrawn" })
      yield* moderator["moderation.posts.withdraw"]({ postId: PostId.make(withdrawn.id), reason: "x" })
      const draft = yield* author.draft()
      const restricted = yield* commenterOf(22)
      yield* moderator["accounts.restrict"]({ handle: restricted.handle, reason: "x" })
      const unseen: ReadonlyArray<readonly [Target, Target]> = [
        [{ post: withdrawn.id }, { post: UNKNOWN }],
        [{ post: draft.id }, { post: UNKNOWN }],
        [{ comment }, { comment: UNKNOWN }],
        [{ comment: deleted.id }, { comment: UNKNOWN }],
        [{ handle: restricted.handle }, { handle: "no_such_one" }]
      ]
      const reader = yield* browser
      for (const [hidden, unknown] of unseen) {
        const [one, other] = [yield* reader.get(pathOf(hidden)), yield* reader.get(pathOf(unknown))]
        assert.strictEqual(one.status, 404)
        assert.deepStrictEqual(toldBy(one), toldBy(other))
        const [here, there] = [yield* sent(hidden), yield* sent(unknown)]
        assert.strictEqual(here.status, 404)
        assert.deepStrictEqual(toldBy(here), toldBy(there))
        validated(here.text)
        assert.include(here.text, ESCAPED, "what was written is not lost")
      }
      for (const path of [
        "/report",
        "/report?post=x",
        "/report?handle=",
        "/report?comment=",
        "/report?handle=a%00b",
        "/report?handle=%ff"
      ])
        assert.strictEqual((yield* reader.get(path)).status, 404, path)
      assert.strictEqual((yield* sent({ handle: "a\0b" })).status, 404)
      assert.strictEqual((yield* sent({ handle: "x".repeat(5_000) })).status, 404)
      for (const id of [withdrawn.id, draft.id, comment, deleted.id, UNKNOWN])
        assert.deepStrictEqual(yield* reportsOf(id), [])
    })
  )

  it.effect("A form of another site, a strange format and wrong fields save nothing", () =>
    Effect.gen(function* () {
      const { post } = yield* discussed(30)
      const client = yield* TestClient
      for (const headers of [
        { "sec-fetch-site": "cross-site", origin: "https://evil.test" },
        { "sec-fetch-site": "same-site" }
      ])
        assert.strictEqual((yield* sent({ post }, {}, headers)).status, 403)
      assert.strictEqual((yield* sent({ post }, {}, { "content-type": "text/plain" })).status, 415)
      const bare = yield* client.send("POST", "/report", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ post, text: REASON, mail: MAIL }).toString()
      })
      assert.strictEqual(bare.status, 403, "neither a site nor an origin")
      for (const [fields, wrong] of [
        [{ text: "" }, "Write 1 to 2000 characters"],
        [{ text: " \n\u200B" }, "Write 1 to 2000 characters"],
        [{ text: "x".repeat(20_000) }, "Write 1 to 2000 characters"],
        [{ mail: "" }, "Enter an email address"],
        [{ mail: "reader" }, "Enter an email address"],
        [{ mail: "reader@example" }, "Enter an email address"],
        [{ mail: `a@b.test\r\nBcc: ${MAIL}` }, "Enter an email address"],
        [{ mail: `${"x".repeat(400)}@example.org` }, "Enter an email address"],
        [{ mail: "a\u202E@example.org" }, "Enter an email address"]
      ] as const) {
        const refused = yield* sent({ post }, fields)
        assert.strictEqual(refused.status, 422, JSON.stringify(fields).slice(0, 80))
        validated(refused.text)
        assert.include(refused.text, wrong)
        if (!("text" in fields)) assert.include(refused.text, ESCAPED)
      }
      const missing = yield* (yield* browser).post("/report", { post })
      assert.strictEqual(missing.status, 422)
      assert.deepStrictEqual(yield* reportsOf(post), [])
    })
  )

  it.effect("The same report is saved once, and another one of the same reader is saved, too", () =>
    Effect.gen(function* () {
      const { post } = yield* discussed(40)
      const answers = yield* Effect.all(
        [
          sent({ post }),
          sent({ post }),
          sent({ post }, { mail: ` ${MAIL.toUpperCase()}` }),
          sent({ post }, { text: `${REASON}\n` })
        ],
        { concurrency: "unbounded" }
      )
      for (const { status } of answers) assert.strictEqual(status, 303)
      assert.lengthOf(yield* reportsOf(post), 1)
      yield* sent({ post }, { text: "And the picture, too" })
      yield* sent({ post }, { mail: "other@example.org" })
      assert.lengthOf(yield* reportsOf(post), 3)
      // A decision closes them together with those of accounts.
      const mo = yield* moderatorOf(42)
      const report = yield* reported(43, { post })
      const done = yield* mo.reader.post(`/moderate/reports/${report}`, { do: "withdraw", reason: "x" })
      assert.strictEqual(done.status, 303)
      const sql = yield* SqlClient.SqlClient
      const open = yield* sql`select id from reports where target_id = ${post} and resolved_at is null`
      assert.deepStrictEqual(open, [])
    })
  )

  it.effect("A target keeps a hundred open reports of strangers, and others are answered alike", () =>
    Effect.gen(function* () {
      const { post } = yield* discussed(60)
      yield* sent({ post })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into reports (id, reporter_email, target_kind, target_id, author_id, reason, fingerprint, created_at)
        select gen_random_uuid(), r.reporter_email, r.target_kind, r.target_id, r.author_id, r.reason, int4send(n), r.created_at
        from reports r, generate_series(1, 98) n where r.target_id = ${post}`
      for (const text of ["The hundredth", "One more"]) {
        const answer = yield* sent({ post }, { text })
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/report?done"])
      }
      assert.lengthOf(yield* reportsOf(post), 100)
      // A decision makes room.
      yield* sql`update reports set resolved_at = created_at, outcome = 'dismissed' where target_id = ${post} and resolved_at is null`
      yield* sent({ post }, { text: "Later" })
      assert.lengthOf(yield* reportsOf(post), 101)
    })
  )

  it.effect(
    "The address of a reader is removed 180 days after the decision, and that of an open report stays",
    () =>
      Effect.gen(function* () {
        const { post } = yield* discussed(70)
        const open = yield* discussed(73)
        yield* sent({ post })
        yield* sent({ post: open.post })
        const mo = yield* moderatorOf(72)
        const [report] = yield* reportsOf(post)
        const path = `/moderate/reports/${report!.id}`
        assert.strictEqual((yield* mo.reader.post(path, { do: "withdraw", reason: "x" })).status, 303)
        const { sweep } = yield* PublicReports
        const left = Effect.map(reportsOf(post), ([row]) => row?.reporter_email)
        const sql = yield* SqlClient.SqlClient
        const at = yield* Clock.currentTimeMillis
        const later = (milliseconds: number) => sql`
        update reports set resolved_at = ${new Date(at - milliseconds)} where target_id = ${post}`
        yield* later(180 * 86_400_000)
        yield* sweep
        assert.strictEqual(yield* left, MAIL)
        yield* later(180 * 86_400_000 + 1)
        yield* sweep
        assert.isNull(yield* left)
        assert.strictEqual((yield* reportsOf(open.post))[0]?.reporter_email, MAIL)
        const page = yield* mo.reader.get(path)
        assert.strictEqual(page.status, 200)
        validated(page.text)
        assert.notInclude(page.text, MAIL)
      })
  )

  it.effect("A restricted account reports as anyone does", () =>
    Effect.gen(function* () {
      const moderator = yield* administrator()
      const { post } = yield* discussed(50)
      const restricted = yield* moderatorOf(52)
      yield* moderator["accounts.restrict"]({ handle: restricted.handle, reason: "x" })
      const { reader } = restricted
      assert.strictEqual((yield* reader.get(pathOf({ post }))).status, 200)
      const answer = yield* reader.post("/report", { post, text: REASON, mail: MAIL })
      assert.strictEqual(answer.status, 303)
      assert.lengthOf(yield* reportsOf(post), 1)
    })
  )
})

layer(service(database("test_web_report_limit"), 2, { rateLimitFactor: 1 }))("many reports", (it) => {
  it.effect("An address sends ten reports an hour, and keeps what it wrote", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(1)
      const posts = [yield* author.published(), yield* author.published()]
      const [post, other] = posts.map(({ id }) => id as string)
      const reader = yield* browser
      reader.comesFrom({ from: "203.0.113.7" })
      const send = (fields: Readonly<Record<string, string>>) =>
        reader.post("/report", { post: post!, text: REASON, mail: MAIL, ...fields })
      // Mistakes are not counted.
      for (let n = 0; n < 12; n++) assert.strictEqual((yield* send({ mail: "" })).status, 422)
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* send({ text: `${REASON} ${n}` })).status, 303)
      const refused = yield* send({ post: other! })
      assert.strictEqual(refused.status, 429)
      assert.isAbove(Number(refused.headers.get("retry-after")), 0)
      validated(refused.text)
      assert.include(refused.text, ESCAPED)
      assert.deepStrictEqual(yield* reportsOf(other!), [])
      const stranger = yield* browser
      stranger.comesFrom({ from: "203.0.113.8" })
      const free = yield* stranger.post("/report", { post: other!, text: REASON, mail: MAIL })
      assert.strictEqual(free.status, 303)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* send({ post: other!, text: "Later" })).status, 303)
      assert.lengthOf(yield* reportsOf(other!), 2)
    })
  )

  it.effect("All strangers together send three hundred reports an hour", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* commenterOf(2)).published()
      const { consume } = yield* RateLimits
      yield* TestClock.adjust("1 hour")
      yield* consume("report-all", "all", 299)
      const reader = yield* browser
      reader.comesFrom({ from: "203.0.113.9" })
      const send = (text: string) => reader.post("/report", { post: id, text, mail: MAIL })
      assert.strictEqual((yield* send(REASON)).status, 303)
      const refused = yield* send(`${REASON} again`)
      assert.deepStrictEqual([refused.status, Number(refused.headers.get("retry-after")) > 0], [429, true])
      assert.include(refused.text, ESCAPED)
      assert.lengthOf(yield* reportsOf(id), 1)
    })
  )
})
