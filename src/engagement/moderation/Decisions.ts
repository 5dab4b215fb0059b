import { Context, Effect, Layer, Schema } from "effect"
import type { Report, ReportDecision } from "../../../schemas/engagement/reports/Report.ts"
import type {
  ReportClaimed,
  ReportNotFound,
  ReportResolved
} from "../../../schemas/engagement/reports/rpc.ts"
import { CommentId, PostId, type ReportId } from "../../../schemas/platform/Ids.ts"
import { type ModeratorAuthority, OperatorOnly } from "../../../schemas/platform/security/moderator.ts"
import type { Because } from "../../accounts/administration/AuditLog.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { ReportQueue } from "../reports/ReportQueue.ts"
import { Moderation } from "./Moderation.ts"
import { Restrictions } from "./Restrictions.ts"

/** The target of a report is gone, or this cannot be done to it. */
class DecisionImpossible extends Schema.TaggedError<DecisionImpossible>()("DecisionImpossible", {}) {}

type Refusal = ReportNotFound | ReportClaimed | ReportResolved | OperatorOnly | DecisionImpossible

/** Decisions of moderators about reports: what is done, and the end of all open reports of the target, in one transaction. */
export class Decisions extends Context.Service<
  Decisions,
  {
    /**
     * Dismisses a report, or acts on its target. A repeat does nothing. Fails for a report that someone else claimed or
     * resolved. A moderator does not decide about something of their own. Only the author of the target reads
     * `reasonForAuthor`.
     */
    readonly decide: (
      moderator: ModeratorAuthority,
      id: ReportId,
      decision: ReportDecision | "dismiss",
      because: Because
    ) => Effect.Effect<void, Refusal>
  }
>()("pennypress/engagement/moderation/Decisions") {
  static readonly layer = Layer.effect(
    Decisions,
    Effect.gen(function* () {
      const queue = yield* ReportQueue
      const moderation = yield* Moderation
      const restrictions = yield* Restrictions
      const transactions = yield* Transactions

      const act = (
        moderator: ModeratorAuthority,
        { target: { author, id, kind } }: Report,
        decision: ReportDecision,
        because: Because
      ) => {
        if (decision === "hide" && kind === "comment")
          return moderation.hideComment(moderator, CommentId.make(id), because)
        if (decision === "withdraw" && kind === "post")
          return moderation.withdrawPost(moderator, PostId.make(id), because)
        return decision === "restrict"
          ? restrictions.setRestricted(moderator, { id: author.id }, true, because)
          : Effect.fail(new DecisionImpossible())
      }

      return Decisions.of({
        decide: Effect.fn("Decisions.decide")(
          function* (moderator, id, decision, because) {
            const { reason } = because
            const report = yield* queue.find(moderator, id)
            if (report.target.author.id === moderator.ownerId)
              return yield* new OperatorOnly({ subject: "own" })
            if (decision === "dismiss") {
              yield* queue.resolve(moderator, id, { outcome: "dismissed", others: true }, { reason })
              return
            }
            const end = { outcome: "actioned", others: true, decision } as const
            const { resolved } = yield* queue.resolve(moderator, id, end, { reason })
            if (resolved > 0) yield* act(moderator, report, decision, because)
          },
          Effect.catchTag(["AccountNotFound", "CommentNotFound", "PostNotFound"], () =>
            Effect.fail(new DecisionImpossible())
          ),
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}
