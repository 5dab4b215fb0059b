import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { field, hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import { cards } from "./parts/cards.ts"
import { contents } from "./parts/contents.ts"
import { followForm } from "./parts/followForm.ts"
import { paywall } from "./parts/paywall.ts"
import { authorPath, face, person } from "./parts/people.ts"
import { reactForm } from "./parts/reactions.ts"
import { subscribeForm } from "./parts/subscribeForm.ts"
import { thread } from "./parts/thread.ts"
import { day, price, readingTime, xnoIn } from "./parts/values.ts"
import type { PostView } from "./parts/views.ts"
import { postCards } from "./postHead.ts"
import { type PageWords, wordsIn } from "./words/wordsIn.ts"

/** The author's word about how a Post was made. The service does not check it. */
const declaration = (method: CreationMethod, details: string | null, words: PageWords): Html =>
  html`<p class="note">
    <bdi dir="${words.direction}"
      >${words.creation[method]}${details !== null && details !== "" && html` <span dir="auto">${details}</span>`}</bdi
    >
  </p>`

/** Time after the publication from which a page mentions a change: a day. */
const UPDATED_AFTER_MILLIS = 86_400_000

const isUpdated = ({ publishedAt, updatedAt }: PostView) =>
  Date.parse(updatedAt) - Date.parse(publishedAt) >= UPDATED_AFTER_MILLIS

const byline = (post: PostView, words: PageWords): Html => {
  const { author, language, minutes, priceXno, publishedAt, updatedAt } = post
  return html`<div class="byline" lang="${words.language}">
    ${face(author)}
    <div>
      <p class="p-author h-card">
        ${person(author, words)}<a class="u-url" href="${authorPath(author.handle)}" hidden
          >@${author.handle}</a
        >
      </p>
      <p class="meta">
        ${readingTime(minutes, language)}${priceXno !== null && price(priceXno)}${day(publishedAt, language, "dt-published")}${isUpdated(post) && html`<span>${words.updated(day(updatedAt, language, "dt-updated"))}</span>`}
      </p>
    </div>
  </div>`
}

/** A form without a key: the page is the same for every reader. */
const commentForm = ({ id }: PostView, words: PageWords): Html =>
  html`<form class="fields" method="post" action="/respond/${id}">
    ${field({
      name: "comment",
      label: words.yourComment,
      hint: words.commentHint,
      control: ({ by }) =>
        html`<textarea
          id="comment"
          name="text"
          rows="3"
          required
          maxlength="2000"
          dir="auto"
          aria-describedby="${by}"
        ></textarea>`
    })}<button class="button quiet" type="submit">${words.comment}</button>
  </form>`

/** The comments, newest first. Their count follows a comment with a short delay, and is never less than those shown. */
const discussion = (post: PostView, words: PageWords): Html | false => {
  const {
    discussion: { count, isOpen, next, threads },
    id,
    language,
    related,
    url
  } = post
  const heading = threads.length === 0 ? words.comments : words.commentCount(Math.max(count, threads.length))
  return (
    isOpen &&
    html`<section
      class="comments"
      lang="${words.language}"
      dir="${words.direction}"
      aria-labelledby="comments"
    >
      <h2 class="label" id="comments">${heading}</h2>
      ${commentForm(post, words)}${
        threads.length > 0 &&
        html`<a class="skip" href="#${related.length > 0 ? "more" : "end"}">${words.skipComments}</a>
          ${thread(threads, { address: `${url}/comments`, language, postId: id, words })}`
      }${next !== null && html`<p class="more"><a href="${next}">${words.allComments}</a></p>`}
    </section>`
  )
}

/** The amounts that the author suggests: one press leads to the payment. */
const tips = ({ author, id, tipAmounts }: PostView, words: PageWords): Html | false =>
  tipAmounts.length > 0 &&
  html`<form class="counts" method="post" action="/pay" aria-label="${words.tip}">
    ${hidden("postId", id)}${[...new Set(tipAmounts)].map(
      (amount) =>
        html`<button class="button quiet" type="submit" name="amountXno" value="${amount}">
          ${words.tipOf(xnoIn(words, amount))}
        </button>`
    )}<a class="button quiet" href="/tip?post=${id}"
      >${words.otherTip}<span class="sr"> ${words.otherTipFor(author.name)}</span></a
    >
  </form>`

const aboutAuthor = ({ author, id, isMailed }: PostView, words: PageWords): Html =>
  html`<section class="about-author" lang="${words.language}" dir="${words.direction}" aria-labelledby="by">
    ${face(author)}
    <div>
      <h2 id="by">${person(author, words)}</h2>
      ${author.bio !== null && html`<p dir="auto">${author.bio}</p>`}
      <p><a href="${authorPath(author.handle)}">${words.allPosts}</a></p>
      ${followForm({ ...author, postId: id }, words)}${isMailed && subscribeForm(author, words)}
    </div>
  </section>`

/** Returns what stands above the comments of a Post. `paid` follows the wall on the preview of its author. */
export const postArticle = (post: PostView, paid: Html | false = false): Html => {
  const { category, description, language, text, title, url } = post
  const words = wordsIn(language)
  return html`<article class="post h-entry">
    <header>
      ${category !== null && html`<p class="kicker" lang="en"><a class="p-category" href="/c/${category.slug}">${category.name}</a></p>`}
      <h1 class="p-name" dir="auto">${title}</h1>
      ${description !== "" && html`<p class="lede p-summary" dir="auto">${description}</p>`}${byline(post, words)}
    </header>
    ${contents(post.headings, words)}
    <div class="prose e-content" dir="auto">${text}</div>
    ${paywall(post, words)}${paid}${aboutAuthor(post, words)}
    <footer lang="${words.language}" dir="${words.direction}">
      ${tips(post, words)}${reactForm({ postId: post.id, commentId: null, counts: post.reactions, pressed: undefined, words })}
      <p class="more">
        <button
          class="button quiet"
          type="button"
          data-copy="${url}"
          data-share="${words.share}"
          data-copied="${words.copied}"
          data-not-copied="${words.notCopied}"
          hidden
        >
          ${words.copyLink}
        </button>
        <a href="/report?post=${post.id}" rel="nofollow">${words.report}</a>
      </p>
      ${post.creationMethod !== null && declaration(post.creationMethod, post.creationDetails, words)}
      <p class="note printed" dir="ltr">${url}</p>
    </footer>
  </article>`
}

/**
 * Returns the page of a Post: the whole text of a free one, the teaser and the price of a paid one. The words around the text
 * are in its language.
 */
export const postPage = (post: PostView, site: SiteNames): Page => {
  const { author, description, language, related, title, url } = post
  const words = wordsIn(language)
  const feed = `${site.baseUrl}${authorPath(author.handle)}/atom.xml`
  return {
    title,
    of: author.name,
    language,
    description,
    author: author.name,
    canonical: post.canonicalUrl ?? url,
    alternates: [
      { type: "text/markdown", url: `${url}.md` },
      { type: "application/atom+xml", url: feed, title: words.postsBy(author.name) }
    ],
    cards: postCards(post, site),
    isIndexed: post.isIndexed,
    main: html`${postArticle(post)}
      <p
        id="live"
        class="sr"
        role="status"
        lang="${words.language}"
        data-saved="${words.saved}"
        data-not-saved="${words.notSaved}"
      ></p>
      ${discussion(post, words)}${
        related.length > 0 &&
        html`<section
          class="related"
          lang="${words.language}"
          dir="${words.direction}"
          aria-labelledby="more"
        >
          <h2 class="label" id="more">${words.readNext}</h2>
          ${cards(related, { language })}
        </section>`
      }`
  }
}
