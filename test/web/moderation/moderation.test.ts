import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DiskSpace } from "../../../src/platform/ports/DiskSpace.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { postBy } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"
import { discussed, moderatorOf, reported } from "./actors.ts"

const entries = (subject: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ readonly action: string; readonly actor: string; readonly actor_id: string | null }>`
      select action, actor, actor_id from administrator_actions where subject_id = ${subject} order by created_at, id`
  })

const isHidden = (comment: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const shown = yield* sql`select from public_comments where id = ${comment}`
    return shown.length === 0
  })

type Moderator = Effect.Success<ReturnType<typeof moderatorOf>>

/** Reads a page of the room, and checks that it is a valid one. */
const pageOf = Effect.fnUntraced(function* ({ reader }: Moderator, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  validated(answer.text)
  return answer.text.replaceAll(/\s+/g, " ")
})

/** Decides about a report as its form does. */
const decide = ({ reader }: Moderator, report: string, decision: string, reason = "Spam") =>
  reader.post(`/moderate/reports/${report}`, { do: decision, reason })

const GIB = 1024 ** 3
const disk = Layer.succeed(DiskSpace, {
  now: Effect.succeed({ freeBytes: 97 * GIB, totalBytes: 100 * GIB })
})

const room = service(database("test_moderate"), 1, {
  adminToken: ADMIN_TOKEN,
  operatorContact: "desk@press.example",
  changePorts: (unchanged) => Layer.merge(unchanged, disk)
})

layer(room)("A moderator", (it) => {
  it.effect("A moderator finds a reported comment, hides it, and sees that in the log", () =>
    Effect.gen(function* () {
      const mo = yield* moderatorOf(1)
      const { comment, talker } = yield* discussed(100, "Buy <b>cheap</b> watches")
      const first = yield* reported(102, { comment })
      const second = yield* reported(103, { comment }, "Spam again")
      const list = yield* pageOf(mo, "/moderate")
      assert.include(list, "Buy &lt;b&gt;cheap&lt;/b&gt; watches")
      assert.include(list, "2 reports")
      assert.include(list, "It sells stolen goods")
      assert.include(list, "Spam again")
      assert.strictEqual(list.split("cheap").length, 2, "the text appears once")
      const page = yield* pageOf(mo, `/moderate/reports/${first}`)
      assert.include(page, "Hide the comment")
      assert.notInclude(page, "Withdraw the post")

      for (const reason of ["", "  ", "x".repeat(501), "a\u202Eb"]) {
        const refused = yield* decide(mo, first, "hide", reason)
        assert.strictEqual(refused.status, 422, reason)
        validated(refused.text)
        assert.include(refused.text, reason.trim())
      }
      assert.isFalse(yield* isHidden(comment))

      const done = yield* decide(mo, first, "hide", "An advert,\r\n not a comment")
      assert.strictEqual(done.status, 303, done.text)
      assert.isTrue(yield* isHidden(comment))
      const after = yield* pageOf(mo, done.headers.get("location") ?? "")
      assert.include(after, "hid the comment")
      assert.notInclude(after, "<textarea")
      assert.include(yield* pageOf(mo, "/moderate"), "No reports are waiting")
      const resolved = yield* pageOf(mo, "/moderate?status=resolved")
      assert.include(resolved, "An advert, not a comment")
      const log = yield* pageOf(mo, "/moderate/log")
      assert.include(log, "hid a comment")
      assert.include(log, "resolved a report")
      assert.deepStrictEqual(yield* entries(comment), [
        { action: "moderation.comments.hide", actor: mo.handle, actor_id: mo.ownerId }
      ])
      // The other report of the same comment is resolved, too, and each thing is said once.
      assert.lengthOf(yield* entries(first), 1)
      assert.lengthOf(yield* entries(second), 0)
      assert.isNotEmpty(talker.handle)
    })
  )

  it.effect("A post is withdrawn and an account restricted from a report, and a report is dismissed", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const mo = yield* moderatorOf(2)
      const withdrawn = yield* discussed(110)
      const restricted = yield* discussed(120)
      const harmless = yield* discussed(130)
      const [one, two, three] = [
        yield* reported(112, { post: withdrawn.post }),
        yield* reported(122, { comment: restricted.comment }),
        yield* reported(132, { comment: harmless.comment })
      ]
      for (const [report, decision] of [
        [one, "withdraw"],
        [two, "restrict"],
        [three, "dismiss"]
      ] as const) {
        const done = yield* decide(mo, report, decision)
        assert.strictEqual(done.status, 303, done.text)
      }
      const statusOf = (path: string) => Effect.map(client.send("GET", path), ({ status }) => status)
      assert.strictEqual(yield* statusOf(`/api/posts/${withdrawn.post}`), 404)
      assert.strictEqual(yield* statusOf(`/@${restricted.talker.handle}`), 404)
      assert.isFalse(yield* isHidden(harmless.comment))
      // A decision of the other kind is none.
      const other = yield* reported(133, { post: harmless.post })
      assert.strictEqual((yield* decide(mo, other, "hide")).status, 409)
      assert.strictEqual((yield* decide(mo, other, "erase")).status, 400)
      assert.strictEqual((yield* decide(mo, other, "dismiss")).status, 303)
    })
  )

  it.effect(
    "The author reads the sentence for them, the operator's contact, and never the note for the log",
    () =>
      Effect.gen(function* () {
        const mo = yield* moderatorOf(71)
        const [withdrawn, hidden, closed] = [
          yield* discussed(310),
          yield* discussed(320),
          yield* discussed(330)
        ]
        const reports = [
          yield* reported(312, { post: withdrawn.post }),
          yield* reported(322, { comment: hidden.comment }),
          yield* reported(332, { comment: closed.comment })
        ] as const
        const page = yield* pageOf(mo, `/moderate/reports/${reports[0]}`)
        assert.include(page, "Sentence for the author (optional)")
        const press = (report: string, decision: string, author: string) =>
          mo.reader.post(`/moderate/reports/${report}`, {
            do: decision,
            reason: "A note for the log",
            author
          })
        for (const author of ["x".repeat(501), "a\u202Eb"]) {
          const refused = yield* press(reports[0], "withdraw", author)
          assert.strictEqual(refused.status, 422)
          validated(refused.text)
          assert.include(refused.text, author)
          assert.include(refused.text, "A note for the log")
        }
        const told = 'It copies <b>"a book"</b> \u05D0'
        const escaped = "It copies &lt;b&gt;&quot;a book&quot;&lt;/b&gt; \u05D0"
        for (const [report, decision] of [
          [reports[0], "withdraw"],
          [reports[1], "hide"],
          [reports[2], "restrict"]
        ] as const) {
          const done = yield* press(report, decision, ` ${told}\r\n`)
          assert.strictEqual(done.status, 303, done.text)
          assert.strictEqual((yield* press(report, decision, "Other words")).status, 303, "a repeat")
        }
        for (const [number, sentence] of [
          [310, "Our moderators withdrew your post"],
          [321, "Our moderators hid your comment"]
        ] as const) {
          const reader = yield* browser
          yield* signIn(reader, number)
          const { status, text } = yield* reader.get("/desk/notifications")
          assert.strictEqual(status, 200)
          validated(text)
          assert.include(text, sentence)
          assert.include(text, escaped)
          assert.include(text, '<a href="mailto:desk@press.example">')
          assert.strictEqual(text.split(sentence).length, 2, "one entry")
          assert.notInclude(text, "A note for the log")
          assert.notInclude(text, "Other words")
        }
        // The text of the comment is there, so that its author knows which one it was.
        const reader = yield* browser
        yield* signIn(reader, 321)
        assert.include((yield* reader.get("/desk/notifications")).text, "Buy cheap watches")

        const restricted = yield* browser
        yield* signIn(restricted, 331)
        for (const path of ["/desk", "/desk/notifications", "/write"]) {
          const { status, text } = yield* restricted.get(path)
          assert.strictEqual(status, 403, path)
          validated(text)
          assert.include(text, "Your account is restricted")
          assert.include(text, escaped)
          assert.include(text, '<a href="mailto:desk@press.example">')
          assert.notInclude(text, "A note for the log")
        }
        const log = yield* pageOf(mo, "/moderate/log")
        assert.include(log, "A note for the log")
        assert.include(log, `The author was told: “<bdi>${escaped}</bdi>”`)
      })
  )

  it.effect("The second of two moderators is told who did what, and nothing is done twice", () =>
    Effect.gen(function* () {
      const mo = yield* moderatorOf(3)
      const ann = yield* moderatorOf(4)
      const { comment } = yield* discussed(140)
      const report = yield* reported(142, { comment })
      assert.strictEqual((yield* decide(mo, report, "dismiss", "Harmless")).status, 303)
      for (const decision of ["hide", "restrict", "dismiss"]) {
        const late = yield* decide(ann, report, decision, "What I have typed here")
        assert.strictEqual(late.status, 409, late.text)
        validated(late.text)
        assert.include(late.text, `@${mo.handle}`)
        assert.include(late.text, "dismissed it")
        assert.include(late.text, "Harmless")
        assert.include(late.text, "What I have typed here")
      }
      // The same moderator who now decides otherwise sees it, too.
      const again = yield* decide(mo, report, "hide", "Harmless")
      assert.strictEqual(again.status, 409)
      assert.include(again.text, "already decided this one")
      assert.isFalse(yield* isHidden(comment))
      assert.lengthOf(yield* entries(report), 1)

      const claimed = yield* discussed(150)
      const next = yield* reported(152, { comment: claimed.comment })
      assert.strictEqual((yield* mo.reader.post(`/moderate/reports/${next}/claim`)).status, 303)
      assert.include(yield* pageOf(ann, "/moderate?status=claimed"), `@${mo.handle}</bdi> claimed it`)
      const kept = yield* decide(ann, next, "hide")
      assert.strictEqual(kept.status, 409)
      assert.include(kept.text, `@${mo.handle}`)
      const faster = yield* ann.reader.post(`/moderate/reports/${next}/claim`)
      assert.strictEqual(faster.status, 409)
      assert.isFalse(yield* isHidden(claimed.comment))
      // A moderator who takes another handle keeps the claim, and one who takes the old handle does not get it.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set handle = 'mo_renamed' where id = ${mo.ownerId}`
      yield* sql`update owners set handle = ${mo.handle} where id = ${ann.ownerId}`
      assert.strictEqual((yield* decide(ann, next, "hide")).status, 409)
      assert.strictEqual((yield* decide(mo, next, "hide")).status, 303)
    })
  )

  it.effect("A post that its author deletes after a report leaves its author to the moderators", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const mo = yield* moderatorOf(5)
      const own = (yield* postBy(mo)).replace("/write/", "")
      const { author, post } = yield* discussed(210)
      const reports = [yield* reported(212, { post }), yield* reported(213, { post: own })] as const
      yield* sql`delete from posts where id in (${post}, ${own})`
      // A moderator who deletes their own post still does not decide about it.
      assert.strictEqual((yield* mo.reader.get(`/moderate/reports/${reports[1]}`)).status, 404)
      assert.strictEqual((yield* decide(mo, reports[1], "dismiss")).status, 404)
      const page = yield* pageOf(mo, `/moderate/reports/${reports[0]}`)
      assert.include(page, "Removed")
      assert.include(page, `Restrict @${author.handle}`)
      assert.notInclude(page, "Withdraw the post")
      assert.strictEqual((yield* decide(mo, reports[0], "restrict")).status, 303)
      assert.strictEqual((yield* client.send("GET", `/@${author.handle}`)).status, 404)
    })
  )

  it.effect("Of moderators who press at the same time one acts, and the log names that one", () =>
    Effect.gen(function* () {
      const moderators = yield* Effect.forEach([11, 12, 13], moderatorOf)
      const { comment, talker } = yield* discussed(160)
      const reports = [yield* reported(162, { comment }), yield* reported(163, { comment })]
      const presses = moderators.flatMap((moderator) =>
        reports.flatMap((report) =>
          ["hide", "restrict", "dismiss"].map((decision) =>
            Effect.map(decide(moderator, report, decision), ({ status }) => ({
              status,
              by: `${moderator.handle} ${decision}`
            }))
          )
        )
      )
      const answers = yield* Effect.all(presses, { concurrency: "unbounded" })
      // Both of the reports, as the second press repeats the first one.
      const acted = answers.filter(({ status }) => status === 303).map(({ by }) => by)
      assert.strictEqual(new Set(acted).size, 1)
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([303, 409]))
      const sql = yield* SqlClient.SqlClient
      const [{ id } = { id: "" }] = yield* sql<{ readonly id: string }>`
        select id from owners where handle = ${talker.handle}`
      const about = [...(yield* entries(comment)), ...(yield* entries(id))]
      assert.isAtMost(about.length, 1)
      const ends = yield* Effect.forEach(reports, entries)
      assert.lengthOf(ends.flat(), 1)
    })
  )

  it.effect("A moderator decides about nothing of their own, and restricts no moderator", () =>
    Effect.gen(function* () {
      const mo = yield* moderatorOf(21)
      const ann = yield* moderatorOf(22)
      const post = (yield* postBy(mo)).replace("/write/", "")
      const report = yield* reported(170, { post })
      // They do not learn who reported them.
      assert.strictEqual((yield* mo.reader.get(`/moderate/reports/${report}`)).status, 404)
      assert.notInclude(yield* pageOf(mo, "/moderate"), report)
      assert.include(yield* pageOf(ann, "/moderate"), report)
      for (const decision of ["dismiss", "withdraw", "restrict"])
        assert.strictEqual((yield* decide(mo, report, decision)).status, 404, decision)
      const refused = yield* decide(ann, report, "restrict", "What I have typed here")
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "Only the operator can restrict moderators")
      assert.include(refused.text, "What I have typed here")
      for (const account of [mo.ownerId, ann.ownerId])
        for (const what of ["restrict", "unrestrict", "remove-label"]) {
          const fields = { account, do: what, reason: "Why not" }
          assert.strictEqual((yield* mo.reader.post("/moderate/accounts", fields)).status, 409, what)
        }
      assert.include(yield* pageOf(mo, `/moderate/accounts?id=${mo.ownerId}`), "This is you")
      assert.include(yield* pageOf(mo, `/moderate/accounts?id=${ann.ownerId}`), "This is a moderator")
      assert.lengthOf(yield* entries(report), 0)
      assert.lengthOf(yield* entries(mo.ownerId), 1)
      // Another moderator withdraws it, with a note that its author does not read, and the operator restricts a moderator.
      assert.strictEqual((yield* decide(ann, report, "withdraw", "Reader 170 is right")).status, 303)
      const admin = yield* administrator()
      const { avatar, handle } = yield* uploaderOf(21)
      yield* admin["accounts.removeAgentLabel"]({ handle, reason: "Reader 170 proved it" })
      const upload = (yield* avatar()).body.safety.operationId as string
      yield* workOff
      const seen = "2026-01-01T00:00:00.000000Z"
      for (const what of ["hold", "release"])
        yield* ann.reader.post("/moderate/uploads", { upload, do: what, seen, reason: "Reader 170 owns it" })
      assert.lengthOf(yield* entries(upload), 2)
      for (const path of [
        "/moderate/log",
        `/moderate/accounts?id=${mo.ownerId}`,
        `/moderate/uploads?id=${upload}`
      ])
        assert.notInclude(yield* pageOf(mo, path), "Reader 170", path)
      assert.include(yield* pageOf(ann, "/moderate/log"), "Reader 170 is right")
      const { isRestricted } = yield* admin["accounts.restrict"]({ handle, reason: "Leaked" })
      assert.isTrue(isRestricted)
    })
  )

  it.effect(
    "A moderator finds an account, restricts it and ends that, and never a new owner of its handle",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const client = yield* TestClient
        const mo = yield* moderatorOf(31)
        const ann = yield* moderatorOf(32)
        const owner = yield* uploaderOf(180)
        yield* client.send("POST", "/api/v1/profile/declare-agent", { token: owner.key })
        assert.include(
          yield* pageOf(mo, "/moderate/accounts?handle=no_such_one"),
          "No account has this handle."
        )
        const asked = `/moderate/accounts?handle=%40${owner.handle.toUpperCase()}`
        const page = yield* mo.reader.get(asked)
        validated(page.text)
        assert.include(page.text, "Not restricted")
        assert.notInclude(page.text, "@press.test")
        const account = valueOf(page.text, "account")
        const press = (moderator: Moderator, what: string, reason: string) =>
          moderator.reader.post("/moderate/accounts", { account, do: what, reason })
        // The handle goes to another account before the form is sent.
        const other = yield* uploaderOf(181)
        yield* sql`update owners set handle = 'gone_away' where id = ${account}`
        yield* sql`update owners set handle = ${owner.handle} where handle = ${other.handle}`
        const empty = yield* press(mo, "restrict", " ")
        assert.strictEqual(empty.status, 422)
        validated(empty.text)
        const restricted = yield* press(mo, "restrict", "Sells what others wrote")
        assert.strictEqual(restricted.status, 303)
        const [state] =
          yield* sql`select array_agg(handle) as handles from owners where restricted_at is not null and handle in ('gone_away', ${owner.handle})`
        assert.deepStrictEqual(state, { handles: ["gone_away"] })
        const told = yield* pageOf(mo, restricted.headers.get("location") ?? "")
        assert.include(told, "Done. <bdi>You</bdi> restricted the account")
        assert.include(told, "End the restriction")
        yield* TestClock.adjust("1 minute")
        const late = yield* press(ann, "restrict", "The same")
        const toldLate = yield* pageOf(ann, late.headers.get("location") ?? "")
        assert.include(toldLate, "Someone else has already handled this")
        assert.include(toldLate, `@${mo.handle}</bdi> restricted the account`)
        yield* TestClock.adjust("1 minute")
        for (const what of ["remove-label", "unrestrict"])
          assert.strictEqual((yield* press(ann, what, "A mistake")).status, 303)
        assert.deepStrictEqual(
          (yield* entries(account)).map(({ action, actor }) => [action, actor]),
          [
            ["accounts.restrict", mo.handle],
            ["accounts.removeAgentLabel", ann.handle],
            ["accounts.unrestrict", ann.handle]
          ]
        )
        assert.strictEqual(
          (yield* mo.reader.post("/moderate/accounts", { account: "x", do: "restrict" })).status,
          400
        )
      })
  )

  it.effect("A moderator holds, releases and screens uploads of others, each once", () =>
    Effect.gen(function* () {
      const mo = yield* moderatorOf(41)
      const ann = yield* moderatorOf(42)
      const owner = yield* uploaderOf(190)
      const sent = yield* owner.avatar()
      const upload = sent.body.safety.operationId as string
      yield* TestClock.adjust("61 minutes")
      const list = yield* pageOf(mo, "/moderate/uploads")
      assert.include(list, `@${owner.handle}`)
      assert.include(list, "queued")
      const seen = valueOf((yield* mo.reader.get("/moderate/uploads")).text, "seen")
      const press = (moderator: Moderator, what: string, more: Readonly<Record<string, string>> = {}) =>
        moderator.reader.post("/moderate/uploads", { upload, seen, do: what, reason: "Looks odd", ...more })
      assert.strictEqual((yield* press(mo, "hold", { reason: "" })).status, 422)
      for (const moderator of [mo, ann]) {
        const held = yield* press(moderator, "hold")
        assert.strictEqual(held.status, 303, held.text)
        const told = yield* pageOf(moderator, held.headers.get("location") ?? "")
        assert.include(told, moderator === mo ? "Done. <bdi>You</bdi> held" : `@${mo.handle}</bdi> held`)
        assert.include(told, "queued, held")
        yield* TestClock.adjust("1 minute")
      }
      // The second one has a page of before.
      yield* press(mo, "rescreen")
      yield* TestClock.adjust("1 minute")
      yield* press(ann, "rescreen")
      yield* press(mo, "release")
      assert.deepStrictEqual(
        (yield* entries(upload)).map(({ action, actor }) => [action, actor]),
        [
          ["uploads.hold", mo.handle],
          ["uploads.rescreen", mo.handle],
          ["uploads.release", mo.handle]
        ]
      )
      yield* workOff
      assert.include(yield* pageOf(mo, "/moderate/uploads"), "Nothing is held or late.")
      const unknown = "018f0000-0000-7000-8000-000000000000"
      assert.strictEqual((yield* press(mo, "hold", { upload: unknown })).status, 404)
      assert.strictEqual((yield* press(mo, "erase")).status, 400)
    })
  )

  it.effect("The log is read page by page, newest first, with the names of operators and moderators", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mo = yield* moderatorOf(51)
      const { ownerId: another } = yield* moderatorOf(52)
      yield* sql`
        insert into administrator_actions (id, action, actor, actor_id, subject_id, reason, created_at)
        select gen_random_uuid(), 'accounts.restrict', 'Olga', null, ${another}, 'Reason ' || n,
          timestamptz '1960-01-01Z' - n * interval '1 minute' from generate_series(1, 120) n`
      let path: string | undefined = "/moderate/log"
      const read: Array<string> = []
      while (path !== undefined) {
        const page: string = yield* pageOf(mo, path)
        read.push(...[...page.matchAll(/“<bdi>([^<]*)<\/bdi>”/g)].map(([, reason]) => reason!))
        assert.isBelow(page.length, 60_000)
        path = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&")
      }
      const reasons = Array.from({ length: 120 }, (_, n) => `Reason ${n + 1}`)
      assert.deepStrictEqual(read.slice(-120), reasons)
      assert.include(yield* pageOf(mo, "/moderate/log"), "Night shift")
    })
  )

  it.effect("The page of health counts what waits, and says since when", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mo = yield* moderatorOf(61)
      yield* sql`
        insert into mails (id, recipient, mailbox, sealed_content, created_at, expires_at, due_at)
        select ('00000000-0000-7000-8000-0000000000' || lpad(n::text, 2, '0'))::uuid, 'a@b.test', 'a@b.test', '',
          timestamptz '2026-02-03 04:05:06Z', timestamptz '2100-01-01Z', timestamptz '2026-02-03 04:05:06Z'
        from generate_series(1, 3) n`
      const [{ mails } = { mails: 0 }] = yield* sql<{
        readonly mails: number
      }>`select count(*)::int as mails from mails`
      const page = yield* pageOf(mo, "/moderate/health")
      const since = '<time datetime="2026-02-03T04:05:06Z">February 3, 2026, 04:05 UTC</time>'
      assert.include(page, `${mails}, the oldest of ${since}`)
      assert.include(page, "97.0 GiB (97 %)")
    })
  )
})
