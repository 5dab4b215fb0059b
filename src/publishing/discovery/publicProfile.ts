import type { AuthorKind, SocialLink } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { PublicProfile, PublicProfileSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** True for the form of chosen and generated handles. */
export const isHandle = (text: string) => /^[A-Za-z0-9_]{1,30}$/.test(text)

/** The row of a public Profile, as `profileColumns` selects it. */
export interface ProfileRow {
  readonly id: OwnerId
  readonly name: string
  readonly handle: string
  readonly bio: string | null
  readonly location: string | null
  readonly social_links: ReadonlyArray<SocialLink>
  readonly avatar_url: string | null
  readonly header_image_url: string | null
  readonly author_kind: AuthorKind
  readonly tip_button_label: string
  readonly tip_amounts: readonly [number, number, number]
  readonly pinned_post_id: PostId | null
  readonly created_at: Timestamp
  readonly published_post_count: number
  readonly follower_count: number
  readonly following_count: number
}

/** Columns of a public Profile, for `owners o`. */
export const profileColumns = `
  o.id, o.name, o.handle, o.bio, o.location, o.social_links, o.avatar_url, o.header_image_url, o.author_kind,
  o.tip_button_label, to_json(o.tip_amounts) as tip_amounts, o.pinned_post_id, wire_time(o.created_at) as created_at,
  o.published_post_count, o.follower_count, o.following_count`

export const publicProfileOf = (row: ProfileRow, { urlOf }: OwnMedia["Service"]): PublicProfile => ({
  id: row.id,
  name: row.name,
  handle: row.handle,
  bio: row.bio,
  location: row.location,
  social_links: row.social_links,
  avatar_url: urlOf(row.avatar_url),
  header_image_url: urlOf(row.header_image_url),
  author_kind: row.author_kind,
  tipping: { button_label: row.tip_button_label, amounts: row.tip_amounts },
  pinned_post_id: row.pinned_post_id,
  created_at: row.created_at
})

export const publicProfileSummaryOf = (
  row: ProfileRow,
  media: OwnMedia["Service"]
): PublicProfileSummary => ({
  ...publicProfileOf(row, media),
  counts: {
    posts: row.published_post_count,
    followers: row.follower_count,
    following: row.following_count
  }
})
