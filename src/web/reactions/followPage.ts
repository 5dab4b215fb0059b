import type { Follow } from "../../../schemas/engagement/follows/Follow.ts"
import { outcome } from "../../platform/pages/fields.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { followingPath } from "../following/followingPage.ts"
import { type MailObstacle, mailNote } from "../following/mailNote.ts"
import { followForm, followingForms, isMailed } from "../pages/parts/followForm.ts"
import { authorPath } from "../pages/parts/people.ts"

interface FollowPageView {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly follow: Follow | null
  /** Null if nothing keeps the reader from mails, and without a follow. */
  readonly obstacle: MailObstacle | null
}

/** Returns the path of the page on which a reader follows an author. */
export const followPath = (handle: string): string => `/follow?handle=${encodeURIComponent(handle)}`

/** Returns the page that says whether a reader follows an author, with the choices of a follow. */
export const followPage = ({ follow, handle, id, name, obstacle }: FollowPageView): Page => {
  const place = { id, name, handle }
  return formPage({
    title: `Follow ${name}`,
    kicker: "Follow",
    heading: html`<bdi>${name}</bdi>`,
    content: html`${
        follow === null
          ? html`${outcome("You're not following this author.")}${followForm(place)}`
          : html`${outcome(html`<strong>Following &#x2713;</strong> New posts appear on <a href="${followingPath}">your desk</a>.`)}${followingForms({ ...place, isMailed: isMailed(follow) })}${mailNote(obstacle)}`
      }
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${authorPath(handle)}">All posts by this author</a></p>`
  })
}
