import { Effect } from "effect"
import { AttachmentPending, PostWithdrawn } from "../../../schemas/payments/access/errors.ts"
import type { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { makeDemand } from "../paying/demand.ts"
import { changed, type Sale } from "../paying/Sale.ts"
import type { AccessRow } from "./accessRow.ts"
import { resourceUrlOf, ZIP_TYPE } from "./resource.ts"

/** Seconds after which a file that is being screened may be ready. */
const PENDING_RETRY_SECONDS = 10

/** The refusal of a file that is being screened or is held. */
export const pending = () => new AttachmentPending({ retryAfterSeconds: PENDING_RETRY_SECONDS })

/** Refuses to sell a Post, or to redeem a gift of it, for a file that its buyer would not get. */
export const checkFile = Effect.fnUntraced(function* (
  { asked_file }: AccessRow,
  fileId: UploadOperationId | undefined
) {
  if (fileId === undefined) return
  if (asked_file === null) return yield* new NotFound()
  if (asked_file !== "ready") return yield* pending()
})

/** Makes the sale of a Post: what `payFor` sells, and the request to pay for it. */
export const makePostSale = Effect.gen(function* () {
  const baseUrl = yield* PublicBaseUrl
  const { platformFeeAddress } = yield* Settings
  const demand = yield* makeDemand

  return {
    /** Returns a Post as it is sold, for one of its files if there is one. */
    saleOf: (
      post: AccessRow,
      fileId: UploadOperationId | undefined
    ): Sale<PostWithdrawn | AttachmentPending> => ({
      target: { kind: "purchase", postId: post.id },
      fileId,
      urls: [undefined, fileId].map((it) => resourceUrlOf(baseUrl, post.id, it)),
      pendingOfOwner: post.pending_of_owner,
      isSold: Effect.fnUntraced(function* ({ amountRaw, payTo }) {
        if (!post.is_public) return yield* new PostWithdrawn()
        const isPaid = payTo === post.payout_address || payTo === platformFeeAddress
        // A Post that became free is read again, and answered without a payment.
        if (post.price_raw !== String(amountRaw) || !isPaid) return yield* changed
      }),
      // The statement that found the Post for sale read the whole Post, and the claim keeps it unchanged.
      isReady: Effect.catchTag(checkFile(post, fileId), "NotFound", () => Effect.fail(changed)),
      withdrawn: () => new PostWithdrawn()
    }),

    /**
     * Requests a payment, in place of a refused one if there is one. When the file of a refused payment was removed, the
     * terms are those of its Post.
     */
    ask: Effect.fnUntraced(function* (
      post: AccessRow,
      asked: UploadOperationId | undefined,
      refused?: PaymentRefused
    ) {
      if (!post.is_public)
        return yield* refused?.code === "quote_expired" ? new PostWithdrawn() : new NotFound()
      const fileId = refused !== undefined && post.asked_file === null ? undefined : asked
      yield* checkFile(post, fileId)
      return yield* demand({
        target: { kind: "purchase", postId: post.id },
        recipientId: post.owner_id,
        payoutAddress: post.payout_address,
        amountRaw: BigInt(post.price_raw ?? 0),
        versionSha256: post.current_sha256,
        method: "GET",
        url: resourceUrlOf(baseUrl, post.id, fileId),
        title: post.title,
        mimeType: fileId === undefined ? "application/json" : ZIP_TYPE,
        preview: `${baseUrl}/api/posts/${post.id}`,
        refused,
        // The author was restricted at this moment.
        unpayable: () => new NotFound()
      })
    })
  }
})
