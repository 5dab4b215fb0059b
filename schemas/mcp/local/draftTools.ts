import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { MaxBytes, Offset, PostIdArgument, textArgument, Whole } from "../arguments.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId, OperationStatus } from "./operations.ts"
import { ChangedFields, NewFields } from "./postFields.ts"

const nullable = <S extends Schema.Constraint>(schema: S) => Schema.NullOr(schema)

/** An own Post without its texts. They are its owner's own, and stand under their own names. */
export const Draft = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["draft", "published"]),
  revision: Schema.String,
  url: nullable(Schema.String),
  title: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  access: Schema.Literals(["free", "paid"]),
  priceRaw: nullable(Schema.String),
  priceXno: nullable(Schema.String),
  primaryCategoryId: nullable(Whole),
  secondaryCategoryId: nullable(Whole),
  language: Schema.String,
  commentsEnabled: Schema.Boolean,
  creationMethod: nullable(Schema.String),
  creationAttested: Schema.Boolean,
  contentEditability: Schema.Record(Schema.String, Schema.Unknown),
  freeCharacters: Whole,
  paidCharacters: Whole,
  attachments: Whole
})
export type Draft = typeof Draft.Type

/** A {@link Draft} in a further tool. Repeating its whole schema would lengthen each list of tools. */
const SameDraft = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "As in svc_read_draft"
})

/** The revision of the Post that a write changes. */
export const Revision = textArgument(40, "revision of the draft as it was read")

export const ListDraftsArguments = Schema.Struct({
  page: Schema.optionalKey(Whole.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))),
  per_page: Schema.optionalKey(
    Whole.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({ description: "Default 20" })
  )
})
export type ListDraftsArguments = typeof ListDraftsArguments.Type

const listDrafts = strictTool("svc_list_drafts", "List drafts", {
  description: "Your drafts, without their texts.",
  hints: READS,
  parameters: ListDraftsArguments,
  success: Schema.Struct({
    drafts: Schema.Array(SameDraft),
    total: Whole,
    page: Whole,
    perPage: Whole
  })
})

export const ReadDraftArguments = Schema.Struct({
  post_id: PostIdArgument,
  section: Schema.optionalKey(Schema.Literals(["free", "paid"])),
  offset: Schema.optionalKey(Offset),
  max_bytes: Schema.optionalKey(MaxBytes)
})
export type ReadDraftArguments = typeof ReadDraftArguments.Type

const readDraft = strictTool("svc_read_draft", "Read a draft", {
  description: "One of your Posts, and a part of the exact Markdown of one section.",
  hints: READS,
  parameters: ReadDraftArguments,
  success: Schema.Struct({
    draft: Draft,
    content: nullable(
      Schema.Struct({ section: Schema.String, markdown: Schema.String, nextOffset: nullable(Whole) })
    )
  })
})

const Written = Schema.Struct({ operation: OperationStatus, draft: SameDraft })

export const CreateDraftArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId.annotate({ description: "Names this write, for repeats" })),
  ...NewFields
})
export type CreateDraftArguments = typeof CreateDraftArguments.Type

const createDraft = strictTool("svc_create_draft", "Create a draft", {
  description:
    "Create a draft with at least one of the two texts (CommonMark, tables and footnotes of GFM, titles of images as captions). It is not public. Repeated within ten minutes, it returns the same draft.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  parameters: CreateDraftArguments,
  success: Written
})

export const UpdateDraftArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  post_id: PostIdArgument,
  revision: Revision,
  changes: Schema.Struct(ChangedFields).annotate({ description: "Absent members stay, null clears" })
})
export type UpdateDraftArguments = typeof UpdateDraftArguments.Type

const updateDraft = strictTool("svc_update_draft", "Change a draft", {
  description: "Change a draft that still has this revision. Public Posts are left alone.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  parameters: UpdateDraftArguments,
  success: Written
})

/** The toolset of authors. */
export const DraftToolkit = Toolkit.make(listDrafts, readDraft, createDraft, updateDraft)
