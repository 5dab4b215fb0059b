import { Context, Effect, Layer } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { FollowingFeedId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import { OwnFollows } from "../../engagement/follows/OwnFollows.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { html } from "../../platform/pages/html.ts"
import { FeedHub } from "../../platform/ports/FeedHub.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { feedHtml } from "../../publishing/content/html/absoluteHtml.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import { PostTexts } from "../../publishing/posts/texts/PostTexts.ts"
import { feedStatements } from "../../publishing/public-posts/feeds.sql.ts"
import { makePictures } from "../pages/pictures.ts"
import { atomOf } from "./atom.ts"
import { type FeedEntry, type FeedView, urnOf } from "./feedView.ts"
import { jsonFeedOf } from "./jsonFeed.ts"
import { rssOf } from "./rss.ts"
import { documentOf } from "./xml.ts"

const SITE_ENTRIES = 20
const AUTHOR_ENTRIES = 30
/** Maximum number of characters of a text in a feed. A longer text is read on its page. */
const TEXT_MAX = 100_000
/** Maximum number of characters of all texts of a feed. */
const TEXTS_MAX = 900_000
/** Maximum number of bytes of the HTML of a page whose text may be in a feed. Colours of code take several times its own. */
const HTML_BYTES_MAX = 1_000_000

/** A feed of the whole site, of an author or of a category. */
export type FeedSource =
  | { readonly kind: "site" }
  | { readonly kind: "author"; readonly handle: string }
  | { readonly kind: "category"; readonly slug: string }

export type FeedFormat = "atom" | "rss" | "json"

/** A feed in its format, and what it shows. */
export interface WrittenFeed {
  readonly text: string
  /** The address of the feed without its name, and the hub that delivers its changes. A private feed has neither. */
  readonly start: string | null
  readonly hub: string | undefined
  readonly posts: ReadonlyArray<PostId>
  readonly owners: ReadonlyArray<OwnerId>
}

interface Collected {
  readonly head: Pick<FeedView, "about" | "id" | "start" | "title" | "url">
  readonly posts: ReadonlyArray<PostSummary>
  readonly owners: ReadonlyArray<OwnerId>
}

/** Feeds of new Posts, with their public texts and never a word of a paid section. */
export class Feeds extends Context.Service<
  Feeds,
  {
    readonly written: (source: FeedSource, format: FeedFormat) => Effect.Effect<WrittenFeed, NotFound>
    /** Writes the private feed of an owner as Atom: the Posts of the creators whom they follow. */
    readonly followed: (owner: OwnerId, id: FollowingFeedId) => Effect.Effect<WrittenFeed>
  }
>()("pennypress/web/feeds/Feeds") {
  static readonly layer = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const statements = yield* feedStatements
      const texts = yield* PostTexts
      const { sized } = yield* makePictures
      const discovery = yield* Discovery
      const follows = yield* OwnFollows
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const { url: hub } = yield* FeedHub
      const { holdsNewAccounts, siteClaim, siteName } = yield* Settings

      const sitePosts = Effect.gen(function* () {
        const newSince = holdsNewAccounts ? later(yield* now, -DAY_MILLIS) : null
        const rows = yield* statements.newest(SITE_ENTRIES, newSince)
        return rows.map((row) => summaryOf(row, baseUrl, media))
      })

      const collect = Effect.fnUntraced(function* (
        source: FeedSource
      ): Effect.fn.Return<Collected, NotFound> {
        if (source.kind === "site") {
          const head = {
            id: `${baseUrl}/atom.xml`,
            title: siteName,
            about: siteClaim,
            url: `${baseUrl}/`,
            start: baseUrl
          }
          return { head, posts: yield* sitePosts, owners: [] }
        }
        if (source.kind === "author") {
          const { bio, handle, id, name } = yield* discovery.profile(source.handle)
          const list = yield* Effect.orDie(discovery.posts({ handle, page: 1, per_page: AUTHOR_ENTRIES }))
          const url = `${baseUrl}/@${handle}`
          const head = { id: urnOf(id), title: name, about: bio ?? "", url, start: url }
          return { head, posts: list.data, owners: [id] }
        }
        const { data } = yield* discovery.categories
        const category = data.find(({ slug }) => slug === source.slug)
        if (category === undefined) return yield* new NotFound()
        const query = { categoryId: category.id, page: 1, per_page: SITE_ENTRIES }
        const list = yield* Effect.orDie(discovery.posts(query))
        const url = `${baseUrl}/c/${category.slug}`
        const about = `Posts about ${category.name} on ${siteName}`
        return {
          head: { id: `${url}/atom.xml`, title: `${category.name} · ${siteName}`, about, url, start: url },
          posts: list.data,
          owners: []
        }
      })

      const categoryNames = Effect.map(
        discovery.categories,
        ({ data }) => new Map(data.map(({ id, name }) => [id, name]))
      )

      const entriesOf = Effect.fnUntraced(function* (posts: ReadonlyArray<PostSummary>) {
        const names = yield* categoryNames
        const pages = yield* texts.publicTexts(
          posts.map(({ id }) => id),
          HTML_BYTES_MAX
        )
        const read = yield* sized(
          new Map(
            posts.flatMap(({ id, url }) => {
              const page = pages.get(id)
              return page === undefined ? [] : [[id, feedHtml(page.html, url)] as const]
            })
          )
        )
        let room = TEXTS_MAX
        return posts.map((post): FeedEntry => {
          const text = read.get(post.id)
          const isWhole = text !== undefined && text.length <= Math.min(TEXT_MAX, room)
          if (isWhole) room -= text.length
          const priceXno = post.priceRaw === null ? null : xnoOfRaw(BigInt(post.priceRaw))
          return {
            id: post.id,
            url: post.url,
            title: post.title,
            summary: post.description,
            html: isWhole ? `${text}${endOf(post.url, priceXno)}` : null,
            language: post.language,
            publishedAt: post.publishedAt,
            updatedAt: post.updatedAt,
            author: {
              name: post.author.name,
              url: `${baseUrl}/@${post.author.handle}`,
              kind: post.author.authorKind
            },
            categories: [post.primaryCategoryId, post.secondaryCategoryId].flatMap((id) =>
              id === null ? [] : (names.get(id) ?? [])
            ),
            image: post.ogImageEffective,
            priceRaw: post.priceRaw,
            priceXno,
            accessUrl: priceXno === null ? null : `${baseUrl}/api/posts/${post.id}/access`,
            creationMethod: post.creationMethod
          }
        })
      })

      const write = Effect.fnUntraced(function* ({ head, owners, posts }: Collected, format: FeedFormat) {
        const entries = yield* entriesOf(posts)
        const updatedAt =
          entries
            .map((it) => it.updatedAt)
            .toSorted()
            .at(-1) ?? null
        const view: FeedView = { ...head, hub: head.start === null ? undefined : hub, updatedAt, entries }
        const text =
          format === "json"
            ? JSON.stringify(jsonFeedOf(view))
            : yield* documentOf(format === "atom" ? atomOf(view, yield* now) : rssOf(view))
        return {
          text,
          start: head.start,
          hub: view.hub,
          posts: posts.map(({ id }) => id),
          owners: [...owners, ...posts.map(({ author }) => author.id)]
        }
      })

      return Feeds.of({
        written: Effect.fn("Feeds.written")(function* (source, format) {
          return yield* write(yield* collect(source), format)
        }),

        followed: Effect.fn("Feeds.followed")(function* (owner, id) {
          const { data } = yield* Effect.orDie(follows.posts(owner, { limit: AUTHOR_ENTRIES }))
          const head = {
            id: urnOf(id),
            title: `Following · ${siteName}`,
            about: "New posts from the authors you follow.",
            url: `${baseUrl}/desk/following`,
            start: null
          }
          return yield* write({ head, posts: data, owners: [] }, "atom")
        })
      })
    })
  )
}

/** The end of a text in a feed: the link to the rest of a paid one. */
const endOf = (url: string, priceXno: string | null): string =>
  priceXno === null ? "" : html`<p><a href="${url}">Keep reading for ${priceXno} XNO</a></p>`.toString()
