import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { type Html, html, type Json, jsonLd } from "../../platform/pages/html.ts"
import { secondsOf } from "../../platform/pages/language.ts"
import type { SiteNames } from "../../platform/pages/Site.ts"
import { CARD_HEIGHT, CARD_WIDTH } from "../../platform/ports/Assets.ts"
import { shortened } from "../../publishing/content/reading/excerpt.ts"
import type { PostView } from "./parts/views.ts"

const HEADLINE_MAX = 110

const property = (name: string, content: string | null | undefined | false): Html | false =>
  typeof content === "string" && content !== "" && html`<meta property="${name}" content="${content}" /> `

/** Returns the language as Open Graph writes it; none without a region. */
const localeOf = (language: string) =>
  /^[a-z]{2,3}-[a-z]{2}$/i.test(language)
    ? language.replace(
        /^(\w+)-(\w+)$/,
        (_, base: string, region: string) => `${base.toLowerCase()}_${region.toUpperCase()}`
      )
    : null

const offerOf = ({ priceXno, url }: PostView): Json =>
  priceXno === null
    ? {}
    : {
        isAccessibleForFree: false,
        hasPart: { "@type": "WebPageElement", isAccessibleForFree: false, cssSelector: ".wall" },
        offers: { "@type": "Offer", price: priceXno, priceCurrency: "XNO", url }
      }

const SOURCES = "http://cv.iptc.org/newscodes/digitalsourcetype"

/** The author's word about how a post was made, in the terms of the IPTC. Research by AI leaves the writing to a person. */
const DIGITAL_SOURCES: Readonly<Record<CreationMethod, string>> = {
  human_written: `${SOURCES}/digitalCreation`,
  ai_assisted_editing: `${SOURCES}/compositeWithTrainedAlgorithmicMedia`,
  ai_assisted_research: `${SOURCES}/digitalCreation`,
  ai_assisted_drafting: `${SOURCES}/compositeWithTrainedAlgorithmicMedia`,
  primarily_ai_generated: `${SOURCES}/trainedAlgorithmicMedia`,
  autonomous_agent: `${SOURCES}/trainedAlgorithmicMedia`
}

/** Returns the title, cut between two characters. */
const headlineOf = ({ title }: PostView) =>
  title.length <= HEADLINE_MAX ? title : [...title].slice(0, HEADLINE_MAX).join("")

const articleOf = (post: PostView, { baseUrl, name }: SiteNames): Json => ({
  "@context": "https://schema.org",
  "@type": "Article",
  headline: headlineOf(post),
  description: shortened(post.description),
  image: post.image ?? undefined,
  datePublished: secondsOf(post.publishedAt),
  dateModified: secondsOf(post.updatedAt),
  inLanguage: post.language,
  digitalSourceType: post.creationMethod === null ? undefined : DIGITAL_SOURCES[post.creationMethod],
  mainEntityOfPage: post.url,
  author: {
    "@type": post.author.authorKind === "agent" ? "Organization" : "Person",
    name: post.author.name,
    url: `${baseUrl}/@${post.author.handle}`
  },
  publisher: { "@type": "Organization", name, url: baseUrl },
  isAccessibleForFree: true,
  ...(offerOf(post) as Record<string, Json>)
})

/** The link by which programs find the terms of a paid Post. */
const termsOf = ({ id, priceXno }: PostView, { baseUrl }: SiteNames): Html | false =>
  priceXno !== null &&
  html`<link
    rel="payment"
    type="application/json"
    title="Terms for programs and AI agents"
    href="${baseUrl}/api/posts/${id}/access"
  /> `

/** Returns the cards, the terms and the linked data of a Post. They say nothing of its paid section. */
export const postCards = (post: PostView, site: SiteNames): Html => {
  const { author, category, language } = post
  const image = post.image ?? post.cardPicture
  const size = post.image === null ? { width: CARD_WIDTH, height: CARD_HEIGHT } : post.imageSize
  const title = post.ogTitle ?? post.title
  return html`${property("og:type", "article")}${property("og:title", title)}${property("og:description", shortened(post.ogDescription ?? post.description))}${property("og:url", post.canonicalUrl ?? post.url)}${property("og:locale", localeOf(language))}${property("og:image", image)}${size !== null && html`${property("og:image:width", String(size.width))}${property("og:image:height", String(size.height))}`}${property("og:image:alt", title)}${property("article:published_time", secondsOf(post.publishedAt))}${property("article:modified_time", secondsOf(post.updatedAt))}${property("article:author", `${site.baseUrl}/@${author.handle}`)}${property("article:section", category?.name)}
    <meta name="twitter:card" content="summary_large_image" />
    ${termsOf(post, site)}${jsonLd(articleOf(post, site))}`
}
