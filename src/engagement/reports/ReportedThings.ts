import { Context, Effect, Layer, Option } from "effect"
import type { AuthorKind, SocialLink } from "../../../schemas/accounts/profile/Profile.ts"
import type { Report } from "../../../schemas/engagement/reports/Report.ts"
import { ReportNotFound } from "../../../schemas/engagement/reports/rpc.ts"
import type { OwnerId, PostId, ReportId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { type ThingRow, reportedThingStatements } from "./reportedThings.sql.ts"
import { type OfAuthorRow, type ReportedAccountRow, reportsAroundStatements } from "./reportsAround.sql.ts"

/** Things of an author that a page lists, and accounts of a list. */
const OF_AUTHOR = 10
const ACCOUNTS = 20

/** The author of a target, as readers see them. */
interface ReportedAuthor {
  readonly id: OwnerId
  readonly handle: string
  readonly name: string
  readonly authorKind: AuthorKind
  /** The stored address of the image, as `OwnMedia` takes it. */
  readonly avatarUrl: string | null
}

/** A post, a comment or a profile that was reported, with all that its readers see. */
export type ReportedThing = {
  readonly author: ReportedAuthor
  /** The time of publication, of a comment or of the account. */
  readonly since: string
} & (
  | { readonly kind: "gone" }
  | {
      readonly kind: "post"
      readonly id: PostId
      readonly title: string
      readonly description: string
      readonly language: string
      readonly slug: string
      readonly free: string | null
      readonly paid: string | null
      /** Null for a post whose second section is not for sale. */
      readonly priceXno: string | null
      /** The stored address of the picture on its card, when the author chose one. */
      readonly picture: string | null
    }
  | {
      readonly kind: "comment"
      /** Null for a deleted comment. */
      readonly content: string | null
      /** The title of the post below which it stands. */
      readonly title: string
    }
  | {
      readonly kind: "account"
      readonly bio: string | null
      readonly location: string | null
      readonly links: ReadonlyArray<SocialLink>
      /** The stored address of the image. */
      readonly headerUrl: string | null
    }
)

/** Targets of reports, as moderators judge them: only a report opens a post, with its paid section. */
export class ReportedThings extends Context.Service<
  ReportedThings,
  {
    readonly of: (authority: StaffAuthority, id: ReportId) => Effect.Effect<ReportedThing, ReportNotFound>
    /** Returns what of an author is reported and not resolved, oldest first, except the target of one report. */
    readonly ofAuthor: (
      authority: StaffAuthority,
      author: OwnerId,
      except?: Report
    ) => Effect.Effect<ReadonlyArray<OfAuthorRow>>
    /** Returns the 20 newest accounts. */
    readonly newestAccounts: (authority: StaffAuthority) => Effect.Effect<ReadonlyArray<ReportedAccountRow>>
    /** Returns the 20 accounts with the most unresolved reports. */
    readonly mostReported: (authority: StaffAuthority) => Effect.Effect<ReadonlyArray<ReportedAccountRow>>
  }
>()("pennypress/engagement/reports/ReportedThings") {
  static readonly layer = Layer.effect(
    ReportedThings,
    Effect.gen(function* () {
      const things = yield* reportedThingStatements
      const around = yield* reportsAroundStatements
      const media = yield* OwnMedia

      return ReportedThings.of({
        of: Effect.fn("ReportedThings.of")(function* (_, id) {
          const row = yield* things.of(id)
          return Option.isSome(row) ? thingOf(row.value, media) : yield* new ReportNotFound({ reportId: id })
        }),
        ofAuthor: Effect.fn("ReportedThings.ofAuthor")((_, author, except) =>
          around.ofAuthor(author, except?.target.id ?? null, OF_AUTHOR)
        ),
        newestAccounts: Effect.fn("ReportedThings.newestAccounts")(() => around.newestAccounts(ACCOUNTS)),
        mostReported: Effect.fn("ReportedThings.mostReported")(() => around.mostReported(ACCOUNTS))
      })
    })
  )
}

const thingOf = (row: ThingRow, media: OwnMedia["Service"]): ReportedThing => {
  const { author_kind, avatar_url, handle, kind, language, name, owner_id, post_id, since, slug } = row
  const common = {
    author: { id: owner_id, handle, name, authorKind: author_kind, avatarUrl: avatar_url },
    since
  }
  if (kind === "account")
    return {
      ...common,
      kind,
      bio: row.bio,
      location: row.location,
      links: row.social_links,
      headerUrl: row.header_image_url
    }
  const { title } = row
  if (post_id === null || title === null || slug === null || language === null)
    return { ...common, kind: "gone" }
  if (kind === "comment") return { ...common, kind, content: row.content, title }
  return {
    ...common,
    kind,
    id: post_id,
    title,
    description: row.description ?? "",
    language,
    slug,
    free: media.textOf(row.free),
    paid: media.textOf(row.paid),
    priceXno: row.price_raw === null ? null : xnoOfRaw(BigInt(row.price_raw)),
    picture: row.picture
  }
}
