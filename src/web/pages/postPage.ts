import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { field, hidden } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import { cards } from "./parts/cards.ts"
import { contents } from "./parts/contents.ts"
import { CREATION_WORDS } from "./parts/creation.ts"
import { followForm } from "./parts/followForm.ts"
import { paywall } from "./parts/paywall.ts"
import { authorPath, face, person } from "./parts/people.ts"
import { reactForm } from "./parts/reactions.ts"
import { thread } from "./parts/thread.ts"
import { counted, day, price, readingTime } from "./parts/values.ts"
import type { PostView } from "./parts/views.ts"
import { postCards } from "./postHead.ts"

/** The author's word about how a Post was made. The service does not check it. */
const declaration = (method: CreationMethod, details: string | null): Html =>
  html`<p class="note" lang="en">
    <bdi dir="ltr"
      >${CREATION_WORDS[method]}${details !== null && details !== "" && html` <span dir="auto">${details}</span>`}</bdi
    >
  </p>`

/** Time after the publication from which a page mentions a change: a day. */
const UPDATED_AFTER_MILLIS = 86_400_000

const isUpdated = ({ publishedAt, updatedAt }: PostView) =>
  Date.parse(updatedAt) - Date.parse(publishedAt) >= UPDATED_AFTER_MILLIS

const byline = (post: PostView): Html => {
  const { author, language, minutes, priceXno, publishedAt, updatedAt } = post
  return html`<div class="byline" lang="en">
    ${face(author)}
    <div>
      <p class="p-author h-card">
        ${person(author)}<a class="u-url" href="${authorPath(author.handle)}" hidden>@${author.handle}</a>
      </p>
      <p class="meta">
        ${readingTime(minutes, language)}${priceXno !== null && price(priceXno)}${day(publishedAt, language, "dt-published")}${isUpdated(post) && html`<span>updated ${day(updatedAt, language, "dt-updated")}</span>`}
      </p>
    </div>
  </div>`
}

/** A form without a key: the page is the same for every reader. */
const commentForm = ({ id }: PostView): Html =>
  html`<form class="fields" method="post" action="/respond/${id}">
    ${field({
      name: "comment",
      label: "Your comment",
      hint: "Everyone can read it. Up to 2000 characters.",
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
    })}<button class="button quiet" type="submit">Comment</button>
  </form>`

/** The comments, newest first. Their count follows a comment with a short delay, and is never less than those shown. */
const discussion = (post: PostView): Html | false => {
  const {
    discussion: { count, isOpen, next, threads },
    id,
    language,
    related,
    url
  } = post
  const heading = threads.length === 0 ? "Comments" : counted(Math.max(count, threads.length), "comment")
  return (
    isOpen &&
    html`<section class="comments" lang="en" dir="ltr" aria-labelledby="comments">
      <h2 class="label" id="comments">${heading}</h2>
      ${commentForm(post)}${
        threads.length > 0 &&
        html`<a class="skip" href="#${related.length > 0 ? "more" : "end"}">Skip comments</a>
          ${thread(threads, { address: `${url}/comments`, language, postId: id })}`
      }${next !== null && html`<p class="more"><a href="${next}">All comments</a></p>`}
    </section>`
  )
}

/** The amounts that the author suggests: one press leads to the payment. */
const tips = ({ author, id, tipAmounts }: PostView): Html | false =>
  tipAmounts.length > 0 &&
  html`<form class="counts" method="post" action="/pay" aria-label="Tip" lang="en" dir="ltr">
    ${hidden("postId", id)}${[...new Set(tipAmounts)].map(
      (amount) =>
        html`<button class="button quiet" type="submit" name="amountXno" value="${amount}">
          Tip ${amount} XNO
        </button>`
    )}<a class="button quiet" href="/tip?post=${id}">Other<span class="sr"> tip for ${author.name}</span></a>
  </form>`

const aboutAuthor = ({ author, id }: PostView): Html =>
  html`<section class="about-author" lang="en" dir="ltr" aria-labelledby="by">
    ${face(author)}
    <div>
      <h2 id="by">${person(author)}</h2>
      ${author.bio !== null && html`<p dir="auto">${author.bio}</p>`}
      <p><a href="${authorPath(author.handle)}">All posts</a></p>
      ${followForm({ ...author, postId: id })}
    </div>
  </section>`

/** Returns what stands above the comments of a Post. `paid` follows the wall on the preview of its author. */
export const postArticle = (post: PostView, paid: Html | false = false): Html => {
  const { category, description, text, title, url } = post
  return html`<article class="post h-entry">
    <header>
      ${category !== null && html`<p class="kicker" lang="en"><a class="p-category" href="/c/${category.slug}">${category.name}</a></p>`}
      <h1 class="p-name" dir="auto">${title}</h1>
      ${description !== "" && html`<p class="lede p-summary" dir="auto">${description}</p>`}${byline(post)}
    </header>
    ${contents(post.headings)}
    <div class="prose e-content" dir="auto">${text}</div>
    ${paywall(post)}${paid}${aboutAuthor(post)}
    <footer>
      ${tips(post)}${reactForm({ postId: post.id, commentId: null, counts: post.reactions, pressed: undefined })}
      <p class="more" lang="en">
        <button class="button quiet" type="button" data-copy="${url}" data-share hidden>Copy link</button>
        <a href="/report?post=${post.id}" rel="nofollow">Report</a>
      </p>
      ${post.creationMethod !== null && declaration(post.creationMethod, post.creationDetails)}
      <p class="note printed" dir="ltr">${url}</p>
    </footer>
  </article>`
}

/** Returns the page of a Post: the whole text of a free one, the teaser and the price of a paid one. */
export const postPage = (post: PostView, site: SiteNames): Page => {
  const { author, description, language, related, title, url } = post
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
      { type: "application/atom+xml", url: feed, title: `Posts by ${author.name}` }
    ],
    cards: postCards(post, site),
    isIndexed: post.isIndexed,
    main: html`${postArticle(post)}
      <p id="live" class="sr" role="status"></p>
      ${discussion(post)}${
        related.length > 0 &&
        html`<section class="related" lang="en" dir="ltr" aria-labelledby="more">
          <h2 class="label" id="more">Read next</h2>
          ${cards(related, { language })}
        </section>`
      }`
  }
}
