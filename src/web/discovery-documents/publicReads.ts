import {
  CATALOGUE_LIMIT_DEFAULT,
  type CatalogueQuery
} from "../../../schemas/web/discovery-documents/Catalogue.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

// The documents, as kept answers. A change of any public Post drops those that name Posts.

export const payments: PublicRead<unknown> = { key: "x402", tags: () => [tags.lists] }

/** Any purchase may change a counter that the catalogue shows. */
export const catalogue = ({
  cursor,
  limit = CATALOGUE_LIMIT_DEFAULT,
  offset
}: CatalogueQuery): PublicRead<unknown> => ({
  key: `x402 posts ${JSON.stringify([limit, offset ?? null, cursor ?? null])}`,
  tags: () => [tags.lists, tags.handles, tags.labels, tags.payouts, tags.ranking]
})

// These depend on the configuration alone.

export const railHint: PublicRead<unknown> = { key: "railhint", tags: () => [] }

export const llmsText: PublicRead<string> = { key: "llms", tags: () => [] }
