import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { LinkQuery } from "../../platform/errors/linkQuery.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId, UploadOperationId } from "../../platform/Ids.ts"
import { describeLimited } from "../../platform/openapi.ts"
import { refs } from "../../platform/openapiHeaders.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OptionalOwner, PublicRead } from "../../platform/security/middleware.ts"
import { paymentErrors } from "../x402/http.ts"
import { quotedPayment } from "../x402/paymentInfo.ts"
import { PAYMENT_DESCRIPTION } from "../x402/PaymentPayload.ts"
import { AccessQuery, PostAccess, PostAttachments } from "./Access.ts"
import {
  AttachmentPending,
  AttachmentRemoved,
  GiftExhausted,
  GiftExpired,
  GiftInvalid,
  GiftRevoked,
  PostWithdrawn,
  RangeNotSatisfiable,
  ReceiptInvalid
} from "./errors.ts"

const secret = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/**
 * Headers that give a caller access, in addition to the owner session. Each proof is checked separately, because a
 * wrong one has its own answer.
 */
const proofs = {
  "x-purchase-receipt": secret("The receipt of a purchase of this Post, `ppr_…`"),
  "x-gift-token": secret("A gift token for this Post, `ppg_…`"),
  "idempotency-key": Schema.optionalKey(
    IdempotencyKey.annotate({
      description:
        "A random name for the first use of a gift token: repeats return the same receipt, and count once"
    })
  ),
  "payment-signature": secret(PAYMENT_DESCRIPTION)
}

/** The bytes of a ZIP. */
const Zip = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/zip" }))

/** Headers of a download, in addition to those that give access. */
const partial = {
  range: Schema.optionalKey(Schema.String.annotate({ description: "One range of bytes" })),
  "if-range": Schema.optionalKey(
    Schema.String.annotate({ description: "The ETag that the range belongs to" })
  )
}

const ifNoneMatch = {
  name: "if-none-match",
  in: "header",
  description: "The ETag of the file that the caller has. While it is the same, the answer is 304.",
  schema: { type: "string" },
  required: false
}

/** Documents the headers of a download. */
const describeDownload: typeof describeLimited = (operation) => {
  const { parameters, responses, ...others } = describeLimited(operation) as {
    readonly parameters: ReadonlyArray<object>
    readonly responses: Readonly<Record<string, { readonly headers?: object }>>
  }
  const whole = refs("Accept-Ranges", "Content-Disposition", "ETag", "Repr-Digest", "X-Purchase-Receipt")
  const added: Readonly<Record<string, object>> = {
    "200": whole,
    "206": { ...whole, ...refs("Content-Range") },
    "409": refs("Retry-After"),
    "416": refs("Content-Range")
  }
  const described = Object.entries(responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...response.headers, ...added[status] } }
  ])
  const unchanged = { description: "The caller has this file already", headers: whole }
  return {
    ...others,
    parameters: [...parameters, ifNoneMatch],
    responses: { ...Object.fromEntries(described), "304": unchanged }
  }
}

const accessErrors = [
  inJson(NotFound, "not_found"),
  inJson(ReceiptInvalid, "receipt_invalid"),
  inJson(GiftInvalid, "gift_invalid"),
  inJson(GiftExpired, "gift_expired"),
  inJson(GiftRevoked, "gift_revoked"),
  inJson(GiftExhausted, "gift_exhausted"),
  inJson(PostWithdrawn, "post_withdrawn"),
  ...paymentErrors
] as const

/** Whole Posts, for callers who may read them or pay for them (spec 1). */
export class AccessApi extends HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.get("read", "/api/posts/:postId/access", {
      params: { postId: PostId },
      query: AccessQuery.fields,
      headers: proofs,
      success: PostAccess,
      error: accessErrors
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read or buy a Post",
          description:
            "Returns the whole text of a Post to its buyers and its author, and to everyone if it is free. For a caller without access, the answer is a 402: `PAYMENT-REQUIRED` has the terms. Sign a block for them, do not broadcast it, and repeat the request with `PAYMENT-SIGNATURE`. A 402 means that nothing was sent; after a 503 `settlement_pending`, repeat the same header. A caller who may read is never charged. `extra.versionSha256` of the terms is the SHA-256 of the version for sale. `access.versionSha256` is that of the version sold: the one when the payment was accepted. `X-Gift-Token` redeems a gift: for the account of the request, or for a receipt that reads the Post from then on. Send a random `Idempotency-Key` with it, so that a repeat counts once."
        })
      )
      .middleware(LinkQuery)
      .annotateMerge(quotedPayment)
      .annotateMerge(rateLimit("access")),
    HttpApiEndpoint.get("download", "/api/posts/:postId/attachments/:attachmentId", {
      params: { postId: PostId, attachmentId: UploadOperationId },
      headers: { ...proofs, ...partial },
      success: [Zip, Zip.pipe(HttpApiSchema.status(206))],
      error: [
        ...accessErrors,
        inJson(AttachmentPending, "attachment_pending"),
        inJson(AttachmentRemoved, "attachment_removed"),
        inJson(RangeNotSatisfiable, "range_not_satisfiable")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Download a file of a Post, or buy the Post for it",
          description:
            "Returns a ZIP of a Post to callers who may read the Post. Others get the 402 of the Post. A request may ask for one range of bytes. `Repr-Digest` has the SHA-256 of the whole file. A request with a payment or a gift token gets its receipt in `X-Purchase-Receipt`."
        })
      )
      .annotateMerge(quotedPayment)
      .annotateMerge(rateLimit("access"))
      .annotate(OpenApi.Transform, describeDownload)
  )
  .middleware(JsonRateLimits)
  .middleware(OptionalOwner)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Access",
      description: "Whole Posts for their buyers, and payments for them by x402"
    })
  ) {}

/** The files of Posts as anyone sees them (spec 3.1). Only callers who may read the Post can download them. */
export class PostFilesApi extends HttpApiGroup.make("postFiles")
  .add(
    HttpApiEndpoint.get("list", "/api/posts/:postId/attachments", {
      params: { postId: PostId },
      success: PostAttachments,
      error: inJson(NotFound, "not_found")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List the files of a Post",
          description: "Lists the files of a published Post."
        })
      )
      .annotateMerge(rateLimit("public-read"))
  )
  .middleware(JsonRateLimits)
  .middleware(PublicRead)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Files of Posts",
      description: "Names, sizes and states of the ZIPs of public Posts"
    })
  ) {}
