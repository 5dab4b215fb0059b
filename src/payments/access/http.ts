import { Effect, Option, Redacted, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import type { AccessVersion, PostAccess } from "../../../schemas/payments/access/Access.ts"
import { AttachmentRemoved, RangeNotSatisfiable } from "../../../schemas/payments/access/errors.ts"
import type { PaymentRequired } from "../../../schemas/payments/x402/errors.ts"
import type { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { isKnown } from "../../platform/http/representation.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { ReadCounter } from "../../platform/public-answers/ReadCounter.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { setRetryAfter } from "../../platform/rate-limits/http.ts"
import { contentRangeOf, rangeOf } from "../../publishing/public-images/byteRange.ts"
import {
  answerPaymentRequired,
  carriesPayment,
  makeMarkLedger,
  paymentOfRequest,
  type Reasons,
  withPaymentResponse,
  withHeaders
} from "../x402/http.ts"
import type { ShownPayment } from "../x402/readPayment.ts"
import { Access, type AccessRefusal, type AccessRequest } from "./Access.ts"
import { Attachments } from "./Attachments.ts"
import { downloadHeaders, etagOf } from "./download.ts"
import { ZIP_TYPE } from "./resource.ts"

const reasons: Reasons<AccessRefusal> = {
  AttachmentPending: "attachment_pending",
  GiftExhausted: "gift_exhausted",
  GiftExpired: "gift_expired",
  GiftInvalid: "gift_invalid",
  GiftRevoked: "gift_revoked",
  InvalidPayload: "invalid_payload",
  InvalidX402Version: "invalid_x402_version",
  LedgerAway: "ledger_unavailable",
  NotFound: "not_found",
  PaymentIdentifierConflict: "payment_identifier_conflict",
  PaymentsDisabled: "payments_disabled",
  PostWithdrawn: "post_withdrawn",
  RateLimited: "rate_limited",
  ReceiptInvalid: "receipt_invalid"
}

const secret = (header: string | undefined) => (header === undefined ? undefined : Redacted.make(header))

/** Reads the payment of a request. HEAD settles and redeems nothing: it answers like a GET without a payment and a gift. */
const paymentOf = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  method === "HEAD" || !carriesPayment(headers)
    ? Effect.undefined
    : paymentOfRequest.pipe(
        Effect.map(Option.map((payment): ShownPayment => Result.succeed(payment))),
        Effect.catch((error) => Effect.succeedSome<ShownPayment>(Result.fail(error))),
        Effect.map(Option.getOrUndefined)
      )

/** Gives a caller the receipt of the payment or gift of this request, for which a file has no room. */
const showReceipt = ({ receipt }: PostAccess) =>
  receipt === null ? Effect.void : withHeaders({ "x-purchase-receipt": receipt.token })

/** Returns the failure of a download of a file that is not there. A payer learns that their payment bought the Post. */
const missing =
  ({ settlement }: PostAccess) =>
  (error: NotFound) =>
    Effect.fail(settlement === null || settlement.transaction === "" ? error : new AttachmentRemoved())

/** A request, with the headers that entitle its caller. */
interface Shown {
  readonly headers: {
    readonly "x-purchase-receipt"?: string
    readonly "x-gift-token"?: string
    readonly "idempotency-key"?: string
  }
  readonly request: HttpServerRequest.HttpServerRequest
}

export const AccessHttp = HttpApiBuilder.group(
  Api,
  "access",
  Effect.fnUntraced(function* (handlers) {
    const access = yield* Access
    const attachments = yield* Attachments
    const counter = yield* ReadCounter
    const { network } = yield* NanoLedger
    const markLedger = yield* makeMarkLedger
    const { trustedProxies } = yield* Settings

    /** Reads everything that a request shows. */
    const requestOf = Effect.fnUntraced(function* (
      { headers, request }: Shown,
      postId: PostId,
      version: AccessVersion | undefined
    ) {
      yield* markLedger
      const { ownerId } = yield* Viewer
      const token = secret(headers["x-gift-token"])
      const shown: AccessRequest = {
        postId,
        ownerId,
        version,
        receipt: secret(headers["x-purchase-receipt"]),
        gift:
          token === undefined || request.method === "HEAD"
            ? undefined
            : { token, idempotencyKey: Option.fromUndefinedOr(headers["idempotency-key"]) },
        payment: yield* paymentOf(request),
        client: clientOf(request, trustedProxies)
      }
      return shown
    })

    /** Counts the answers that ask to pay. */
    const countWall =
      (sent: HttpServerRequest.HttpServerRequest, { ownerId, postId }: AccessRequest) =>
      <A, E, R>(answer: Effect.Effect<A, E | PaymentRequired, R>) =>
        Effect.tapErrorTag(answer, "PaymentRequired", () =>
          Effect.sync(() => counter.wall(sent, postId, ownerId))
        )

    return handlers.handleAll({
      read: Effect.fnUntraced(function* ({ headers, params: { postId }, query, request: sent }) {
        const request = yield* requestOf({ headers, request: sent }, postId, query.version)
        // Only a file may be pending.
        const read = Effect.catchTag(access.read(request), "AttachmentPending", Effect.die)
        return yield* withPaymentResponse(read, {
          payment: request.payment,
          network,
          reasons
        }).pipe(
          Effect.tap(() =>
            Effect.sync(() => counter.read(sent, { posts: [postId], hasWall: false }, request.ownerId))
          ),
          countWall(sent, request)
        )
      }, answerPaymentRequired),
      download: Effect.fnUntraced(function* ({ headers, params: { attachmentId, postId }, request: sent }) {
        const request = yield* requestOf({ headers, request: sent }, postId, undefined)
        const answer = access.read({ ...request, fileId: attachmentId })
        const post = yield* withPaymentResponse(answer, { payment: request.payment, network, reasons }).pipe(
          Effect.tap(showReceipt),
          Effect.tapErrorTag("AttachmentPending", setRetryAfter),
          countWall(sent, request)
        )
        const file = yield* attachments
          .fileOf(post, attachmentId)
          .pipe(
            Effect.tapErrorTag("AttachmentPending", setRetryAfter),
            Effect.catchTag("NotFound", missing(post))
          )
        const etag = etagOf(file)
        if (isKnown(sent.headers["if-none-match"], etag))
          return HttpServerResponse.empty({ status: 304, headers: downloadHeaders(file, undefined) })
        const range = rangeOf(sent, file.byteSize, etag)
        if (range === null) {
          yield* withHeaders({ "content-range": contentRangeOf(null, file.byteSize) })
          return yield* new RangeNotSatisfiable()
        }
        const { body } = yield* Effect.catchTag(attachments.open(file, range), "NotFound", missing(post))
        return HttpServerResponse.stream(body, {
          status: range === undefined ? 200 : 206,
          contentType: ZIP_TYPE,
          contentLength: range?.length ?? file.byteSize,
          headers: downloadHeaders(file, range)
        })
      }, answerPaymentRequired)
    })
  })
)

/** The files of a Post. Screening changes them without notice. */
const filesRead = (post: PostId): PublicRead<unknown> => ({
  key: `files ${post}`,
  tags: () => [tags.never]
})

/** The files of a Post as anyone sees them. */
export const PostFilesHttp = HttpApiBuilder.group(
  Api,
  "postFiles",
  Effect.fnUntraced(function* (handlers) {
    const attachments = yield* Attachments
    const answer = yield* makePublicAnswer

    return handlers.handle("list", ({ params: { postId }, request }) =>
      answer(request, filesRead(postId), attachments.list(postId))
    )
  })
)
