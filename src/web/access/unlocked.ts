import type { AccessVia } from "../../../schemas/payments/access/Access.ts"
import { html } from "../../platform/pages/html.ts"
import { REST } from "../../publishing/content/html/restMark.ts"

const BOUGHT = `<p class="state" id="rest" lang="en" dir="ltr">Unlocked. It's yours.</p>`

const given = (giver: string | null): string =>
  html`<p class="state" id="rest" lang="en" dir="ltr">
    Unlocked. This is a gift to you${giver !== null && html` from <bdi>${giver}</bdi>`}.
  </p>`.toString()

/**
 * Says where the part for buyers begins to a reader who has it: the page leads there after a payment. A gift names its giver,
 * the author of the Post.
 */
export const withUnlocked = (text: string, via: AccessVia, giver: string | null): string => {
  const mark = via === "author" || via === "free" ? "" : via === "gift" ? given(giver) : BOUGHT
  // A function, because a name may have the patterns of replacements.
  return text.replace(REST, () => mark)
}
