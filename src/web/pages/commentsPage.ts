import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { pager } from "./parts/pager.ts"
import { person } from "./parts/people.ts"
import { thread } from "./parts/thread.ts"
import type { DiscussionPageView } from "./parts/views.ts"
import { wordsIn } from "./words/wordsIn.ts"

/** Returns a page of the discussion of a Post, or one of its threads. It is in the language of the words around the Post. */
export const commentsPage = (view: DiscussionPageView): Page => {
  const { author, count, isPart, language, next, postId, threads, title, url } = view
  const words = wordsIn(language)
  const address = `${url}/comments`
  const link = html`<a href="${url}" hreflang="${language}" lang="${language}" dir="auto">${title}</a>`
  return {
    title: words.commentsOn(title),
    of: author.name,
    language: words.language,
    canonical: address,
    isIndexed: false,
    main: html`<header>
        <p class="kicker"><a href="${url}">${words.backToPost}</a></p>
        <h1>${words.comments}</h1>
        <p class="lede">${words.onPost(link)}</p>
        <p class="meta note">${person(author, words)}<span>${words.commentCount(count)}</span></p>
      </header>
      <section class="comments" aria-labelledby="said">
        <h2 class="sr" id="said">${words.threads}</h2>
        ${
          threads.length === 0
            ? html`<p class="note">${words.noComments}</p>`
            : thread(threads, { address, language: words.language, postId, words })
        }${pager(next, isPart ? address : null, words)}
      </section>`
  }
}
