import {
  CATALOGUE_LIMIT_DEFAULT,
  type CatalogueQuery
} from "../../../schemas/web/discovery-documents/Catalogue.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"

// The documents, as kept answers. A change of any public Post drops those that name Posts.

export const payments: PublicRead<unknown> = { key: "x402", tags: () => [postTags.lists] }

/** Any purchase may change a counter that the catalogue shows. */
export const catalogue = ({
  cursor,
  limit = CATALOGUE_LIMIT_DEFAULT,
  offset
}: CatalogueQuery): PublicRead<unknown> => ({
  key: `x402 posts ${JSON.stringify([limit, offset ?? null, cursor ?? null])}`,
  tags: () => [postTags.lists, ownerTags.handles, ownerTags.labels, ownerTags.payouts, postTags.ranking]
})

export const license: PublicRead<string> = { key: "license", tags: () => [postTags.lists] }

// These depend on the configuration alone.

export const railHint: PublicRead<unknown> = { key: "railhint", tags: () => [] }

export const llmsText: PublicRead<string> = { key: "llms", tags: () => [] }

export const skill: PublicRead<string> = { key: "skill", tags: () => [] }

export const skillIndex: PublicRead<unknown> = { key: "skill index", tags: () => [] }
