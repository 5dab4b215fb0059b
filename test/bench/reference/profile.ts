/** A row of the statement that reads an own Profile. */
export interface OwnProfile {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly bio: string | null
  readonly location: string | null
  readonly social_links: ReadonlyArray<unknown>
  readonly pinned_post_id: string | null
  readonly avatar_url: string | null
  readonly header_image_url: string | null
  readonly author_kind: string
  readonly tip_button_label: string
  readonly tip_amounts: ReadonlyArray<number>
}

/** The Profile as its owner reads it. */
export const profileJson = (row: OwnProfile): string =>
  JSON.stringify({
    id: row.id,
    name: row.name,
    handle: row.handle,
    bio: row.bio,
    location: row.location,
    socialLinks: row.social_links,
    pinnedPostId: row.pinned_post_id,
    avatarUrl: row.avatar_url,
    headerImageUrl: row.header_image_url,
    authorKind: row.author_kind,
    tipping: { buttonLabel: row.tip_button_label, amounts: row.tip_amounts }
  })
