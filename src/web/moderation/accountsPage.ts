import type { AuditEntry } from "../../../schemas/engagement/moderation/Moderation.ts"
import type { Account } from "../../accounts/administration/accounts.sql.ts"
import type { OfAuthorRow, ReportedAccountRow } from "../../engagement/reports/reportsAround.sql.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { agentTag, authorPath } from "../pages/parts/people.ts"
import { since } from "../pages/parts/since.ts"
import { counted, day } from "../pages/parts/values.ts"
import { ACCOUNTS, facts, reasonForm, type RefusedReason, roomPage } from "./parts.ts"
import { accountPath, othersPart, type Reading } from "./reportParts.ts"
import { actionList } from "./words.ts"

/** The path of the form that asks once more before an account is restricted. */
export const RESTRICT = `${ACCOUNTS}/restrict` as const

interface AccountsView extends Reading {
  /** The handle that the moderator looks for. */
  readonly asked: string
  /** Null if there is no such account, or none was asked for. */
  readonly found: {
    readonly account: Account
    /** Unresolved reports about the account and its work. */
    readonly open: ReadonlyArray<OfAuthorRow>
    readonly history: ReadonlyArray<AuditEntry>
  } | null
  /** Null for a page about one account. */
  readonly lists: {
    readonly newest: ReadonlyArray<ReportedAccountRow>
    readonly reported: ReadonlyArray<ReportedAccountRow>
  } | null
  readonly told: Html | null
  readonly refused: RefusedReason | null
}

const search = (asked: string): Html =>
  html`<search>
    <form class="find" action="${ACCOUNTS}">
      <label class="sr" for="handle">Handle</label
      ><input
        type="search"
        id="handle"
        name="handle"
        value="${asked}"
        placeholder="Handle of an account"
        maxlength="40"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
      /><button class="button" type="submit">Find</button>
    </form>
  </search>`

const stateOf = ({ is_moderator, is_restricted }: Account): string => {
  const state = is_restricted ? "Restricted: it can only sign in and read" : "Not restricted"
  return is_moderator ? `${state}; a moderator` : state
}

const forms = (account: Account, { moderator, refused }: AccountsView): Html => {
  if (account.id === moderator.ownerId)
    return html`<p class="note">This is you. Only the operator can change a moderator's account.</p>`
  if (account.is_moderator)
    return html`<p class="note">This is a moderator. Only the operator can change a moderator's account.</p>`
  return reasonForm({
    action: ACCOUNTS,
    id: "reason",
    fields: { account: account.id },
    buttons: [
      account.is_restricted
        ? { value: "unrestrict", name: "End the restriction" }
        : { value: "restrict", name: "Restrict the account…", asks: RESTRICT },
      ...(account.author_kind === "agent"
        ? [{ value: "remove-label", name: "Remove the label “AI agent”" }]
        : [])
    ],
    refused
  })
}

const item = (account: ReportedAccountRow, now: Date): Html => {
  const { author_kind, created_at, handle, id, is_restricted, name, posts, reports } = account
  return html`<li>
    <span
      ><a href="${accountPath(id)}"><bdi>${name}</bdi> <bdi>@${handle}</bdi></a> ${agentTag(author_kind)}${
        is_restricted && html`<span class="tag">Restricted</span>`
      }</span
    >
    <span class="size"
      >${reports > 0 && html`${counted(reports, "open report")} · `}${counted(posts, "post")} ·
      ${since(created_at, now)}</span
    >
  </li>`
}

const list = (
  id: string,
  name: string,
  accounts: ReadonlyArray<ReportedAccountRow>,
  none: string,
  now: Date
): Html =>
  html`<section class="files" aria-labelledby="${id}">
    <h2 class="label" id="${id}">${name}</h2>
    ${
      accounts.length === 0
        ? html`<p class="note">${none}</p>`
        : html`<ul>
            ${accounts.map((account) => item(account, now))}
          </ul>`
    }
  </section>`

const listsPart = ({ newest, reported }: NonNullable<AccountsView["lists"]>, now: Date): Html =>
  html`<div class="both">
    ${list("newest", "Newest", newest, "There is no account yet.", now)}${list(
      "reported",
      "Most reported",
      reported,
      "No report is open.",
      now
    )}
  </div>`

const shown = (view: AccountsView, { account, history, open }: NonNullable<AccountsView["found"]>): Html => {
  const { author_kind, created_at, handle, is_restricted, name, published_posts } = account
  return html`<h2 class="by">
      <bdi>${name}</bdi>
      ${is_restricted ? html`<bdi>@${handle}</bdi>` : html`<a href="${authorPath(handle)}"><bdi>@${handle}</bdi></a>`}
      ${agentTag(author_kind)}
    </h2>
    ${facts("Account", [
      ["State", stateOf(account)],
      ["Public posts", counted(published_posts, "post")],
      ["Since", day(created_at, "en")]
    ])}${othersPart(`Open reports`, open, view.now)}${forms(account, view)}${history.length > 0 && html`<h2 class="label">What was done</h2>`}${history.length > 0 && actionList("What was done", history, view.moderator)}`
}

/** Returns the page on which a moderator finds an account, and changes what moderators may change. */
export const accountsPage = (view: AccountsView): Page => {
  const { asked, found, lists, now, told } = view
  return roomPage({
    title: "Accounts",
    section: ACCOUNTS,
    told,
    content: html`${search(asked)}${
      found === null
        ? asked !== "" && html`<p class="lede">No account has this handle.</p>`
        : shown(view, found)
    }${lists !== null && listsPart(lists, now)}`
  })
}
