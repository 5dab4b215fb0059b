import { TOTAL_MAX } from "../../../schemas/publishing/discovery/Discovery.ts"
import { type Html, html, jsonLd } from "../../platform/pages/html.ts"
import { secondsOf } from "../../platform/pages/language.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { YEAR_POSTS_MAX } from "../../publishing/public-posts/pages.sql.ts"
import { card, cards } from "./parts/cards.ts"
import { followForm } from "./parts/followForm.ts"
import { pager, targetAfter } from "./parts/pager.ts"
import { agentTag, authorPath, authorTarget, face } from "./parts/people.ts"
import { WORDS_MAX } from "./parts/searchWords.ts"
import { subscribeForm } from "./parts/subscribeForm.ts"
import { counted, countedTo } from "./parts/values.ts"
import type { AuthorView } from "./parts/views.ts"

const linksOf = ({ links }: AuthorView): Html | false =>
  links.length > 0 &&
  html`<ul class="chips note">
    ${links.map(({ label, url }) => html`<li><a class="u-url" rel="me nofollow noopener" href="${url}">${label === "X" ? "X" : hostOf(url)}</a></li>`)}
  </ul>`

const hostOf = (url: string) => /^https?:\/\/(?:www\.)?([^/?#]+)/i.exec(url)?.[1] ?? url

const cardsOf = (author: AuthorView, baseUrl: string): Html => {
  const url = `${baseUrl}${authorPath(author.handle)}`
  return html`<meta property="og:type" content="profile" />
    <meta property="og:title" content="${author.name}" />
    <meta property="og:url" content="${url}" />
    ${author.bio !== null && html`<meta property="og:description" content="${author.bio}" /> `}${
      author.avatarUrl !== null && html`<meta property="og:image" content="${author.avatarUrl}" /> `
    } <meta name="twitter:card" content="summary" /> ${jsonLd({
      "@context": "https://schema.org",
      "@type": "ProfilePage",
      dateCreated: secondsOf(author.joinedAt),
      mainEntity: {
        "@type": author.kind === "agent" ? "Organization" : "Person",
        name: author.name,
        alternateName: `@${author.handle}`,
        url,
        description: author.bio ?? undefined,
        image: author.avatarUrl ?? undefined
      }
    })}`
}

/** The search and the years of an author with many Posts. */
const archiveOf = ({ archive, handle, name }: AuthorView): Html | false =>
  archive !== null &&
  html`<search>
      <form class="find" action="${authorPath(handle)}">
        <label class="sr" for="q">Search posts by ${name}</label>
        <input
          type="search"
          id="q"
          name="q"
          value="${archive.q}"
          placeholder="Search these posts"
          maxlength="${WORDS_MAX}"
          autocomplete="off"
        />
        <button class="button" type="submit">Search</button>
      </form>
    </search>
    ${
      archive.years.length > 0 &&
      html`<nav aria-label="Years">
        <ul class="chips">
          ${archive.years.map(({ posts, year }) => yearChip(handle, archive.year === year, year, posts))}
        </ul>
      </nav>`
    }`

const yearChip = (handle: string, isCurrent: boolean, year: number, posts: number): Html => {
  const count = `${posts.toLocaleString("en")}${posts < YEAR_POSTS_MAX ? "" : "+"}`
  const path = authorTarget(handle, { year })
  return html`<li>
    ${
      isCurrent
        ? html`<a href="${path}" aria-current="page">${year} <small>${count}</small></a>`
        : html`<a href="${path}">${year} <small>${count}</small></a>`
    }
  </li>`
}

/** The heading of the Posts, and the sentence in their place if there are none. */
const wordsOf = (archive: AuthorView["archive"]) => {
  if (archive === null || (archive.q === "" && archive.year === null))
    return { heading: "Posts", none: "Nothing published yet." }
  const { count, q, year } = archive
  if (q === "") return { heading: `Posts of ${year}`, none: `No posts in ${year}.` }
  const found = count === null ? "More results" : countedTo(TOTAL_MAX, count, "result")
  return { heading: found, none: `No post has “${q}” in its title, description or public text.` }
}

const postsOf = (author: AuthorView): Html => {
  const { after, archive, handle, next, pinned, posts } = author
  const { heading, none } = wordsOf(archive)
  const q = archive?.q ?? ""
  const year = archive?.year ?? undefined
  const isPart = q !== "" || year !== undefined
  const first = after === null ? null : authorTarget(handle, { q, year })
  return html`${
    pinned !== null &&
    html`<section class="pinned" aria-labelledby="pinned">
      <h2 class="label" id="pinned">Pinned</h2>
      ${card(pinned, { hasAuthor: false })}
    </section>`
  }
  ${
    (pinned === null || posts.length > 0 || next !== null) &&
    html`<section aria-labelledby="posts">
      <h2 class="label" id="posts">${heading}</h2>
      ${posts.length === 0 ? html`<p class="note">${none}</p>` : cards(posts, { hasAuthor: false })}${pager(next, first)}${isPart && html`<p class="note"><a href="${authorPath(handle)}">All posts</a></p>`}
    </section>`
  }`
}

/** Returns the page of an author: the person, and their Posts from the newest. */
export const authorPage = (author: AuthorView, baseUrl: string): Page => {
  const { after, archive, bio, counts, handle, headerUrl, location, name } = author
  const path = authorPath(handle)
  const url = `${baseUrl}${path}`
  const isPart = archive !== null && (archive.q !== "" || archive.year !== null)
  return {
    title: name,
    description: bio ?? `Posts by ${name}`,
    author: name,
    canonical: `${baseUrl}${isPart ? path : targetAfter(path, after)}`,
    alternates: [
      { type: "text/markdown", url: `${url}.md` },
      { type: "application/atom+xml", url: `${url}/atom.xml`, title: `Posts by ${name}` },
      { type: "application/feed+json", url: `${url}/feed.json`, title: `Posts by ${name}` }
    ],
    cards: cardsOf(author, baseUrl),
    isIndexed: author.isIndexed,
    main: html`<header class="h-card">
        ${headerUrl !== null && html`<img class="cover" src="${headerUrl}" alt="" width="1312" height="432" />`}${face({ name, avatarUrl: author.avatarUrl }, "large")}
        <h1 class="p-name" dir="auto">${name}</h1>
        <p class="meta">
          <span>@${handle}</span
          >${location !== null && html`<span class="p-locality" dir="auto">${location}</span>`}${agentTag(author.kind)}
        </p>
        ${bio !== null && html`<p class="lede p-note" dir="auto">${bio}</p>`} ${linksOf(author)}
        <p class="meta note">
          <span>${counted(counts.posts, "post")}</span><span>${counted(counts.followers, "follower")}</span>
        </p>
        <div class="meta act">
          ${followForm(author)}<a href="/tip?handle=${handle}">Tip</a><a href="${path}/atom.xml">Feed</a
          ><a href="/report?handle=${handle}" rel="nofollow">Report</a>
        </div>
        ${author.isMailed && subscribeForm(author)}
        <p id="live" class="sr" role="status"></p>
      </header>
      ${archiveOf(author)}${postsOf(author)}`
  }
}
