import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { PostRow } from "./postRow.ts"

/** The native documents of the sections, as JSON, and the codes of what Markdown cannot say of them. */
export type NativeColumns = Partial<{
  readonly free_content_native: string | null
  readonly free_unsupported: ReadonlyArray<string>
  readonly paid_content_native: string | null
  readonly paid_unsupported: ReadonlyArray<string>
}>

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
export const rewritten = ({ freeContentMarkdown, paidContentMarkdown }: PostPatch): NativeColumns => ({
  ...(freeContentMarkdown === undefined ? {} : { free_content_native: null, free_unsupported: [] }),
  ...(paidContentMarkdown === undefined ? {} : { paid_content_native: null, paid_unsupported: [] })
})
