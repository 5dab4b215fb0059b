import { ASSET, OFFER_SECONDS } from "../../../schemas/payments/x402/Offer.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { CatalogueItem } from "../../../schemas/web/discovery-documents/Catalogue.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import type { ForSaleRow } from "../../publishing/public-posts/catalogue.sql.ts"

/** Returns the URL at which a Post is bought and read. */
export const resourceOf = ({ id }: Pick<ForSaleRow, "id">, baseUrl: string) =>
  `${baseUrl}/api/posts/${id}/access`

/** The service as its catalogue names it. */
interface CataloguePlace {
  readonly baseUrl: string
  readonly media: OwnMedia["Service"]
  readonly network: string
}

/** Returns the terms and the description of a Post that is for sale. */
export const catalogueItemOf = (
  row: ForSaleRow,
  { baseUrl, media, network }: CataloguePlace
): CatalogueItem => {
  const { primaryCategoryId, secondaryCategoryId, ...post } = summaryOf(row, baseUrl, media)
  return {
    resource: resourceOf(row, baseUrl),
    type: "http",
    x402Version: 2,
    accepts: [
      {
        scheme: "exact",
        network,
        asset: ASSET,
        amount: row.price_raw,
        payTo: row.payout_address,
        maxTimeoutSeconds: OFFER_SECONDS,
        extra: { quote: "required" }
      }
    ],
    lastUpdated: Math.floor(Date.parse(post.updatedAt) / 1000),
    metadata: {
      title: post.title,
      description: post.description,
      url: post.url,
      author: post.author.handle,
      authorKind: post.author.authorKind,
      categoryIds:
        secondaryCategoryId === null ? [primaryCategoryId] : [primaryCategoryId, secondaryCategoryId],
      language: post.language,
      priceXno: xnoOfRaw(BigInt(row.price_raw)),
      creationMethod: post.creationMethod,
      purchases: post.counts.purchases
    }
  }
}
