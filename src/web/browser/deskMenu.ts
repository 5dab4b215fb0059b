import { type Html, html } from "../../platform/pages/html.ts"
import { ACCOUNT, DESK, MODERATION, PURCHASES, READERS, RECEIVED_COMMENTS } from "./paths.ts"

const AUTHOR = [
  { path: `${DESK}/posts`, name: "Posts" },
  { path: `${DESK}/sales`, name: "Sales" },
  { path: RECEIVED_COMMENTS, name: "Comments" },
  { path: READERS, name: "Readers" },
  { path: `${DESK}/profile`, name: "Profile" }
] as const

const READER = [
  { path: PURCHASES, name: "Library" },
  { path: `${DESK}/following`, name: "Following" },
  { path: `${DESK}/notifications`, name: "Notifications" },
  { path: ACCOUNT, name: "Account" }
] as const

interface Room {
  readonly path: string
  readonly name: string
}

const room = ({ name, path }: Room, current: string): Html =>
  html`<li>
    ${path === current ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}
  </li>`

const rooms = (label: string, all: ReadonlyArray<Room>, current: string): Html => {
  const id = `rooms-${label.toLowerCase()}`
  return html`<div>
    <span class="label" id="${id}">${label}</span>
    <ul aria-labelledby="${id}">
      ${all.map((it) => room(it, current))}
    </ul>
  </div>`
}

/**
 * Returns the links between the pages of the desk, those of an author and those of a reader apart. `current` is the path of
 * the page that shows them. Only moderators see that there is a room for them.
 */
export const deskMenu = (
  current: typeof DESK | (typeof AUTHOR | typeof READER)[number]["path"],
  isModerator: boolean
): Html =>
  html`<nav class="bar rooms" aria-label="Desk">
    <ul>
      ${room({ path: DESK, name: "Desk" }, current)}${isModerator && room({ path: MODERATION, name: "Moderate" }, current)}
    </ul>
    ${rooms("Author", AUTHOR, current)}${rooms("Reader", READER, current)}
  </nav>`
