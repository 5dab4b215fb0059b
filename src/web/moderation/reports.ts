import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { PageCursor } from "../../../schemas/engagement/moderation/rpc.ts"
import { type Report, ReportDecision, ReportStatus } from "../../../schemas/engagement/reports/Report.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { ReportId } from "../../../schemas/platform/Ids.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import { Decisions } from "../../engagement/moderation/Decisions.ts"
import { Restrictions } from "../../engagement/moderation/Restrictions.ts"
import { ReportedThings } from "../../engagement/reports/ReportedThings.ts"
import { ReportQueue } from "../../engagement/reports/ReportQueue.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addHiddenPage } from "../../platform/http/ServicePaths.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { now } from "../../platform/time/now.ts"
import { MODERATION } from "../browser/paths.ts"
import { bad, type RefusedReason } from "./parts.ts"
import { makeReportedView } from "./reportedView.ts"
import { reportPage } from "./reportPage.ts"
import { reportPath, resolution } from "./reportParts.ts"
import { reportsPage } from "./reportsPage.ts"
import { restrictPage } from "./restrictPage.ts"
import { makeRoom, reasonOf, writtenOf } from "./room.ts"

/** Reports of a page, and those of one target. */
const REPORTS = 20
const OF_TARGET = 50

const decodeStatus = Schema.decodeUnknownOption(ReportStatus)
const decodeCursor = Schema.decodeUnknownOption(PageCursor)
const decodeId = Schema.decodeUnknownEffect(ReportId)
const decodeDone = Schema.decodeUnknownOption(ReportId)
const decodeDecision = Schema.decodeUnknownOption(Schema.Literals(["dismiss", ...ReportDecision.literals]))

const TOO_LATE = "Someone else has already handled this."
const DECIDED = "You've already decided this one."

const impossible = "This has changed since you opened it. Check it again."

const ABOUT_MODERATOR = "The author is a moderator. Only the operator can restrict moderators."

const isOwn = ({ target }: Report, { ownerId }: ModeratorAuthority) => target.author.id === ownerId

/** Serves the reports of readers, and the decisions about them. */
export const ReportRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const queue = yield* ReportQueue
    const things = yield* ReportedThings
    const restrictions = yield* Restrictions
    const viewOf = yield* makeReportedView
    const { decide } = yield* Decisions
    const { asModerator } = yield* makeRoom
    const { page, query, readForm, seeOther } = yield* makePrivatePages

    const idOfPath = Effect.flatMap(HttpRouter.params, ({ reportId }) =>
      Effect.mapError(decodeId(reportId), () => new NotFound())
    )

    /** Finds a report about others. One about the moderator is unknown here, so that its reporter is safe from them. */
    const find = Effect.fnUntraced(function* (moderator: ModeratorAuthority, id: ReportId) {
      const report = yield* Effect.mapError(queue.find(moderator, id), () => new NotFound())
      return isOwn(report, moderator) ? yield* new NotFound() : report
    })

    /** Tells the decision before this page, which may be another moderator's by now. */
    const doneBefore = Effect.fnUntraced(function* (moderator: ModeratorAuthority, text: string | null) {
      const id = decodeDone(text)
      if (Option.isNone(id)) return null
      const report = yield* Effect.option(find(moderator, id.value))
      if (Option.isNone(report)) return null
      const end = resolution(report.value, moderator)
      if (end === false) return null
      const did = report.value.resolvedById === moderator.ownerId ? "Done." : TOO_LATE
      return html`${did} ${end}. <a href="${reportPath(id.value)}">See it again</a>`
    })

    /** Leads to the next report after a decision, or to the queue when there is none. */
    const goOn = Effect.fnUntraced(function* (moderator: ModeratorAuthority, id: ReportId) {
      const report = yield* find(moderator, id)
      const { first, next } = yield* queue.around(moderator, report)
      const onward = next ?? first
      return seeOther(`${onward === null ? MODERATION : reportPath(onward)}?done=${id}`)
    })

    const list = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const asked = yield* query
        const status = Option.getOrElse(decodeStatus(asked.get("status")), () => "open" as const)
        const after = asked.get("after")
        const cursor =
          after === null
            ? {}
            : Option.match(decodeCursor(after), {
                onNone: () => undefined,
                onSome: (cursor) => ({ cursor })
              })
        if (cursor === undefined) return yield* new NotFound()
        const { nextCursor, reports } = yield* queue
          .list(moderator, { status, limit: REPORTS, ...cursor })
          .pipe(Effect.mapError(() => new NotFound()))
        const told = yield* doneBefore(moderator, asked.get("done"))
        return page(
          reportsPage({
            moderator,
            now: yield* now,
            told,
            status,
            reports: reports.filter((it) => !isOwn(it, moderator)),
            after,
            next: nextCursor
          })
        )
      })
    )

    interface Said {
      readonly told: Html | null
      readonly refused: RefusedReason | null
    }

    /** Shows a report as it is now. */
    const shown = (
      moderator: ModeratorAuthority,
      id: ReportId,
      { refused, told }: Said,
      status = 200
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound> =>
      Effect.gen(function* () {
        const report = yield* find(moderator, id)
        const [reports, thing, others, { next, previous }] = yield* Effect.all(
          [
            queue.ofTarget(moderator, report, OF_TARGET),
            Effect.mapError(things.of(moderator, id), () => new NotFound()),
            things.ofAuthor(moderator, report.target.author.id, report),
            queue.around(moderator, report)
          ],
          { concurrency: "unbounded" }
        )
        const end = resolution(report, moderator)
        const late = report.resolvedById === moderator.ownerId ? DECIDED : TOO_LATE
        const isLate = status === 409 && end !== false && told === null
        return page(
          reportPage({
            moderator,
            now: yield* now,
            report,
            reports,
            thing: yield* viewOf(thing),
            others,
            previous,
            next,
            refused,
            told: isLate ? html`${bad(late)} ${end}.` : told
          }),
          status
        )
      })

    const show = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const id = yield* idOfPath
        const told = yield* doneBefore(moderator, (yield* query).get("done"))
        return yield* shown(moderator, id, { told, refused: null })
      })
    )

    /** Asks once more before the author is restricted, and keeps what was written. */
    const shownAsk = Effect.fnUntraced(function* (
      moderator: ModeratorAuthority,
      id: ReportId,
      refused: RefusedReason,
      status = 200
    ) {
      const report = yield* find(moderator, id)
      const { author } = report.target
      return page(
        restrictPage({
          handle: author.handle,
          section: MODERATION,
          reach: yield* restrictions.reach(moderator, author.id),
          action: reportPath(id),
          fields: {},
          back: reportPath(id),
          refused
        }),
        status
      )
    })

    const ask = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const id = yield* idOfPath
        const form = yield* readForm({ reason: LENGTHS.text, author: LENGTHS.text })
        return yield* shownAsk(moderator, id, writtenOf(form))
      })
    )

    const submit = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const id = yield* idOfPath
        const form = yield* readForm({ do: LENGTHS.word, reason: LENGTHS.text, author: LENGTHS.text })
        const decision = decodeDecision(form.get("do"))
        if (Option.isNone(decision)) return yield* unreadable(form)
        const said = reasonOf(form)
        if (said.refused !== undefined)
          return decision.value === "restrict"
            ? yield* shownAsk(moderator, id, said.refused, 422)
            : yield* shown(moderator, id, { told: null, refused: said.refused }, 422)
        const kept = {
          text: said.reason,
          forAuthor: said.reasonForAuthor ?? "",
          said: "Nothing was changed."
        }
        const again = (told: Html | null) => shown(moderator, id, { told, refused: kept }, 409)
        return yield* decide(moderator, id, decision.value, said).pipe(
          Effect.andThen(goOn(moderator, id)),
          Effect.catchTags({
            ReportNotFound: () => Effect.fail(new NotFound()),
            ReportResolved: () => again(null),
            ReportClaimed: () => again(bad("Another moderator has claimed it. Nothing was changed.")),
            OperatorOnly: ({ subject }) =>
              subject === "own" ? Effect.fail(new NotFound()) : again(bad(ABOUT_MODERATOR)),
            DecisionImpossible: () => again(bad(impossible))
          })
        )
      })
    )

    const claim = asModerator(
      Effect.fnUntraced(function* (moderator) {
        const id = yield* idOfPath
        yield* readForm({})
        const report = yield* find(moderator, id)
        // Pressed again, it would begin another hour.
        if (report.claimedById === moderator.ownerId) return seeOther(reportPath(id))
        return yield* queue.claim(moderator, id, undefined).pipe(
          Effect.as(seeOther(reportPath(id))),
          Effect.catchTags({
            ReportNotFound: () => Effect.fail(new NotFound()),
            ReportResolved: () => shown(moderator, id, { told: null, refused: null }, 409),
            ReportClaimed: () =>
              shown(moderator, id, { told: bad("Another moderator got there first."), refused: null }, 409)
          })
        )
      })
    )

    return Layer.mergeAll(
      addHiddenPage("GET", MODERATION, list),
      addHiddenPage("GET", `${MODERATION}/reports/:reportId`, show),
      addHiddenPage("POST", `${MODERATION}/reports/:reportId`, submit),
      addHiddenPage("POST", `${MODERATION}/reports/:reportId/claim`, claim),
      addHiddenPage("POST", `${MODERATION}/reports/:reportId/restrict`, ask)
    )
  })
)
