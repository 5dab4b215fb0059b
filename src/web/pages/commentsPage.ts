import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { pager } from "./parts/pager.ts"
import { person } from "./parts/people.ts"
import { thread } from "./parts/thread.ts"
import { counted } from "./parts/values.ts"
import type { DiscussionPageView } from "./parts/views.ts"

/** Returns a page of the discussion of a Post, or one of its threads. */
export const commentsPage = (view: DiscussionPageView): Page => {
  const { author, count, isPart, language, next, postId, threads, title, url } = view
  const address = `${url}/comments`
  return {
    title: `Comments on ${title}`,
    of: author.name,
    canonical: address,
    isIndexed: false,
    main: html`<header>
        <p class="kicker"><a href="${url}">Back to the post</a></p>
        <h1>Comments</h1>
        <p class="lede">
          on <a href="${url}" hreflang="${language}" lang="${language}" dir="auto">${title}</a>
        </p>
        <p class="meta note">${person(author)}<span>${counted(count, "comment")}</span></p>
      </header>
      <section class="comments" aria-labelledby="said">
        <h2 class="sr" id="said">Threads</h2>
        ${
          threads.length === 0
            ? html`<p class="note">No comments yet.</p>`
            : thread(threads, { address, language: "en", postId })
        }${pager(next, isPart ? address : null)}
      </section>`
  }
}
