import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { DELETED_HANDLE } from "../../../schemas/accounts/profile/reserved.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Author } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** The author of a row, as `authorColumns("author", …)` selects it. */
export interface AuthorRow {
  readonly author_id: OwnerId
  readonly author_name: string
  readonly author_handle: string
  readonly author_avatar_url: string | null
  readonly author_kind: AuthorKind
}

/** The id by which readers see every account that was deleted. */
const DELETED_ID = "00000000-0000-0000-0000-000000000000"

/** The id of an account as readers see it: all deleted accounts look alike. */
export const shownId = (owner: string) =>
  `case when ${owner}.deleted_at is null then ${owner}.id else '${DELETED_ID}'::uuid end`

/** The handle of an account as readers see it. */
export const shownHandle = (owner: string) =>
  `case when ${owner}.deleted_at is null then ${owner}.handle else '${DELETED_HANDLE}' end`

/** Columns of an account, which begin with `prefix`, of the row `owner`. */
export const authorColumns = (prefix: string, owner: string) => `
  ${shownId(owner)} as ${prefix}_id, ${owner}.name as ${prefix}_name, ${shownHandle(owner)} as ${prefix}_handle,
  ${owner}.avatar_url as ${prefix}_avatar_url, ${owner}.author_kind as ${prefix}_kind`

/** Returns the author of a row as readers see them. */
export const authorOf = (row: AuthorRow, { urlOf }: OwnMedia["Service"]): typeof Author.Type => ({
  id: row.author_id,
  name: row.author_name,
  handle: row.author_handle,
  avatarUrl: urlOf(row.author_avatar_url),
  authorKind: row.author_kind
})
