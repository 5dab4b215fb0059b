import {
  IMPORT_SOURCE_MAX,
  type RefusalCode,
  STATEMENT_MAX,
  STATEMENT_MIN,
  type SubscriberImport
} from "../../../schemas/engagement/subscribers/SubscriberImport.ts"
import { field, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo, formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { READERS } from "../browser/paths.ts"
import { counted } from "../pages/parts/values.ts"

/** The page on which an author brings readers. */
export const BRING = `${READERS}/import` as const

/** Refused rows that the page shows. */
const SHOWN_MAX = 200

/** The form as an author filled it in, and the sentences about wrong fields by the names of the contract. */
export interface BringView {
  readonly csv: string
  readonly source: string
  readonly statement: string
  readonly isAttested: boolean
  readonly wrong: Readonly<Record<string, string>>
  readonly isModerator: boolean
}

const form = ({ csv, isAttested, source, statement, wrong }: BringView): Html =>
  html`<form method="post" action="${BRING}" enctype="multipart/form-data" class="fields">
    ${field({
      name: "source",
      label: "Where do your readers come from?",
      hint: "For example Substack, Ghost, Buttondown or Mailchimp.",
      wrong: wrong["source"],
      control: ({ by, isInvalid }) =>
        html`<input
          id="source"
          name="source"
          type="text"
          required
          maxlength="${String(IMPORT_SOURCE_MAX)}"
          value="${source}"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        />`
    })}
    ${field({
      name: "statement",
      label: "When and how did they agree to get your posts?",
      hint: `${STATEMENT_MIN} to ${STATEMENT_MAX} characters. We keep your answer with the list.`,
      wrong: wrong["consent.statement"],
      isFocused: wrong["source"] === undefined,
      control: ({ by, isInvalid }) =>
        html`<textarea
          id="statement"
          name="statement"
          rows="4"
          required
          minlength="${String(STATEMENT_MIN)}"
          maxlength="${String(STATEMENT_MAX)}"
          dir="auto"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${statement}</textarea>`
    })}
    <div>
      <label class="choice"
        >${
          isAttested
            ? html`<input type="checkbox" name="attested" value="yes" required checked />`
            : html`<input type="checkbox" name="attested" value="yes" required />`
        }
        Everyone on this list agreed, and my answer is true</label
      >
      ${
        wrong["consent.attested"] !== undefined &&
        html`<p class="hint"><strong class="bad">${wrong["consent.attested"]}</strong></p>`
      }
    </div>
    ${field({
      name: "csv",
      label: "Paste your list",
      hint: "One address on each line, or a table with its column names. Or choose a file below.",
      wrong: wrong["csv"],
      isFocused: wrong["source"] === undefined && wrong["consent.statement"] === undefined,
      control: ({ by, isInvalid }) =>
        html`<textarea
          id="csv"
          name="csv"
          rows="6"
          dir="ltr"
          aria-describedby="${by}"
          aria-invalid="${isInvalid}"
        >
${csv}</textarea>`
    })}
    <div class="field">
      <label for="file">Or a file (CSV)</label>
      <input
        id="file"
        name="file"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        aria-describedby="file-hint"
      />
      <p class="hint" id="file-hint">
        At most 10,000 rows and 1 MiB. The export of your old home works as it is.
      </p>
    </div>
    <p class="act"><button class="button" type="submit">Bring readers</button></p>
  </form>`

/** Returns the page with the form that brings a list of readers. */
export const bringPage = (view: BringView): Page =>
  formPage({
    title: "Bring readers",
    isWide: true,
    content: html`${deskMenu(READERS, view.isModerator)}${
        view.wrong["form"] !== undefined && outcome(html`<strong class="bad">${view.wrong["form"]}</strong>`)
      }
      <p class="lede">
        Each new reader gets one email to confirm. We send at most 500 of these a day. Readers who
        unsubscribed, or whose mailbox refused your posts, are left out.
      </p>
      ${form(view)}`
  })

const reasons: Readonly<Record<RefusalCode, string>> = {
  invalid: "not an email address",
  repeated: "an earlier line has the same address",
  unsubscribed: "unsubscribed",
  bounced: "emails didn't arrive, or were marked as spam",
  unconfirmed: "never confirmed"
}

const refusedRows = ({ refused }: SubscriberImport): Html =>
  html`<h2>Left out</h2>
    <ul class="plain">
      ${refused.slice(0, SHOWN_MAX).map(({ code, line }) => html`<li>Line ${String(line)}: ${reasons[code]}</li>`)}
    </ul>
    ${refused.length > SHOWN_MAX && html`<p>And ${(refused.length - SHOWN_MAX).toLocaleString("en")} more lines.</p>`}`

/** Returns the page that tells what became of a list. */
export const broughtPage = (it: SubscriberImport, isModerator: boolean): Page =>
  formPage({
    title: "Bring readers",
    isWide: true,
    content: html`${deskMenu(READERS, isModerator)}${outcome(
        it.accepted === 0
          ? "No new readers."
          : `${counted(it.accepted, "reader")} added. We email each of them once, and those who confirm get your posts.`
      )}
      <p>
        ${counted(it.rows, "line")} read.
        ${it.known > 0 && `${counted(it.known, "reader")} ${it.known === 1 ? "was" : "were"} on your list already, or had left it.`}
        ${it.refused.length > 0 && `${counted(it.refused.length, "line")} left out.`}
      </p>
      ${it.refused.length > 0 && refusedRows(it)}${buttonTo(READERS, "See your readers")}`
  })
