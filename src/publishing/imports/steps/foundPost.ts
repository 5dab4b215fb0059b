import { Effect, Option } from "effect"
import { PostId, UUID } from "../../../../schemas/platform/Ids.ts"
import type { ItemOutcome, ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import type { ImportedItem } from "../ImportedItem.ts"
import type { ImportRow } from "../rows/importRow.ts"
import { skippedLine } from "../rows/reportLines.ts"
import type { SourceRow } from "../rows/sources.sql.ts"
import { isSameAsPost } from "./sameMembers.ts"
import { makeIsAsWritten } from "./written.ts"

/** An item with the Post that an earlier import made of it. */
interface FoundPost {
  readonly outcome: ItemOutcome
  readonly postId: PostId | null
  /** The slug of the Post that it has already. */
  readonly slug: string | null
  readonly line: ReportLine | undefined
}

/** Makes the function that finds the Post of an item that was read, and says what applying the item would do. */
export const makeFoundPost = Effect.gen(function* () {
  const posts = yield* ImportedPosts
  const isAsWritten = yield* makeIsAsWritten

  /** Returns true when the members that an import wrote have other values now. */
  const isChangedHere = Effect.fnUntraced(function* ({ owner_id }: ImportRow, source: SourceRow) {
    if (source.current === source.revision) return false
    const post = yield* posts.find(owner_id, source.post_id)
    return Option.isNone(post) || !(yield* isAsWritten(source, post.value))
  })

  return Effect.fnUntraced(function* (
    row: ImportRow,
    item: ImportedItem,
    source: SourceRow | undefined
  ): Effect.fn.Return<FoundPost> {
    const none = { postId: null, slug: null, line: undefined }
    if (item.stop !== null) return { ...none, outcome: item.stop.outcome }
    if (source === undefined) {
      // Our own export names its Posts: in the account that it came from they are here.
      const own =
        item.kind === "pennypress" && UUID.test(item.sourceId)
          ? yield* posts.find(row.owner_id, PostId.make(item.sourceId.toLowerCase()))
          : Option.none()
      if (Option.isNone(own)) return { ...none, outcome: "new" }
      const { id, slug } = own.value
      return {
        postId: id,
        slug,
        line: undefined,
        outcome: isSameAsPost(item, own.value) ? "unchanged" : "conflict"
      }
    }
    if (source.current === null) return { ...none, outcome: "skipped", line: skippedLine("deleted_here") }
    const found = { postId: source.post_id, slug: source.slug, line: undefined }
    if (source.sha256 === item.sha256) return { ...found, outcome: "unchanged" }
    return { ...found, outcome: (yield* isChangedHere(row, source)) ? "conflict" : "update" }
  })
})
