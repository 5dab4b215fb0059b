import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"

/** A Post in a feed. */
export interface FeedEntry {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly summary: string
  /** The text that everyone may read, as HTML; null for one that is too long. */
  readonly html: string | null
  readonly language: string
  readonly publishedAt: string
  readonly updatedAt: string
  readonly author: { readonly name: string; readonly url: string; readonly kind: "human" | "agent" }
  readonly categories: ReadonlyArray<string>
  readonly image: string | null
  readonly priceRaw: string | null
  readonly priceXno: string | null
  readonly accessUrl: string | null
  readonly creationMethod: CreationMethod
}

/** A feed in any format. */
export interface FeedView {
  /** Stays the same when the address changes. */
  readonly id: string
  readonly title: string
  readonly about: string
  /** The page for people. */
  readonly url: string
  /** The address of its formats, without their names; null for a private feed, which does not name its own. */
  readonly start: string | null
  /** The WebSub hub that sends its changes; undefined without one. */
  readonly hub: string | undefined
  /** The last change of an entry; null without entries. */
  readonly updatedAt: string | null
  readonly entries: ReadonlyArray<FeedEntry>
}

/** Identifies a Post in every format. A new handle or title does not make it a new item. */
export const urnOf = (id: string): string => `urn:uuid:${id}`
