import type { AuditEntry } from "../../../schemas/engagement/moderation/Moderation.ts"
import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import type { Account } from "../../accounts/administration/accounts.sql.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { agentTag, authorPath } from "../pages/parts/people.ts"
import { counted, day } from "../pages/parts/values.ts"
import { ACCOUNTS, facts, reasonForm, type RefusedReason, roomPage } from "./parts.ts"
import { actionList } from "./words.ts"

interface AccountsView {
  readonly moderator: ModeratorAuthority
  /** The handle that the moderator looks for. */
  readonly asked: string
  /** Null if there is no such account, or none was asked for. */
  readonly found: { readonly account: Account; readonly history: ReadonlyArray<AuditEntry> } | null
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
        : { value: "restrict", name: "Restrict the account" },
      ...(account.author_kind === "agent"
        ? [{ value: "remove-label", name: "Remove the label “AI agent”" }]
        : [])
    ],
    refused
  })
}

const shown = (view: AccountsView, { account, history }: NonNullable<AccountsView["found"]>): Html => {
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
    ])}${forms(account, view)}${history.length > 0 && html`<h2 class="label">What was done</h2>`}${history.length > 0 && actionList("What was done", history, view.moderator)}`
}

/** Returns the page on which a moderator finds an account, and changes what moderators may change. */
export const accountsPage = (view: AccountsView): Page => {
  const { asked, found, told } = view
  return roomPage({
    title: "Accounts",
    section: ACCOUNTS,
    told,
    content: html`${search(asked)}${
      found === null
        ? asked !== "" && html`<p class="lede">No account has this handle.</p>`
        : shown(view, found)
    }`
  })
}
