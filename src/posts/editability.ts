import type { FieldError } from "../../schemas/errors/FieldError.ts"
import type { PostPatch } from "../../schemas/posts/PostDraft.ts"
import type { PostRow } from "./postRow.ts"
import type { NativeChange } from "./PostsRepo.ts"

const sections = [
  ["freeContentMarkdown", "free_unsupported"],
  ["paidContentMarkdown", "paid_unsupported"]
] as const

/**
 * The sections that a patch would rewrite, or clear, although Markdown cannot say what is in them; undefined when there
 * is none. A patch that leaves such a section out keeps it as it is (specification 4.3.7).
 */
export const lockedSections = (row: PostRow, patch: PostPatch) => {
  const locked = sections.filter(([field, column]) => patch[field] !== undefined && row[column].length > 0)
  if (locked.length === 0) return undefined
  const errors = locked.map(([field, column]): FieldError => ({
    field,
    code: "unsupported_stored_content",
    message: `The section holds what Markdown cannot say: ${row[column].join(", ")}`
  }))
  const features = [...new Set(locked.flatMap(([, column]) => row[column]))].toSorted()
  return { errors, features }
}

/** A section that is written as Markdown is Markdown alone from then on. */
export const rewritten = (patch: PostPatch): NativeChange => {
  const markdown = { document: null, unsupported: [] }
  return {
    free: patch.freeContentMarkdown === undefined ? undefined : markdown,
    paid: patch.paidContentMarkdown === undefined ? undefined : markdown
  }
}
