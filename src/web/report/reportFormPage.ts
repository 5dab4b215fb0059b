import type { TargetRow } from "../../engagement/reports/publicReports.sql.ts"
import type { PublicTarget } from "../../engagement/reports/ReportTarget.ts"
import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { contactUrlOf } from "../../platform/ports/operatorContact.ts"
import { authorPath } from "../pages/parts/people.ts"

/** The path of the form with which anyone reports something. */
export const REPORT = "/report"

/** The fields that a reader fills in, and the reasons why some were refused. */
export interface WrittenReport {
  readonly text: string
  readonly mail: string
  readonly wrong: { readonly text?: string; readonly mail?: string }
  /** The reason why the whole form was refused. */
  readonly refusal?: string
}

interface ReportFormView extends WrittenReport {
  readonly target: PublicTarget
  readonly found: TargetRow
  /** The address of the operator, for matters that are not about one text. */
  readonly contact: string | undefined
}

const WORDS = { post: "post", comment: "comment", account: "account" } as const

/** Returns the field that names a target, and its value. The address of the form has the same. */
const targetFieldOf = (target: PublicTarget): readonly [name: string, value: string] =>
  target.kind === "account" ? ["handle", target.handle] : [target.kind, target.id]

/** Returns the address at which readers see a target. */
const placeOf = ({ handle, slug, target_id, thread_root_id }: TargetRow): string => {
  const author = authorPath(handle)
  if (slug === null) return author
  const post = `${author}/${slug}`
  return thread_root_id === null ? post : `${post}/comments?thread=${thread_root_id}#c-${target_id}`
}

const named = ({ found, target }: ReportFormView): Html => {
  const author = html`<bdi>${found.author_name}</bdi>`
  if (target.kind === "account") return html`<p class="lede">You report the account of ${author}.</p>`
  return html`<p class="lede">You report this ${WORDS[target.kind]} by ${author}:</p>
    <blockquote class="quoted"><p class="said" dir="auto">${found.text}</p></blockquote>`
}

/** Returns the form with which a reader without an account reports something to the moderators. */
export const reportFormPage = (view: ReportFormView): Page => {
  const { contact, found, mail, refusal, target, text, wrong } = view
  return formPage({
    title: `Report this ${WORDS[target.kind]}`,
    kicker: "Report",
    content: html`${refusal !== undefined && outcome(html`<strong class="bad">${refusal}</strong>`)}${named(view)}
      <form class="fields" method="post" action="${REPORT}">
        ${hidden(...targetFieldOf(target))}${field({
          name: "text",
          label: "Reason",
          hint: "Say what is wrong with it. Up to 2000 characters. Only moderators read it.",
          wrong: wrong.text,
          isFocused: refusal === undefined,
          control: ({ by, isInvalid }) =>
            html`<textarea
              id="text"
              name="text"
              rows="6"
              required
              maxlength="2000"
              dir="auto"
              aria-describedby="${by}"
              aria-invalid="${isInvalid}"
            >
${text}</textarea>`
        })}${field({
          name: "mail",
          label: "Your email address",
          hint: "Moderators may answer to it. The author never sees it.",
          wrong: wrong.mail,
          isFocused: refusal === undefined && wrong.text === undefined,
          control: ({ by, isInvalid }) =>
            html`<input
              id="mail"
              name="mail"
              type="email"
              required
              maxlength="320"
              autocomplete="email"
              value="${mail}"
              aria-describedby="${by}"
              aria-invalid="${isInvalid}"
            />`
        })}<button class="button" type="submit">Send report</button>
      </form>
      ${
        contact !== undefined &&
        html`<p class="note">
          For anything else, write to the people who run this site:
          <a href="${contactUrlOf(contact)}"><bdi>${contact}</bdi></a>
        </p>`
      }
      <p class="note"><a href="${placeOf(found)}">Back to the ${WORDS[target.kind]}</a></p>`
  })
}

/** Thanks a reader, and says what happens now. */
export const reportedPage = formPage({
  title: "Thank you",
  kicker: "Report",
  content: html`<p class="lede">Our moderators will look into it. They may write to you.</p>
    <p class="note"><a href="/">Home</a></p>`
})
