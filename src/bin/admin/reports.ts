import { Argument, Command, Flag } from "effect/cli"
import { ActionReason } from "../../../schemas/accounts/administration/rpc.ts"
import { SubjectId } from "../../../schemas/engagement/moderation/rpc.ts"
import { ReportOutcome, ReportStatus } from "../../../schemas/engagement/reports/Report.ts"
import { ReportId } from "../../../schemas/platform/Ids.ts"
import { textArgument, textFlag } from "../arguments/checkedArguments.ts"
import { actor, given, json } from "./action.ts"
import { calling, url } from "./connection.ts"
import { page, pageLines } from "./pageLines.ts"

const reportId = textArgument("report-id", ReportId).pipe(Argument.withDescription("The id of the report"))

const list = Command.make(
  "list",
  {
    url,
    ...page,
    status: Flag.Literals("status", ReportStatus.literals).pipe(
      Flag.withDescription("Reports of this status"),
      Flag.withDefault("open" as const)
    )
  },
  ({ cursor, limit, status, url }) =>
    calling(
      url,
      (client) => client["moderation.reports.list"]({ status, limit, ...given("cursor", cursor) }),
      ({ nextCursor, reports }) => pageLines(reports, nextCursor)
    )
).pipe(Command.withDescription("List reports, oldest first, a line of JSON each"))

const claim = Command.make("claim", { url, actor, json, reportId }, (it) =>
  calling(
    it.url,
    (client) => client["moderation.reports.claim"]({ reportId: it.reportId, ...given("actor", it.actor) }),
    (claimed) => [
      it.json
        ? JSON.stringify(claimed)
        : `${claimed.reportId} is claimed by ${claimed.claimedBy} until ${claimed.claimedUntil}`
    ]
  )
).pipe(Command.withDescription("Claim a report for an hour"))

const resolve = Command.make(
  "resolve",
  {
    url,
    actor,
    json,
    reportId,
    outcome: Flag.Literals("outcome", ReportOutcome.literals).pipe(
      Flag.withDescription("`actioned` if you acted on the target, otherwise `dismissed`")
    ),
    reason: textFlag("reason", ActionReason).pipe(
      Flag.withDescription("The reason, which the audit log keeps")
    ),
    others: Flag.Boolean("others").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also resolve the other open reports of the same target")
    )
  },
  ({ actor, json, others, outcome, reason, reportId, url }) =>
    calling(
      url,
      (client) =>
        client["moderation.reports.resolve"]({ reportId, outcome, others, reason, ...given("actor", actor) }),
      (answer) => [
        json
          ? JSON.stringify(answer)
          : `${answer.reportId} is ${answer.outcome}; resolved: ${answer.resolved}`
      ]
    )
).pipe(Command.withDescription("Resolve a report"))

const auditList = Command.make(
  "list",
  {
    url,
    ...page,
    subjectId: textFlag("subject", SubjectId).pipe(
      Flag.withDescription("Only actions on the account, Post, Comment or report with this id"),
      Flag.optional
    )
  },
  ({ cursor, limit, subjectId, url }) =>
    calling(
      url,
      (client) =>
        client["moderation.audit.list"]({
          limit,
          ...given("cursor", cursor),
          ...given("subjectId", subjectId)
        }),
      ({ entries, nextCursor }) => pageLines(entries, nextCursor)
    )
).pipe(Command.withDescription("List actions, newest first, a line of JSON each"))

/** Commands for reports of readers. */
export const reports = Command.make("reports").pipe(
  Command.withDescription("Reports of readers"),
  Command.withSubcommands([list, claim, resolve])
)

/** Commands for the audit log. */
export const audit = Command.make("audit").pipe(
  Command.withDescription("Actions of administrators: who, when and why"),
  Command.withSubcommands([auditList])
)
