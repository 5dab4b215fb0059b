import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { SectionReader } from "../content/SectionReader.ts"
import type { Readings } from "./content.ts"

/** Reads the sections that a patch writes; `before` is the Post that it changes. */
export const readingsOf = Effect.fnUntraced(function* (
  reader: SectionReader["Service"],
  owner: OwnerId,
  { freeContentMarkdown, paidContentMarkdown }: PostPatch,
  before: { readonly paid_unsupported: ReadonlyArray<string> } = { paid_unsupported: [] }
): Effect.fn.Return<Readings> {
  return {
    free:
      typeof freeContentMarkdown === "string" ? yield* reader.read(owner, freeContentMarkdown) : undefined,
    paid:
      typeof paidContentMarkdown === "string" ? yield* reader.read(owner, paidContentMarkdown) : undefined,
    isPaidNative: paidContentMarkdown === undefined && before.paid_unsupported.length > 0
  }
})
