import { outcome } from "../../platform/pages/fields.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { followForm } from "../pages/parts/followForm.ts"
import { authorPath } from "../pages/parts/people.ts"

interface FollowPageView {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly isFollowing: boolean
}

/** Returns the path of the page on which a reader follows an author. */
export const followPath = (handle: string): string => `/follow?handle=${encodeURIComponent(handle)}`

/** Returns the page that says whether a reader follows an author. */
export const followPage = ({ handle, id, isFollowing, name }: FollowPageView): Page =>
  formPage({
    title: `Follow ${name}`,
    kicker: "Follow",
    heading: html`<bdi>${name}</bdi>`,
    content: html`${outcome(isFollowing ? "You're following this author, and will hear about new posts." : "You're not following this author.")}${followForm({ id, name, handle, isFollowing })}
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${authorPath(handle)}">All posts by this author</a></p>`
  })
