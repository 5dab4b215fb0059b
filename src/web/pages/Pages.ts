import { Context, Effect, Layer, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSummary, PublicProfileSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
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
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { isHandle } from "../../publishing/discovery/publicProfile.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import { PostTexts } from "../../publishing/posts/texts/PostTexts.ts"
import { pageStatements, type PostPageRow } from "../../publishing/public-posts/pages.sql.ts"
import { makeCardName } from "../cards/cardNames.ts"
import { Discussions } from "./Discussions.ts"
import { targetAfter } from "./parts/pager.ts"
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
    readonly author: (handle: string, after: string | undefined) => Effect.Effect<Shown<AuthorView>, NotFound>
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
      const { holdsNewAccounts: holdsNew } = yield* Settings
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

      const author = Effect.fnUntraced(function* (handle: string, after: string | undefined) {
        const profile = yield* discovery.profileSummary(handle)
        const list = yield* Effect.mapError(
          discovery.posts({ handle, cursor: after ?? "" }),
          () => new NotFound()
        )
        const pinnedId = after === undefined ? profile.pinned_post_id : null
        const pinned = pinnedId === null ? Option.none() : yield* Effect.option(discovery.post(pinnedId))
        // The pinned Post stands above the list of the first page, and nowhere else.
        const listed = list.data.filter(({ id }) => id !== profile.pinned_post_id)
        const all = [...Option.toArray(pinned), ...listed]
        const shown = yield* cards(all)
        const next = "pagination" in list ? list.pagination.nextCursor : null
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
          isIndexed: after === undefined && profile.counts.posts > 0 && !(yield* isHeld(profile)),
          pinned: Option.isSome(pinned) ? (shown[0] ?? null) : null,
          posts: Option.isSome(pinned) ? shown.slice(1) : shown,
          after: after ?? null,
          next: next === null ? null : targetAfter(`/@${profile.handle}`, next)
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
