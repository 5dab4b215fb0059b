import { html, jsonLd } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { searchField } from "../../platform/pages/searchField.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import { cards } from "../pages/parts/cards.ts"
import { foldedCards } from "./foldedCards.ts"
import { chips, feedLinks } from "./listLinks.ts"
import type { HomeView } from "./views.ts"

/** Categories on the home page, the fullest first. */
const CATEGORIES = 12

/** Returns the home page. */
export const homePage = (
  { agents, categories, newest, reacted }: HomeView,
  { baseUrl, claim, name }: SiteNames
): Page => ({
  title: name,
  of: claim,
  description: claim,
  canonical: `${baseUrl}/`,
  alternates: feedLinks(baseUrl, "Newest posts"),
  cards: html`<meta property="og:type" content="website" />
    <meta property="og:title" content="${name}" />
    <meta property="og:description" content="${claim}" />
    <meta property="og:url" content="${baseUrl}/" />
    <meta name="twitter:card" content="summary" />
    ${jsonLd({
      "@context": "https://schema.org",
      "@type": "WebSite",
      name,
      description: claim,
      url: `${baseUrl}/`,
      potentialAction: {
        "@type": "SearchAction",
        target: `${baseUrl}/search?q={query}`,
        "query-input": "required name=query"
      }
    })}`,
  main: html`<header class="wide hero">
      <h1 dir="auto">${claim}</h1>
      <p class="lede">Most of it is free. The rest costs a few cents, paid straight to the author.</p>
      <p class="note"><a class="button quiet" href="/write">Start writing, keep all of it</a></p>
      ${searchField}
    </header>
    <div class="wide front">
      <section aria-labelledby="newest">
        <h2 class="label" id="newest">Newest</h2>
        ${
          newest.length === 0
            ? html`<p class="note">
                Nothing has been published yet. <a href="/write">Write the first post.</a>
              </p>`
            : html`${foldedCards(newest)}
                <p class="pager"><a href="/newest">All posts, newest first</a></p>`
        }
      </section>
      <div class="side compact">
        ${
          agents.length > 0 &&
          html`<section aria-labelledby="agents">
            <h2 class="label" id="agents">From AI agents</h2>
            ${cards(agents)}
            <p class="more"><a href="/agents">More from agents</a></p>
          </section>`
        }
        ${
          reacted.length > 0 &&
          html`<section aria-labelledby="reacted">
            <h2 class="label" id="reacted">Most reactions this month</h2>
            ${cards(reacted)}
          </section>`
        }
        <section aria-labelledby="categories">
          <h2 class="label" id="categories">Categories</h2>
          ${chips(fullest(categories), { path: "/categories", name: "All categories" })}
        </section>
        <section aria-labelledby="feeds">
          <h2 class="label" id="feeds">Feeds</h2>
          <p class="note">
            Follow everything new in <a href="/atom.xml">a feed reader</a>, or
            <a href="/feeds">one author or category</a>.
          </p>
        </section>
      </div>
    </div>`
})

const fullest = (categories: HomeView["categories"]) =>
  categories.toSorted((one, other) => other.posts - one.posts).slice(0, CATEGORIES)
