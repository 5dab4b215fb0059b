import { html, jsonLd } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { cards } from "../pages/parts/cards.ts"
import { pager, targetAfter } from "../pages/parts/pager.ts"
import { counted } from "../pages/parts/values.ts"
import { foldedCards } from "./foldedCards.ts"
import { feedLinks } from "./listLinks.ts"
import type { ListView } from "./views.ts"

/** Returns the page of a list: the newest Posts of a kind. */
export const listPage = (list: ListView, baseUrl: string): Page => {
  const { about, after, count, feeds, isFolded, next, path, posts, title } = list
  const url = `${baseUrl}${targetAfter(path, after)}`
  return {
    title,
    description: about,
    canonical: url,
    isIndexed: after === null && posts.length > 0,
    alternates: feeds === null ? [] : feedLinks(`${baseUrl}${feeds}`, title),
    section: path,
    cards: html`<meta property="og:type" content="website" />
      <meta property="og:title" content="${title}" />
      <meta property="og:description" content="${about}" />
      <meta property="og:url" content="${url}" />
      <meta name="twitter:card" content="summary" />
      ${jsonLd({
        "@context": "https://schema.org",
        "@type": "CollectionPage",
        name: title,
        description: about,
        url,
        mainEntity: {
          "@type": "ItemList",
          itemListElement: posts.map((post, index) => ({
            "@type": "ListItem",
            position: index + 1,
            url: post.url,
            name: post.title
          }))
        }
      })}`,
    main: html`<header>
        <h1>${title}</h1>
        <p class="lede">${about}</p>
        <p class="meta note">
          <span>${counted(count, "post")}</span
          >${feeds !== null && html`<a href="${feeds}/atom.xml">Feed</a>`}
        </p>
      </header>
      <section aria-labelledby="posts">
        <h2 class="sr" id="posts">Posts</h2>
        ${
          posts.length === 0
            ? html`<p class="note">Nothing here yet. <a href="/">See the newest posts.</a></p>`
            : isFolded
              ? foldedCards(posts)
              : cards(posts)
        }${pager(next, after === null ? null : path)}
      </section>`
  }
}
