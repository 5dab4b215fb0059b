import type { ScriptName } from "../ports/Assets.ts"
import { type Html, html } from "./html.ts"
import { directionOf } from "./language.ts"
import type { SitePicture, SiteView } from "./Site.ts"

/** Another form of a page: its text as Markdown, or a feed. */
interface Alternate {
  readonly type: "text/markdown" | "application/atom+xml" | "application/rss+xml" | "application/feed+json"
  readonly url: string
  readonly title?: string
}

/** A page without its surroundings. */
export interface Page {
  /** Names the page in the title of its window, and in bookmarks. */
  readonly title: string
  /** Stands after the title: the name of the site, unless the page belongs to an author. */
  readonly of?: string
  /** The language of its content; English unless it names another. */
  readonly language?: string
  readonly description?: string
  readonly author?: string
  readonly canonical?: string
  readonly alternates?: ReadonlyArray<Alternate>
  /** Cards and linked data. */
  readonly cards?: Html | undefined
  /** False for a page that search engines leave out. */
  readonly isIndexed?: boolean
  /** The path of the entry in the navigation to which the page belongs. */
  readonly section?: string
  /** Scripts that this page loads after the one of every page. Only private pages have them. */
  readonly scripts?: ReadonlyArray<ScriptName>
  /** True for a page without the navigation of the site around it. */
  readonly isBare?: boolean
  readonly main: Html
}

const NAVIGATION = [
  { path: "/search", name: "Search" },
  { path: "/categories", name: "Categories" },
  { path: "/write", name: "Write" },
  { path: "/desk", name: "Account" }
] as const

const mark = html`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
  <circle cx="16" cy="16" r="14" fill="none" stroke="currentColor" stroke-width="2.5" />
  <path
    d="M12.5 24V9h4.6a4.4 4.4 0 0 1 0 8.8h-4.6"
    fill="none"
    stroke="currentColor"
    stroke-width="2.8"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`

/** Height of the operator's picture in the header, in pixels. */
const LOGO_HEIGHT = 28

/** The picture stands beside the name, so it needs no words of its own. */
const picture = ({ path }: SitePicture) => html`<img src="${path}" alt="" height="${LOGO_HEIGHT}" />`

const header = ({ logo, name, notice }: SiteView, { isBare = false, section }: Page) => {
  const beside = logo === undefined ? mark : picture(logo)
  const said = notice !== undefined && html`<p class="notice" dir="auto">${notice}</p>`
  if (isBare) return said && html`<header class="top" lang="en" dir="ltr">${said}</header>`
  return html`<header class="top" lang="en" dir="ltr">
    ${said}
    <nav class="bar" aria-label="Site">
      <a class="brand" href="/">${beside}<span dir="auto">${name}</span></a>
      <ul>
        ${NAVIGATION.map(({ name, path }) => html`<li>${path === section ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`}</li>`)}
      </ul>
    </nav>
  </header>`
}

const footer = ({ claim, pages }: SiteView) =>
  html`<footer class="end" id="end" lang="en" dir="ltr">
    <nav class="bar" aria-label="About">
      <p dir="auto">${claim}</p>
      <ul>
        <li><a href="/about">About</a></li>
        <li><a href="/leaderboards">Leaderboards</a></li>
        <li><a href="/feeds">Feeds</a></li>
        <li><a href="/docs">API</a></li>
        <li><a href="/llms.txt">For agents</a></li>
        ${pages.map(({ path, title }) => html`<li><a href="${path}" dir="auto">${title}</a></li>`)}
      </ul>
    </nav>
  </footer>`

const TYPES = {
  "text/markdown": "Markdown",
  "application/atom+xml": "Atom",
  "application/rss+xml": "RSS",
  "application/feed+json": "JSON Feed"
} as const

const alternate = ({ title, type, url }: Alternate) =>
  html`<link rel="alternate" type="${type}" title="${title ?? TYPES[type]}" href="${url}" />`

/** The path of the icon that phones put on their home screen. */
export const TOUCH_ICON = "/apple-touch-icon.png"

/** Returns the document of a page: its head, the navigation around its content, and the files that it loads. */
export const documentOf = (site: SiteView, page: Page): string => {
  const { language = "en" } = page
  const icon = site.logo ?? { type: site.icon.contentType, path: site.icon.path }
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <title>${page.title} · ${page.of ?? site.name}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#fffdf8" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#161412" media="(prefers-color-scheme: dark)" />
        <link rel="icon" type="${icon.type}" href="${icon.path}" />
        <link rel="apple-touch-icon" href="${TOUCH_ICON}" />
        <link rel="stylesheet" href="${site.stylesheet.path}" />
        ${["reader" as const, ...(page.scripts ?? [])].map((name) => html`<script type="module" src="${site.scripts[name].path}"></script>`)}
        ${page.isIndexed === false && html`<meta name="robots" content="noindex" /> `}${
          page.description && html`<meta name="description" content="${page.description}" /> `
        }${page.author && html`<meta name="author" content="${page.author}" /> `}${
          page.canonical && html`<link rel="canonical" href="${page.canonical}" /> `
        }${(page.alternates ?? []).map((it) => html`${alternate(it)} `)}${
          page.cards !== undefined &&
          html`<meta property="og:site_name" content="${site.name}" />${page.cards}`
        }
      </head>
      <body>
        <a class="skip" href="#main" lang="en">Skip to content</a>
        ${header(site, page)}
        <main id="main" tabindex="-1">${page.main}</main>
        ${page.isBare !== true && footer(site)}
      </body>
    </html> `.toString()
}
