import { Effect, Layer, Option, Schema } from "effect"
import { AccountHandle } from "../../../schemas/accounts/administration/rpc.ts"
import { ReportDraft } from "../../../schemas/engagement/reports/Report.ts"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { PublicReports } from "../../engagement/reports/PublicReports.ts"
import type { PublicTarget } from "../../engagement/reports/ReportTarget.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { enteredText } from "../../platform/pages/entered.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { operatorContact } from "../../platform/ports/operatorContact.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { REPORT, reportedPage, reportFormPage, type WrittenReport } from "./reportFormPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodeHandle = Schema.decodeUnknownOption(AccountHandle)
const decodeDraft = Schema.decodeUnknownOption(ReportDraft)
const decodeMail = Schema.decodeUnknownOption(EmailAddressInput)

const TARGET = { post: LENGTHS.word, comment: LENGTHS.word, handle: LENGTHS.word }

const words = {
  text: "Write 1 to 2000 characters that moderators can see.",
  mail: "Enter an email address such as ada@example.org.",
  limit:
    "We've received many reports. Nothing was sent this time: try again in an hour. What you wrote is still here."
} as const

const EMPTY: WrittenReport = { text: "", mail: "", wrong: {} }

const gone = (text: string) =>
  messagePage({
    title: "Nothing was reported",
    said: "Readers can't see this any more, so there's nothing to report.",
    more: enteredText(text)
  })

/** Returns what an address or a form names. */
const targetOf = (fields: URLSearchParams | SentForm<keyof typeof TARGET>): PublicTarget | undefined => {
  const comment = decodeCommentId(fields.get("comment"))
  if (Option.isSome(comment)) return { kind: "comment", id: comment.value }
  const post = decodePostId(fields.get("post"))
  if (Option.isSome(post)) return { kind: "post", id: post.value }
  const handle = decodeHandle(fields.get("handle"))
  return Option.isSome(handle) ? { kind: "account", handle: handle.value } : undefined
}

/** Serves the form with which anyone reports a post, a comment or an account, without signing in. */
export const ReportFormRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const reports = yield* PublicReports
    const contact = yield* operatorContact
    const count = yield* limiting
    const { consume } = yield* RateLimits
    const { answering, page, query, readFormWithCuts, seeOther } = yield* makePrivatePages

    const shown = Effect.fnUntraced(function* (target: PublicTarget, written: WrittenReport, status = 200) {
      const found = yield* reports.find(target)
      return page(reportFormPage({ ...written, target, found, contact }), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      if (asked.has("done")) return page(reportedPage)
      const target = targetOf(asked)
      return target === undefined ? yield* new NotFound() : yield* shown(target, EMPTY)
    })

    const send = Effect.gen(function* () {
      yield* count("public-read")
      const form = yield* readFormWithCuts({ ...TARGET, text: LENGTHS.text, mail: LENGTHS.line })
      const target = targetOf(form)
      if (target === undefined) return yield* new NotFound()
      const written = { text: form.get("text") ?? "", mail: form.get("mail") ?? "" }
      const draft = form.cut.includes("text") ? Option.none() : decodeDraft({ reason: written.text })
      const replyTo = form.cut.includes("mail") ? Option.none() : decodeMail(written.mail)
      const save = Effect.gen(function* () {
        if (Option.isNone(draft) || Option.isNone(replyTo)) {
          const wrong = {
            ...(Option.isNone(draft) ? { text: words.text } : {}),
            ...(Option.isNone(replyTo) ? { mail: words.mail } : {})
          }
          return yield* shown(target, { ...written, wrong }, 422)
        }
        yield* reportingRefusal(Effect.andThen(count("report"), consume("report-all", "all")))
        yield* reports.report({ target, replyTo: replyTo.value, reason: draft.value.reason })
        return seeOther(`${REPORT}?done`)
      })
      return yield* save.pipe(
        Effect.catchTag("RateLimited", () =>
          shown(target, { ...written, wrong: {}, refusal: words.limit }, 429)
        ),
        Effect.catchTag("NotFound", () => Effect.succeed(page(gone(written.text), 404)))
      )
    })

    return Layer.merge(
      addPrivatePage("GET", REPORT, answering(show)),
      addPrivatePage("POST", REPORT, answering(send))
    )
  })
)
