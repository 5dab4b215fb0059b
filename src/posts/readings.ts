import { Effect } from "effect"
import type { PostPatch } from "../../schemas/posts/PostDraft.ts"
import type { SectionReader } from "../ports/SectionReader.ts"
import type { Readings } from "./content.ts"

/** Reads the sections that a patch writes. */
export const readingsOf = (
  reader: SectionReader["Service"],
  { freeContentMarkdown, paidContentMarkdown }: PostPatch
): Effect.Effect<Readings> => {
  const read = (source: string | null | undefined) =>
    typeof source === "string" ? reader.read(source) : Effect.undefined
  return Effect.all({ free: read(freeContentMarkdown), paid: read(paidContentMarkdown) }, { concurrency: 2 })
}
