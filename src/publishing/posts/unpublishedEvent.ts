import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { EventFacts, NewEvent } from "../../platform/events/facts.ts"

interface Unpublished {
  readonly id: PostId
  readonly slug: string
  readonly title: string
  readonly handle: string
}

interface Circumstances {
  readonly ownerId: OwnerId
  readonly by: EventFacts["post.unpublished"]["by"]
  readonly baseUrl: string
  readonly at: Date
}

/** Returns the event of a Post that is no longer public, with the address that it had. */
export const unpublishedEvent = (
  { handle, id, slug, title }: Unpublished,
  { at, baseUrl, by, ownerId }: Circumstances
): NewEvent => ({
  ownerId,
  type: "post.unpublished",
  subjectId: id,
  data: { post: { id, slug, title, formerUrl: `${baseUrl}/@${handle}/${slug}` }, by },
  at
})
