import { Context, Effect, Layer, Option, Schema } from "effect"
import { Handle } from "../../../schemas/accounts/profile/Profile.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { Validation } from "../../../schemas/platform/errors/families.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type {
  Categories,
  CategoryCounts,
  HandleAvailability,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary,
  Summaries
} from "../../../schemas/publishing/discovery/Discovery.ts"
import {
  PER_PAGE_DEFAULT,
  type PostSort,
  type SummaryQuery
} from "../../../schemas/publishing/discovery/query.ts"
import { Slug } from "../../../schemas/publishing/posts/PostDraft.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import type { PublicJson } from "../../platform/sql/JsonText.ts"
import { cursorOf } from "./cursor.ts"
import { DiscoveryRepo, type PostPageRow, type ProfilePageRow } from "./DiscoveryRepo.ts"
import { type Paging, SummariesRepo } from "./SummariesRepo.ts"

/** Reads of whole sections at once. Each may hold several megabytes until its answer is made. */
const SECTIONS_AT_ONCE = 8

/** Public reads: they need no credential (spec 4.5). */
export class Discovery extends Context.Service<
  Discovery,
  {
    /** Lists published Posts, by page or from a cursor. Fails for a cursor of another order, and for both at once. */
    readonly posts: (query: SummaryQuery) => Effect.Effect<PublicJson<Summaries>, Validation>
    /** Lists the published Posts of one author. */
    readonly profilePosts: (
      handle: string,
      query: SummaryQuery
    ) => Effect.Effect<PublicJson<Summaries>, NotFound | Validation>
    readonly post: (id: PostId) => Effect.Effect<PublicJson<PublicPost>, NotFound>
    readonly publicContent: (id: PostId) => Effect.Effect<PublicJson<PublicContent>, NotFound>
    readonly profile: (handle: string) => Effect.Effect<PublicJson<PublicProfile>, NotFound>
    readonly profileSummary: (handle: string) => Effect.Effect<PublicJson<PublicProfileSummary>, NotFound>
    readonly categories: Effect.Effect<PublicJson<Categories>, NotFound>
    readonly categoryCounts: Effect.Effect<PublicJson<CategoryCounts>, NotFound>
    /** Returns the public page of a published Post, as Markdown. */
    readonly page: (handle: string, slug: string) => Effect.Effect<string, NotFound>
    /** Returns the public page of an author, as Markdown, with the newest Posts. */
    readonly profilePage: (handle: string) => Effect.Effect<string, NotFound>
    /** Returns the current handle of the owner of a former one; none while another owner has it (spec 4.2.10). */
    readonly currentHandle: (formerHandle: string) => Effect.Effect<Option.Option<string>>
    /** Tells if an account could choose the handle now. Reserved and impossible handles are not available. */
    readonly handleAvailability: (handle: string) => Effect.Effect<HandleAvailability>
  }
>()("pennypress/publishing/discovery/Discovery") {
  static readonly layer = Layer.effect(
    Discovery,
    Effect.gen(function* () {
      const repo = yield* DiscoveryRepo
      const summaries = yield* SummariesRepo
      const baseUrl = yield* PublicBaseUrl
      const sections = fewAtOnce(SECTIONS_AT_ONCE)

      const posts = Effect.fnUntraced(function* (query: SummaryQuery) {
        const { cursor: _cursor, page: _page, per_page: _limit, sort = "newest", ...filter } = query
        return yield* summaries.list(filter, sort, yield* pagingOf(query, sort))
      })

      return Discovery.of({
        posts,
        profilePosts: Effect.fnUntraced(function* (handle, query) {
          if (!isHandle(handle) || !(yield* repo.isHandleTaken(handle))) return yield* new NotFound()
          return yield* posts({ ...query, handle })
        }),
        post: (id) => Effect.flatMap(sections(repo.post(id)), found),
        publicContent: (id) => Effect.flatMap(sections(repo.publicContent(id)), found),
        profile: (handle) =>
          Effect.flatMap(isHandle(handle) ? repo.profile(handle) : Effect.succeedNone, found),
        profileSummary: (handle) =>
          Effect.flatMap(isHandle(handle) ? repo.profileSummary(handle) : Effect.succeedNone, found),
        categories: Effect.flatMap(repo.categories, found),
        categoryCounts: Effect.flatMap(repo.categoryCounts, found),
        page: Effect.fnUntraced(function* (handle, slug) {
          const page =
            isHandle(handle) && isSlug(slug) ? yield* sections(repo.page(handle, slug)) : Option.none()
          return pageOf(yield* found(page))
        }),
        profilePage: Effect.fnUntraced(function* (handle) {
          const page = isHandle(handle) ? yield* repo.profilePage(handle) : Option.none()
          return profilePageOf(yield* found(page), baseUrl)
        }),
        currentHandle: (formerHandle) =>
          isHandle(formerHandle) ? repo.currentHandle(formerHandle) : Effect.succeedNone,
        handleAvailability: Effect.fnUntraced(function* (handle) {
          const wanted = decodeHandle(handle)
          return { available: Option.isSome(wanted) && !(yield* repo.isHandleTaken(wanted.value)) }
        })
      })
    })
  )
}

const decodeHandle = Schema.decodeUnknownOption(Handle)

/** True for the form of chosen and generated handles. */
const isHandle = (text: string) => /^[A-Za-z0-9_]{1,30}$/.test(text)

const isSlug = Schema.is(Slug)

const pageOf = (page: PostPageRow) =>
  [
    `# ${page.title}`,
    `*by ${page.name}*`,
    page.description,
    page.text ?? "",
    page.price_raw === null ? "" : `*The rest costs ${xnoOfRaw(BigInt(page.price_raw))} XNO.*`
  ]
    .filter((part) => part !== "")
    .join("\n\n")

const profilePageOf = ({ bio, handle, location, name, posts }: ProfilePageRow, baseUrl: string) =>
  [
    `# ${name}`,
    `*@${handle}${location === null ? "" : `, ${location}`}*`,
    bio ?? "",
    posts.map(({ slug, title }) => `- [${title}](${baseUrl}/@${handle}/${slug})`).join("\n")
  ]
    .filter((part) => part !== "")
    .join("\n\n")

const found = <A>(answer: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Effect.mapError(Effect.fromOption(answer), () => new NotFound())

const invalid = (field: string, code: string, message: string) =>
  new Validation({ data: { code: "validation", errors: [{ field, code, message }] } })

const pagingOf = Effect.fnUntraced(function* (
  { cursor, page, per_page: limit = PER_PAGE_DEFAULT }: Pick<SummaryQuery, "cursor" | "page" | "per_page">,
  sort: PostSort
): Effect.fn.Return<Paging, Validation> {
  if (cursor === undefined) return { page: page ?? 1, limit }
  if (page !== undefined) return yield* invalid("cursor", "invalid", "Send either page or cursor")
  if (cursor === "") return { after: undefined, limit }
  const after = cursorOf(cursor, sort)
  if (Option.isNone(after))
    return yield* invalid(
      "cursor",
      "invalid",
      "Send the nextCursor of this list in this order, or an empty cursor to begin"
    )
  return { after: after.value, limit }
})
