import { type Html, html } from "../../platform/pages/html.ts"
import { DESK, MODERATION } from "./paths.ts"

const ENTRIES = [
  { path: DESK, name: "Desk" },
  { path: `${DESK}/posts`, name: "Posts" },
  { path: `${DESK}/sales`, name: "Sales" },
  { path: `${DESK}/comments`, name: "Comments" },
  { path: `${DESK}/notifications`, name: "Notifications" },
  { path: `${DESK}/purchases`, name: "Purchases" },
  { path: `${DESK}/following`, name: "Following" },
  { path: `${DESK}/profile`, name: "Profile" },
  { path: `${DESK}/account`, name: "Account" }
] as const

/**
 * Returns the links between the pages of the desk. `current` is the path of the page that shows them. Only moderators see
 * that there is a room for them.
 */
export const deskMenu = (current: (typeof ENTRIES)[number]["path"], isModerator: boolean): Html =>
  html`<nav class="bar rooms" aria-label="Desk">
    <ul>
      ${ENTRIES.map(({ name, path }) => html`<li>${path === current ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}</li>`)}${isModerator && html`<li><a href="${MODERATION}">Moderate</a></li>`}
    </ul>
  </nav>`
