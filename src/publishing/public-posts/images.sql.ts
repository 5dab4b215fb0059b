import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import type { Variants } from "../uploads/operation/settlement.ts"

/** An image of a Post that the service has, with its size in pixels. */
export interface ImageRow {
  readonly post_id: PostId
  readonly url: string
  readonly width: number
  readonly height: number
  /** Bytes of the public copy. */
  readonly public_size: number
  readonly variants: Variants | null
}

/** The statement that reads the images in texts. */
export const imageStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const images = prepared<ImageRow>(sql)(
    ["ids"],
    ({ ids }) => sql`
      select p.id as post_id, u.public_url as url, u.width, u.height, u.public_size, u.variants
      from posts p join upload_operations u on u.owner_id = p.owner_id and u.target_id = p.id
      where p.id = any(${ids}::uuid[]) and u.public_url is not null and u.width is not null and u.height is not null`
  )

  return {
    /** Returns the images of these Posts that the service has. */
    of: (ids: ReadonlyArray<PostId>) => Effect.orDie(images({ ids }))
  }
})

/** The statement that reads the images of Posts, for features that write them elsewhere. */
export const imagesOfPosts = Effect.map(imageStatements, ({ of }) => of)
