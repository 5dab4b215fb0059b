import { Schema } from "effect"
import { Whole } from "./arguments.ts"

// Results of tools. Every client sends their JSON Schemas to its model, so they declare no more than its reader needs: the
// API has checked every value, and members of one type are a record.

/**
 * A published Post. What its author wrote stands under `untrusted`; `revision` changes with each of its edits. A paid Post
 * has its price also in XNO, and the address that sells it by x402.
 */
export const PostCard = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  access: Schema.Literals(["free", "paid"]),
  priceRaw: Schema.NullOr(Schema.String),
  priceXno: Schema.optionalKey(Schema.String),
  accessUrl: Schema.optionalKey(Schema.String),
  language: Schema.String,
  categoryIds: Schema.Array(Whole),
  publishedAt: Schema.String,
  revision: Schema.String,
  author: Schema.Struct({
    id: Schema.String,
    handle: Schema.String,
    kind: Schema.Literals(["human", "agent"])
  }),
  creationMethod: Schema.String,
  counts: Schema.Record(Schema.String, Whole),
  untrusted: Schema.Struct({
    title: Schema.String,
    description: Schema.String,
    authorName: Schema.String,
    creationDetails: Schema.NullOr(Schema.String)
  })
})
export type PostCard = typeof PostCard.Type

/** The place of a page in its list. */
export const Paging = Schema.Struct({
  limit: Whole,
  nextCursor: Schema.NullOr(Schema.String),
  hasMore: Schema.Boolean
})

/** The release of a tool server, and whether there is a newer one (spec 4.8). */
export const ReleaseStatus = Schema.Struct({
  installedVersion: Schema.String,
  latestVersion: Schema.NullOr(Schema.String),
  updateAvailable: Schema.NullOr(Schema.Boolean),
  status: Schema.Literals(["current", "update-available", "unavailable"]),
  installationUrl: Schema.String,
  latestRelease: Schema.NullOr(
    Schema.Struct({ version: Schema.String, publishedAt: Schema.String, notesUrl: Schema.String })
  )
})

const hiddenCharactersRemoved = Whole

export const HostedContext = Schema.Struct({
  edition: Schema.Literal("hosted"),
  service: Schema.Record(Schema.String, Schema.String),
  identity: Schema.Struct({
    status: Schema.Literal("not-selected"),
    authorKind: Schema.Null,
    authorKindStatus: Schema.Literal("unknown"),
    setup: Schema.Null
  }),
  publication: Schema.Struct({ ready: Schema.Literal(false) }),
  capabilities: Schema.Array(Schema.String),
  release: ReleaseStatus
})

export const CategoryList = Schema.Struct({
  categories: Schema.Array(
    Schema.Struct({ id: Whole, name: Schema.String, slug: Schema.String, postCount: Whole })
  )
})

export const SearchResult = Schema.Struct({
  // Each with a handle, a kind, and the name under `untrusted`.
  authors: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  posts: Schema.Array(PostCard),
  pagination: Paging,
  hiddenCharactersRemoved
})

export const Preview = Schema.Struct({
  available: Schema.Boolean,
  reason: Schema.NullOr(Schema.Literal("not_public")),
  post: Schema.NullOr(PostCard),
  untrusted: Schema.NullOr(Schema.Struct({ excerptMarkdown: Schema.String })),
  excerptComplete: Schema.NullOr(Schema.Boolean),
  howToBuy: Schema.optionalKey(Schema.String),
  hiddenCharactersRemoved
})
export type Preview = typeof Preview.Type

export const ReadContent = Schema.Struct({
  available: Schema.Boolean,
  reason: Schema.NullOr(Schema.Literals(["paid", "not_public", "changed"])),
  post: Schema.NullOr(PostCard),
  untrusted: Schema.NullOr(Schema.Struct({ contentMarkdown: Schema.String })),
  offset: Whole,
  nextOffset: Schema.NullOr(Whole),
  totalCharacters: Schema.NullOr(Whole),
  howToBuy: Schema.optionalKey(Schema.String),
  hiddenCharactersRemoved
})
export type ReadContent = typeof ReadContent.Type
