import { hidden } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"

/** An author whom readers follow. */
interface FollowView {
  readonly id: string
  readonly name: string
  readonly handle: string
  /** The Post to whose forms the reader returns; absent on the page of the author. */
  readonly postId?: string
  /** Undefined where the page is the same for every reader. */
  readonly isFollowing?: boolean | undefined
}

/** The button that follows an author, and ends it. The script sends it in place. */
export const followForm = ({ handle, id, isFollowing, name, postId }: FollowView): Html => {
  const label = html`Follow <bdi>${name}</bdi>`
  return html`<form class="note" method="post" action="/follow/${id}" data-in-place>
    ${postId === undefined ? hidden("handle", handle) : hidden("post", postId)}${
      isFollowing === undefined
        ? html`<button class="button quiet" type="submit" name="following" value="true" data-state="true">
            ${label}
          </button>`
        : html`<button
            class="button quiet"
            type="submit"
            name="following"
            value="${isFollowing ? "none" : "true"}"
            data-state="true"
            aria-pressed="${isFollowing ? "true" : "false"}"
          >
            ${label}
          </button>`
    }
  </form>`
}
