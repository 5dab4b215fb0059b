import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ReportId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

let keys = 0

/** Reports a Post or a Comment as the owner of a session. Returns the id of the report. */
const reported = Effect.fnUntraced(function* (token: string, kind: "posts" | "comments", id: string) {
  const answer = yield* (yield* TestClient).send("POST", `/api/v1/${kind}/${id}/reports`, {
    token,
    headers: { "idempotency-key": `queue-${keys++}` },
    body: { reason: "Look at this" }
  })
  assert.strictEqual(answer.status, 201, answer.text)
  return ReportId.make(answer.body.reportId)
})

layer(service(database("test_report_queue"), 1, { adminToken: ADMIN_TOKEN }))("moderation.reports", (it) => {
  it.effect("The queue lists what a moderator needs to judge, page by page", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const moderator = yield* administrator()
      const author = yield* commenterOf(1)
      const one = yield* commenterOf(2)
      const other = yield* commenterOf(3)
      const { id } = yield* author.published()
      const comment = yield* author.say(id, "Buy pennies")
      const ids: Array<ReportId> = []
      for (const [token, kind, target] of [
        [one.accessToken, "posts", id],
        [other.accessToken, "posts", id],
        [one.accessToken, "comments", comment.id]
      ] as const) {
        ids.push(yield* reported(token, kind, target))
        yield* TestClock.adjust("1 minute")
      }
      const page = yield* moderator["moderation.reports.list"]({ limit: 2 })
      assert.deepStrictEqual(
        page.reports.map((report) => report.id),
        ids.slice(0, 2)
      )
      assert.deepInclude(page.reports[0]!, { status: "open", reason: "Look at this", claimedBy: null })
      assert.strictEqual(page.reports[0]!.reporter?.handle, one.handle)
      assert.deepInclude(page.reports[0]!.target, {
        kind: "post",
        id,
        state: "public",
        text: "On pennies\n\nWhat a penny buys\n\nA penny for your **thoughts**.",
        reports: 2
      })
      assert.strictEqual(page.reports[0]!.target.author.handle, author.handle)
      const rest = yield* moderator["moderation.reports.list"]({ limit: 2, cursor: page.nextCursor! })
      assert.isNull(rest.nextCursor)
      assert.deepInclude(rest.reports[0]!.target, {
        kind: "comment",
        text: "Buy pennies",
        state: "public",
        postId: id
      })

      const stateOf = Effect.map(moderator["moderation.reports.list"]({}), ({ reports }) =>
        reports.map(({ target }) => target.state)
      )
      yield* moderator["moderation.comments.hide"]({ commentId: comment.id, reason: "Spam" })
      yield* moderator["moderation.posts.withdraw"]({ postId: id, reason: "Spam" })
      assert.deepStrictEqual(yield* stateOf, ["withdrawn", "withdrawn", "hidden"])
      yield* author.remove(id)
      assert.deepStrictEqual(yield* stateOf, ["gone", "gone", "gone"])

      for (const [cursor, status] of [
        [page.nextCursor!, "claimed"],
        [`${page.nextCursor!.slice(0, -3)}AAA`, "open"],
        ["nonsense", "open"]
      ] as const) {
        const error = yield* Effect.flip(moderator["moderation.reports.list"]({ cursor, status }))
        assert.strictEqual(error._tag, "InvalidCursor")
      }
    })
  )

  it.effect("A claim lasts an hour, after which another moderator may take over", () =>
    Effect.gen(function* () {
      const moderator = yield* administrator()
      const author = yield* commenterOf(4)
      const { accessToken } = yield* commenterOf(5)
      const reportId = yield* reported(accessToken, "posts", (yield* author.published()).id)
      const claim = (actor: string) => moderator["moderation.reports.claim"]({ reportId, actor })
      const first = yield* claim("Ann")
      assert.strictEqual(first.claimedBy, "Ann")
      const claimed = yield* moderator["moderation.reports.list"]({ status: "claimed" })
      assert.deepInclude(claimed.reports[0]!, { id: reportId, status: "claimed", ...withoutId(first) })
      const refused = yield* Effect.flip(claim("Bob"))
      assert.deepInclude(refused, { _tag: "ReportClaimed", ...withoutId(first) })
      const late = yield* Effect.flip(
        moderator["moderation.reports.resolve"]({
          reportId,
          actor: "Bob",
          outcome: "dismissed",
          reason: "Fine"
        })
      )
      assert.strictEqual(late._tag, "ReportClaimed")
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* Effect.flip(claim("Bob")))._tag, "ReportClaimed")
      yield* TestClock.adjust("1 minute")
      const open = yield* moderator["moderation.reports.list"]({ status: "open" })
      assert.isTrue(open.reports.some(({ claimedBy, id }) => id === reportId && claimedBy === null))
      assert.strictEqual((yield* claim("Bob")).claimedBy, "Bob")
    })
  )

  it.effect("A resolution has a recorded reason, and resolves the target's other reports when asked", () =>
    Effect.gen(function* () {
      const moderator = yield* administrator()
      const author = yield* commenterOf(6)
      const { id } = yield* author.published()
      const other = yield* author.published()
      const ids: Array<ReportId> = []
      for (const number of [7, 8, 9, 10]) {
        const { accessToken } = yield* commenterOf(number)
        ids.push(yield* reported(accessToken, "posts", id))
        if (number === 7) yield* reported(accessToken, "posts", other.id)
      }
      const [one, two, three, four] = ids as [ReportId, ReportId, ReportId, ReportId]
      yield* moderator["moderation.reports.claim"]({ reportId: four, actor: "Zoe" })
      const resolve = (reportId: ReportId, others: boolean, reason = "Not spam") =>
        moderator["moderation.reports.resolve"]({
          reportId,
          actor: "Ann",
          outcome: "dismissed",
          reason,
          others
        })
      assert.strictEqual((yield* resolve(one, false)).resolved, 1)
      assert.strictEqual((yield* resolve(one, false)).resolved, 0)
      assert.strictEqual((yield* Effect.flip(resolve(one, false, "Changed")))._tag, "ReportResolved")
      assert.strictEqual((yield* resolve(two, true)).resolved, 2)
      const { reports } = yield* moderator["moderation.reports.list"]({ status: "resolved" })
      assert.sameMembers(
        reports.map((report) => report.id),
        [one, two, three]
      )
      for (const report of reports)
        assert.deepInclude(report, { resolvedBy: "Ann", outcome: "dismissed", resolution: "Not spam" })
      const { entries } = yield* moderator["moderation.audit.list"]({ subjectId: two })
      assert.deepStrictEqual(
        entries.map(({ action, actor, reason }) => ({ action, actor, reason })),
        [{ action: "moderation.reports.resolve dismissed", actor: "Ann", reason: "Not spam" }]
      )
      const claimed = yield* Effect.flip(moderator["moderation.reports.claim"]({ reportId: one }))
      assert.strictEqual(claimed._tag, "ReportResolved")
      const reportId = ReportId.make("00000000-0000-7000-8000-000000000000")
      assert.strictEqual(
        (yield* Effect.flip(moderator["moderation.reports.claim"]({ reportId })))._tag,
        "ReportNotFound"
      )
    })
  )

  it.effect("A resolved report of a post that readers do not see shows none of its sections", () =>
    Effect.gen(function* () {
      const moderator = yield* administrator()
      const author = yield* commenterOf(31)
      const { accessToken } = yield* commenterOf(32)
      const { id } = yield* author.published()
      const reportId = yield* reported(accessToken, "posts", id)
      const textOf = Effect.fnUntraced(function* (status: "open" | "resolved") {
        const { reports } = yield* moderator["moderation.reports.list"]({ status })
        return reports.find((report) => report.id === reportId)?.target.text
      })
      yield* author.unpublish(id)
      yield* author.patch(id, { freeContentMarkdown: "Not for anyone yet" })
      assert.include(yield* textOf("open"), "Not for anyone yet")
      yield* moderator["moderation.reports.resolve"]({ reportId, outcome: "dismissed", reason: "Fine" })
      assert.strictEqual(yield* textOf("resolved"), "On pennies\n\nWhat a penny buys")
      assert.strictEqual((yield* author.publish(id, "again")).status, 200)
      assert.include(yield* textOf("resolved"), "Not for anyone yet")
    })
  )
})

const withoutId = ({
  claimedBy,
  claimedUntil
}: {
  readonly claimedBy: string
  readonly claimedUntil: Timestamp
}) => ({ claimedBy, claimedUntil })

describe("moderators in two processes", () => {
  it.effect("Of concurrent moderators one claims a report, and each report is resolved once", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_report_queue_race", { adminToken: ADMIN_TOKEN })
      const author = yield* Effect.provide(commenterOf(1), processes[0])
      const { id } = yield* Effect.provide(author.published(), processes[0])
      const ids = yield* Effect.forEach([2, 3, 4, 5], (number) =>
        Effect.gen(function* () {
          const { accessToken } = yield* commenterOf(number)
          return yield* reported(accessToken, "posts", id)
        }).pipe(Effect.provide(processes[0]))
      )
      const moderators = yield* Effect.forEach(processes, (process) =>
        Effect.provide(administrator(), process)
      )
      const claims = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) =>
          Effect.exit(
            moderators[n % 2]!["moderation.reports.claim"]({ reportId: ids[0]!, actor: `Actor ${n}` })
          ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        claims.filter((exit) => exit._tag === "Success"),
        1
      )
      const resolved = yield* Effect.forEach(
        ids.slice(1),
        (reportId, n) =>
          moderators[n % 2]!["moderation.reports.resolve"]({
            reportId,
            outcome: "actioned",
            reason: "Withdrawn",
            others: true
          }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        resolved.reduce((sum, answer) => sum + answer.resolved, 0),
        3
      )
    })
  )
})
