import { Context, Effect, Layer, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSummary, PublicProfileSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"
import { Slug } from "../../../schemas/publishing/posts/PostDraft.ts"
import { hasComments } from "../../engagement/comments/slices.sql.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { priceWorths } from "../../platform/nano/aboutMoney.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, now } from "../../platform/time/now.ts"
import { withLabels } from "../../publishing/content/html/labels.ts"
import { cursorBefore } from "../../publishing/discovery/cursor.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { isHandle } from "../../publishing/discovery/publicProfile.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import { PostTexts } from "../../publishing/posts/texts/PostTexts.ts"
import { pageStatements, type PostPageRow } from "../../publishing/public-posts/pages.sql.ts"
import { makeCardName } from "../cards/cardNames.ts"
import { Discussions } from "./Discussions.ts"
import { targetAfter } from "./parts/pager.ts"
import { authorTarget } from "./parts/people.ts"
import type { AuthorView, CardView, DiscussionPageView, PostView } from "./parts/views.ts"
import { makePictures } from "./pictures.ts"
import { cardOf, postViewOf } from "./viewOf.ts"
import { wordsIn } from "./words/wordsIn.ts"

const isSlug = Schema.is(Slug)

/**
 * Choices of related Posts that run at the same time. A crawler of all Posts so leaves the other connections to readers.
 * Those who wait take turns by author.
 */
const CHOICES_AT_ONCE = 2

/** The threads behind a cursor, or one thread. */
export interface DiscussionPart {
  readonly after: string | undefined
  readonly thread: string | undefined
}

/** A part of the Posts of an author: those with words, or of a year; all without either. */
export interface AuthorPart {
  readonly after: string | undefined
  readonly q: string
  readonly year: number | undefined
}

/** Posts of an author above which the page has a search and years. */
const MANY_POSTS = 40

const NO_DISCUSSION = { threads: [], next: null, owners: [] }

/** A Post that was deleted between two statements. */
const NO_ROW = { bytes: 0, picture_url: null, picture_is_scaled: null }

const commentsOf = ({ author_handle, slug }: PostPageRow) => `/@${author_handle}/${slug}/comments`

const wordsOf = ({ author_handle: handle, author_name: name, og_title, title }: PostPageRow) => ({
  title: og_title ?? title,
  name,
  handle
})

const nextOf = (path: string, cursor: string | null) => (cursor === null ? null : targetAfter(path, cursor))

/** A page, and what it shows. */
export interface Shown<View> {
  readonly view: View
  readonly posts: ReadonlyArray<PostId>
  readonly owners: ReadonlyArray<OwnerId>
}

/** Collects what the pages of readers show. */
export class Pages extends Context.Service<
  Pages,
  {
    readonly post: (handle: string, slug: string) => Effect.Effect<Shown<PostView>, NotFound>
    /** Returns an author and a page of their Posts. A cursor that the service did not make names no page. */
    readonly author: (handle: string, part: AuthorPart) => Effect.Effect<Shown<AuthorView>, NotFound>
    /** Returns a part of the discussion of a Post. */
    readonly comments: (
      handle: string,
      slug: string,
      part: DiscussionPart
    ) => Effect.Effect<Shown<DiscussionPageView>, NotFound>
    /** Returns the cards of Posts, in their order. */
    readonly cards: (posts: ReadonlyArray<PostSummary>) => Effect.Effect<ReadonlyArray<CardView>>
  }
>()("pennypress/web/pages/Pages") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.gen(function* () {
      const statements = yield* pageStatements(hasComments)
      const texts = yield* PostTexts
      const { pictured } = yield* makePictures
      const discovery = yield* Discovery
      const discussions = yield* Discussions
      const transactions = yield* Transactions
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const { hasSubscriptions: isMailed, holdsNewAccounts: holdsNew } = yield* Settings
      const worths = yield* priceWorths
      const cardName = yield* makeCardName
      const choosing = fewAtOnce(CHOICES_AT_ONCE)

      const postAt = Effect.fnUntraced(function* (handle: string, slug: string) {
        const isPossible = isHandle(handle) && isSlug(slug)
        const row = isPossible ? yield* statements.post(handle, slug, yield* now) : Option.none()
        return yield* Effect.mapError(Effect.fromOption(row), () => new NotFound())
      })

      /** Chooses related Posts. A transaction has a connection to itself: no read waits behind the choice. */
      const relatedTo = ({ author_id, id }: PostPageRow) =>
        choosing(author_id)(Effect.map(transactions.run(discovery.related(id, {})), ({ data }) => data))

      const cards = Effect.fnUntraced(function* (posts: ReadonlyArray<PostSummary>) {
        const rows = yield* statements.cards(posts.map(({ id }) => id))
        return posts.map((post) => cardOf(post, rows.get(post.id) ?? NO_ROW, media))
      })

      const post = Effect.fnUntraced(function* (
        handle: string,
        slug: string
      ): Effect.fn.Return<Shown<PostView>, NotFound> {
        const row = yield* postAt(handle, slug)
        const text = yield* Effect.mapError(
          Effect.flatMap(texts.publicText(row), Effect.fromOption),
          () => new NotFound()
        )
        const related = yield* relatedTo(row)
        const { next, owners, threads } = row.has_comments
          ? yield* discussions.threads(row.id, undefined)
          : NO_DISCUSSION
        const discussion = {
          isOpen: row.comments_enabled,
          count: row.comment_count,
          threads,
          next: nextOf(commentsOf(row), next)
        }
        return {
          view: postViewOf(
            row,
            { baseUrl, media },
            {
              worthOf: yield* worths,
              cardPicture: `${baseUrl}${cardName(row.id, wordsOf(row)).path}`,
              holdsNew,
              isMailed,
              // The smaller copies of an image come after the text that shows it.
              text: {
                ...text,
                html: yield* pictured(row.id, trusted(withLabels(text.html, wordsIn(row.language))))
              },
              discussion,
              related: yield* cards(related)
            }
          ),
          posts: [row.id, ...related.map(({ id }) => id)],
          owners: [row.author_id, ...related.map(({ author }) => author.id), ...owners]
        }
      })

      /** Tells if search engines leave the page of an author out: only of a young account without followers it is asked. */
      const isHeld = Effect.fnUntraced(function* ({ counts, created_at, id }: PublicProfileSummary) {
        const at = yield* now
        const isYoung = Date.parse(created_at) > at.getTime() - DAY_MILLIS
        return holdsNew && isYoung && counts.followers === 0 && (yield* statements.isUnknown(id, at))
      })

      /** Reads a part of the Posts of an author. The beginning of a search also has their number. */
      const partOf = Effect.fnUntraced(function* (handle: string, { after, q, year }: AuthorPart) {
        const from = (query: SummaryQuery) =>
          Effect.map(
            Effect.mapError(discovery.posts({ handle, ...query }), () => new NotFound()),
            (list) => ({
              data: list.data,
              next: "pagination" in list ? list.pagination.nextCursor : null,
              count: null
            })
          )
        if (q !== "") {
          if (after !== undefined) return yield* from({ q, sort: "relevance", cursor: after })
          const { data, nextCursor, total } = yield* discovery.firstPage({ handle, q, sort: "relevance" })
          return { data, next: nextCursor, count: total }
        }
        if (year === undefined) return yield* from({ cursor: after ?? "" })
        const list = yield* from({ cursor: after ?? cursorBefore(Date.UTC(year + 1, 0)) })
        const data = list.data.filter(({ publishedAt }) => publishedAt.startsWith(`${year}-`))
        return { ...list, data, next: data.length < list.data.length ? null : list.next }
      })

      const author = Effect.fnUntraced(function* (handle: string, part: AuthorPart) {
        const { after, q, year } = part
        const isAll = q === "" && year === undefined
        const profile = yield* discovery.profileSummary(handle)
        const { count, data, next } = yield* partOf(handle, part)
        const pinnedId = isAll && after === undefined ? profile.pinned_post_id : null
        const pinned = pinnedId === null ? Option.none() : yield* Effect.option(discovery.post(pinnedId))
        // The pinned Post stands above the list of the first page, and nowhere else.
        const listed = isAll ? data.filter(({ id }) => id !== profile.pinned_post_id) : data
        const all = [...Option.toArray(pinned), ...listed]
        const shown = yield* cards(all)
        const hasMany = profile.counts.posts > MANY_POSTS
        const years = hasMany ? yield* statements.years(profile.id) : []
        const view: AuthorView = {
          id: profile.id,
          name: profile.name,
          handle: profile.handle,
          kind: profile.author_kind,
          bio: profile.bio,
          location: profile.location,
          avatarUrl: profile.avatar_url,
          headerUrl: profile.header_image_url,
          links: profile.social_links,
          counts: profile.counts,
          joinedAt: profile.created_at,
          isIndexed: isAll && after === undefined && profile.counts.posts > 0 && !(yield* isHeld(profile)),
          isMailed,
          pinned: Option.isSome(pinned) ? (shown[0] ?? null) : null,
          posts: Option.isSome(pinned) ? shown.slice(1) : shown,
          archive: isAll && !hasMany ? null : { q, count, year: year ?? null, years },
          after: after ?? null,
          next: next === null ? null : authorTarget(profile.handle, { q, year, after: next })
        }
        return { view, posts: all.map(({ id }) => id), owners: [profile.id] }
      })

      const comments = Effect.fnUntraced(function* (
        handle: string,
        slug: string,
        { after, thread }: DiscussionPart
      ): Effect.fn.Return<Shown<DiscussionPageView>, NotFound> {
        const row = yield* postAt(handle, slug)
        const { next, owners, threads } =
          thread === undefined
            ? yield* discussions.threads(row.id, after)
            : yield* discussions.thread(row.id, thread)
        const { author, language, title, url } = summaryOf(row, baseUrl, media)
        const isPart = after !== undefined || thread !== undefined
        const view: DiscussionPageView = {
          postId: row.id,
          title,
          url,
          language,
          author,
          isPart,
          count: row.comment_count,
          threads,
          next: nextOf(commentsOf(row), next)
        }
        return { view, posts: [row.id], owners: [author.id, ...owners] }
      })

      return Pages.of({ post, author, comments, cards })
    })
  )
}
