import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { PostRow } from "./postRow.ts"

/** The native form of a section. */
export interface NativeSection {
  /** The document as JSON; null for a section that is Markdown. */
  readonly json: string | null
  /** Codes of the content that Markdown cannot express. */
  readonly unsupported: ReadonlyArray<string>
}

/** The native forms that an edit changes; an absent section keeps its own byte for byte. */
export interface NativeSections {
  readonly free?: NativeSection | undefined
  readonly paid?: NativeSection | undefined
}

const sections = [
  ["freeContentMarkdown", "free_unsupported"],
  ["paidContentMarkdown", "paid_unsupported"]
] as const

/**
 * Returns an error for each section that a patch rewrites or clears although Markdown cannot express its content, or
 * undefined. A patch that omits such a section keeps it (spec 4.3.7).
 */
export const lockedSections = (row: PostRow, patch: PostPatch) => {
  const locked = sections.filter(([field, column]) => patch[field] !== undefined && row[column].length > 0)
  if (locked.length === 0) return undefined
  const errors = locked.map(([field, column]): FieldError => ({
    field,
    code: "unsupported_stored_content",
    message: `Leave this section out: Markdown cannot express ${row[column].join(", ")}`
  }))
  const features = [...new Set(locked.flatMap(([, column]) => row[column]))].toSorted()
  return { errors, features }
}

const markdownOnly: NativeSection = { json: null, unsupported: [] }

/** Returns the native forms after a patch: a section written as Markdown has none. */
export const rewritten = ({ freeContentMarkdown, paidContentMarkdown }: PostPatch): NativeSections => ({
  ...(freeContentMarkdown === undefined ? {} : { free: markdownOnly }),
  ...(paidContentMarkdown === undefined ? {} : { paid: markdownOnly })
})
