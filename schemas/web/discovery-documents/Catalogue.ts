import { Schema } from "effect"
import { AuthorKind } from "../../accounts/profile/Profile.ts"
import { ASSET, OFFER_SECONDS } from "../../payments/x402/Offer.ts"
import { Cursor } from "../../platform/Cursor.ts"
import { CategoryId } from "../../platform/Ids.ts"
import { NanoAddress } from "../../platform/Nano.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { CreationMethod } from "../../publishing/posts/creation.ts"
import { PriceRaw } from "../../publishing/posts/Post.ts"

export const CATALOGUE_LIMIT_DEFAULT = 20
export const CATALOGUE_LIMIT_MAX = 100
/** The last offset. A cursor reads deeper at the same cost for each page. */
export const CATALOGUE_OFFSET_MAX = 10_000

/** An offset, or the cursor of the previous page. An empty cursor begins the list. */
export const CatalogueQuery = Schema.Struct({
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: CATALOGUE_LIMIT_MAX, default: CATALOGUE_LIMIT_DEFAULT })
  ),
  offset: Schema.optionalKey(queryInteger({ minimum: 0, maximum: CATALOGUE_OFFSET_MAX, default: 0 })),
  cursor: Schema.optionalKey(Cursor)
})
export type CatalogueQuery = typeof CatalogueQuery.Type

/** The terms of a Post as they are now. They are advice: without the quote of a 402 nothing is sold. */
const Terms = Schema.Struct({
  scheme: Schema.Literal("exact"),
  network: Schema.String,
  asset: Schema.Literal(ASSET),
  amount: PriceRaw,
  payTo: NanoAddress,
  maxTimeoutSeconds: Schema.Literal(OFFER_SECONDS),
  extra: Schema.Struct({ quote: Schema.Literal("required") })
})

/** A Post that is for sale. `lastUpdated` is the Unix time of its last change, in seconds. */
export const CatalogueItem = Schema.Struct({
  resource: Schema.String,
  type: Schema.Literal("http"),
  x402Version: Schema.Literal(2),
  accepts: Schema.Tuple([Terms]),
  lastUpdated: Schema.Int,
  metadata: Schema.Struct({
    title: Schema.String,
    description: Schema.String,
    url: Schema.String,
    author: Schema.String.annotate({ description: "The handle of the author" }),
    authorKind: AuthorKind,
    categoryIds: Schema.Array(CategoryId),
    language: Schema.String,
    priceXno: Schema.String,
    creationMethod: CreationMethod,
    purchases: Schema.Int
  })
}).annotate({ identifier: "CatalogueItem" })
export type CatalogueItem = typeof CatalogueItem.Type

/** Posts that are for sale, the newest first. `total` counts those of all pages; `offset` is null after a cursor. */
export const Catalogue = Schema.Struct({
  x402Version: Schema.Literal(2),
  items: Schema.Array(CatalogueItem),
  pagination: Schema.Struct({
    limit: Schema.Int,
    offset: Schema.NullOr(Schema.Int),
    total: Schema.Int,
    nextCursor: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "Catalogue" })
export type Catalogue = typeof Catalogue.Type
