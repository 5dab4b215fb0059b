import type { AccessVia } from "../../../schemas/payments/access/Access.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { REST } from "../../publishing/content/html/restMark.ts"

const BOUGHT = html`Unlocked. It's yours.`

const given = (giver: string | null) =>
  html`Unlocked. This is a gift to you${giver !== null && html` from <bdi>${giver}</bdi>`}.`

const marked = (said: Html, isTakenAlong: boolean): string =>
  html`<p class="state" id="rest" lang="en" dir="ltr">
    ${said}${isTakenAlong && html` <a href="#take">Keep it</a>`}
  </p>`.toString()

/**
 * Says where the part for buyers begins to a reader who has it: the page leads there after a payment. A gift names its giver,
 * the author of the Post. A reader who may lose the text with this browser is led to what keeps it.
 */
export const withUnlocked = (
  text: string,
  via: AccessVia,
  giver: string | null,
  isTakenAlong: boolean
): string => {
  const mark =
    via === "author" || via === "free" ? "" : marked(via === "gift" ? given(giver) : BOUGHT, isTakenAlong)
  // A function, because a name may have the patterns of replacements.
  return text.replace(REST, () => mark)
}
