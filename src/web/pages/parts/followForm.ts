import type { Follow } from "../../../../schemas/engagement/follows/Follow.ts"
import { hidden } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import { english, type PageWords } from "../words/wordsIn.ts"

/** Names the page of a reader to which a form about a follow returns: that of a Post, of an author, or the desk. */
interface FollowPlace {
  readonly id: string
  readonly name: string
  readonly handle: string
  /** The Post to whose forms the reader returns. */
  readonly postId?: string
  readonly isOnDesk?: true
}

/** A follow of the reader. */
interface FollowingView extends FollowPlace {
  readonly isMailed: boolean
}

const returning = ({ handle, isOnDesk, postId }: FollowPlace): Html => {
  if (isOnDesk === true) return hidden("desk", "1")
  return postId === undefined ? hidden("handle", handle) : hidden("post", postId)
}

/**
 * The button that follows an author on a page that is the same for every reader. The script sends it in place, and shows
 * what else there is to choose.
 */
export const followForm = (place: FollowPlace, words: PageWords = english): Html =>
  html`<form class="note" method="post" action="/follow/${place.id}" data-in-place>
    ${returning(place)}<button
      class="button quiet"
      type="submit"
      name="following"
      value="true"
      data-state="true"
    >
      <span data-when="off">${words.follow(html`<bdi>${place.name}</bdi>`)}</span
      ><span data-when="on" hidden>${words.following} &#x2713;</span>
    </button>
    <a data-when="on" href="/follow?handle=${place.handle}" hidden>${words.emailMe}</a>
  </form>`

/** The button that ends a follow. */
const unfollowForm = (place: FollowPlace): Html =>
  html`<form method="post" action="/follow/${place.id}">
    ${returning(place)}<button class="button quiet" type="submit" name="following" value="none">
      Unfollow<span class="sr"> <bdi>${place.name}</bdi></span>
    </button>
  </form>`

/** The button that asks for a mail about each new Post, or ends these mails. The script sends it in place. */
const mailForm = ({ isMailed, ...place }: FollowingView): Html =>
  html`<form method="post" action="/follow/${place.id}/mail" data-in-place>
    ${returning(place)}<button
      class="button quiet"
      type="submit"
      name="mail"
      value="${isMailed ? "none" : "true"}"
      data-state="true"
      aria-pressed="${isMailed ? "true" : "false"}"
    >
      Email me new posts<span class="sr"> by <bdi>${place.name}</bdi></span>
    </button>
  </form>`

/** Tells if a follow asks for a mail about each new Post. */
export const isMailed = ({ notify_channel_email, notify_new_posts }: Follow): boolean =>
  notify_new_posts && notify_channel_email

/** The choices of a reader who follows an author. */
export const followingForms = (follow: FollowingView): Html =>
  html`<div class="${follow.isOnDesk === true ? "meta" : "act"}">
    ${mailForm(follow)}${unfollowForm(follow)}
  </div>`
