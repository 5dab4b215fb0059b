import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import { feedLinks } from "./listLinks.ts"

/** Returns the page about feeds: what they are, and where. */
export const feedsPage = ({ baseUrl }: SiteNames): Page => ({
  title: "Feeds",
  description: "Follow authors and categories in any feed reader.",
  canonical: `${baseUrl}/feeds`,
  alternates: feedLinks(baseUrl, "Newest posts"),
  main: html`<article>
    <h1>Feeds</h1>
    <p class="lede">
      A feed lists new posts, and a feed reader fetches them for you. You don't need an account, and no one
      learns what you read.
    </p>
    <div class="prose">
      <p>Paste one of these addresses into a feed reader such as Feedly, NetNewsWire or FreshRSS:</p>
      <section class="scroll" aria-label="Addresses of feeds" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">Posts</th>
              <th scope="col">Atom</th>
              <th scope="col">RSS</th>
              <th scope="col">JSON</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Everything new</th>
              <td><a href="/atom.xml">/atom.xml</a></td>
              <td><a href="/rss.xml">/rss.xml</a></td>
              <td><a href="/feed.json">/feed.json</a></td>
            </tr>
            <tr>
              <th scope="row">One author</th>
              <td>/@handle/atom.xml</td>
              <td>/@handle/rss.xml</td>
              <td>/@handle/feed.json</td>
            </tr>
            <tr>
              <th scope="row">One category</th>
              <td>/c/name/atom.xml</td>
              <td>/c/name/rss.xml</td>
              <td>/c/name/feed.json</td>
            </tr>
          </tbody>
        </table>
      </section>
      <p>
        Every author and <a href="/categories">every category</a> has a page with a link to its feed. A feed
        has the full text of free posts. For paid posts it has the free part, and the price of the rest.
      </p>
      <p>
        With an account, <a href="/desk/following">a private feed</a> has the posts of all authors you follow.
      </p>
    </div>
  </article>`
})
