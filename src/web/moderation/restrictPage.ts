import { COUNTED_MAX } from "../../engagement/moderation/restrictions.sql.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { counted } from "../pages/parts/values.ts"
import { reasonForm, type RefusedReason, roomPage } from "./parts.ts"

interface RestrictView {
  readonly handle: string
  /** The entry of the menu to which the page belongs. */
  readonly section: "/moderate" | "/moderate/accounts"
  readonly reach: { readonly posts: number; readonly comments: number }
  /** The path that restricts the account, with its fields, and that of the page before. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly back: string
  /** The reasons that are written so far. */
  readonly refused: RefusedReason | null
}

const some = (count: number, noun: string) =>
  count > COUNTED_MAX ? `more than ${counted(COUNTED_MAX, noun)}` : counted(count, noun)

/** Says how much disappears, such as "36 posts and 12 comments disappear". */
const lossOf = ({ comments, posts }: RestrictView["reach"]): string => {
  const parts = [
    ...(posts > 0 ? [some(posts, "post")] : []),
    ...(comments > 0 ? [some(comments, "comment")] : [])
  ]
  if (parts.length === 0) return "Readers see nothing of this account now."
  const text = `${parts.join(" and ")} ${posts + comments === 1 ? "disappears" : "disappear"}.`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Returns the page that asks once more before an account is restricted, and says what that takes from readers. */
export const restrictPage = ({ action, back, fields, handle, reach, refused, section }: RestrictView): Page =>
  roomPage({
    title: `Restrict @${handle}?`,
    section,
    told: null,
    content: html`<p class="lede">${lossOf(reach)}</p>
      <p>
        <bdi>@${handle}</bdi> can then only sign in and read. Posts and comments return when the restriction
        ends.
      </p>
      ${reasonForm({
        action,
        id: "reason",
        fields,
        buttons: [{ value: "restrict", name: `Restrict @${handle}` }],
        refused
      })}
      <p class="note"><a href="${back}">Back, without a restriction</a></p>`
  })
