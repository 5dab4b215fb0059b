import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { PostAccess } from "../../../schemas/payments/access/Access.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Access, type AccessRequest } from "../../payments/access/Access.ts"
import { Attachments, type ReadyFile } from "../../payments/access/Attachments.ts"
import { downloadHeaders, etagOf } from "../../payments/access/download.ts"
import { Redemptions } from "../../payments/gifts/Redemptions.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { contentRangeOf, rangeOf } from "../../publishing/public-images/byteRange.ts"
import { makeBrowser } from "../browser/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makePictures } from "../pages/pictures.ts"
import { LOCKED, makeReading, UNASKED } from "../receipts/http.ts"
import { readPath, receiptFrom, receiptText } from "../receipts/receipt.ts"
import { lockedPage, otherAccountPage, readPage } from "./readPage.ts"
import { refusedGift } from "./refusedGift.ts"

const decodeFileId = Schema.decodeUnknownOption(UploadOperationId)

/** All texts of readers together take one turn between authors in the threads. */
const KEY = "readers"

/** Serves whole texts to readers whose browser has a receipt for them. */
export const AccessRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const access = yield* Access
    const attachments = yield* Attachments
    const discovery = yield* Discovery
    const { pageText } = yield* SectionReader
    const { pictured } = yield* makePictures
    const { baseUrl, name: siteName } = yield* Site
    const purchases = yield* Purchases
    const redemptions = yield* Redemptions
    const browser = yield* makeBrowser
    const reading = yield* makeReading
    const count = yield* limiting
    const { answering, headers, page, query, readForm, seeOther } = yield* makePrivatePages

    const named = Effect.gen(function* () {
      const postId = yield* postIdOf
      yield* count("access")
      const asked = yield* reading.asked(postId)
      return { postId, kept: reading.keptFor(postId), receipt: asked.receipt, asked }
    })

    const locked = Effect.fnUntraced(function* (postId: PostId, isRefused: boolean) {
      const post = yield* Effect.option(discovery.post(postId))
      const gift = refusedGift((yield* query).get("gift"))
      const isSignedIn = (yield* browser.account) !== null
      const view = { path: readPath(postId), post: Option.getOrNull(post), isRefused, isSignedIn, gift }
      return page(lockedPage(view), 403)
    })

    /** Returns true if the account has access by a gift without the receipt. For a purchase, the answer itself says so. */
    const isKeptBy = (ownerId: AccessRequest["ownerId"], { access: { via }, post }: PostAccess) =>
      via === "gift" && ownerId !== null ? redemptions.isReader(ownerId, post.id) : Effect.succeed(false)

    const shown = Effect.fnUntraced(function* (found: PostAccess, { ownerId, receipt }: AccessRequest) {
      const {
        access: { via },
        post
      } = found
      const path = readPath(post.id)
      const published = yield* Effect.option(discovery.post(post.id))
      const { free, paid } = post.content
      const sections = [free, paid].filter((it) => it !== null)
      const { headings, html } = yield* pageText(KEY, {
        source: sections.join("\n\n"),
        url: post.url ?? `${baseUrl}${path}`
      })
      const files = post.attachments.map(({ byteSize, fileName, id, state }) => ({
        name: fileName,
        bytes: byteSize,
        path: state === "ready" ? `${path}/files/${id}` : null
      }))
      return page(
        readPage({
          id: post.id,
          path,
          title: post.title,
          text: yield* pictured(post.id, trusted(html)),
          headings,
          language: Option.match(published, { onNone: () => "en", onSome: ({ language }) => language }),
          via,
          hasReceipt: receipt !== undefined,
          isKept: yield* isKeptBy(ownerId, found),
          files,
          post: Option.getOrNull(published)
        })
      )
    })

    const read = Effect.gen(function* () {
      const { asked, postId, receipt } = yield* named
      return yield* access.read(asked).pipe(
        Effect.flatMap((found) =>
          found.access.via === "free" && found.post.url !== null
            ? Effect.succeed(seeOther(found.post.url))
            : shown(found, asked)
        ),
        Effect.catchTag(LOCKED, () => locked(postId, receipt !== undefined)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    const enter = Effect.gen(function* () {
      const form = yield* readForm
      const { asked, kept, postId } = yield* named
      const receipt = receiptFrom(form.get("receipt"))
      if (receipt === undefined) return yield* locked(postId, true)
      return yield* access.read({ ...asked, receipt }).pipe(
        Effect.map(() => kept.set(receipt)(seeOther(readPath(postId)))),
        Effect.catchTag(LOCKED, () => locked(postId, true)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    const save = Effect.gen(function* () {
      const { asked, postId, receipt } = yield* named
      if (receipt === undefined) return yield* locked(postId, false)
      return yield* access.read(asked).pipe(
        Effect.map(({ post: { slug, title } }) =>
          HttpServerResponse.text(
            receiptText({ siteName, title, url: `${baseUrl}${readPath(postId)}`, receipt }),
            {
              contentType: "text/plain; charset=utf-8",
              headers: { ...headers, "content-disposition": `attachment; filename="receipt-${slug}.txt"` }
            }
          )
        ),
        Effect.catchTag(LOCKED, () => locked(postId, true)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    /** Sends a file, or the part of it from which a browser resumes. */
    const send = Effect.fnUntraced(function* (file: ReadyFile) {
      const { byteSize } = file
      const range = rangeOf(yield* HttpServerRequest.HttpServerRequest, byteSize, etagOf(file))
      if (range === null) {
        const none = { ...headers, "content-range": contentRangeOf(null, byteSize) }
        return HttpServerResponse.empty({ status: 416, headers: none })
      }
      const { body } = yield* attachments.open(file, range)
      return HttpServerResponse.stream(body, {
        status: range === undefined ? 200 : 206,
        contentType: "application/zip",
        contentLength: range?.length ?? byteSize,
        headers: { ...headers, ...downloadHeaders(file, range) }
      })
    })

    const download = Effect.gen(function* () {
      const { asked, postId, receipt } = yield* named
      const { attachmentId } = yield* HttpRouter.params
      const fileId = decodeFileId(attachmentId)
      if (Option.isNone(fileId)) return yield* new NotFound()
      return yield* access.read({ ...asked, fileId: fileId.value }).pipe(
        Effect.flatMap((found) => attachments.fileOf(found, fileId.value)),
        Effect.flatMap(send),
        Effect.catchTag(LOCKED, () => locked(postId, receipt !== undefined)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    /** Adds the purchase or gift of a receipt to an account. */
    const claim = (owner: OwnerAuthority, receipt: Redacted.Redacted) =>
      redemptions.claim(owner.ownerId, receipt).pipe(
        Effect.asVoid,
        Effect.catchTag("ReceiptInvalid", () =>
          purchases.claim(owner, { receiptToken: Redacted.value(receipt) })
        ),
        // The other refusals are those of a claim by a block.
        Effect.catchTag(
          ["BlockAlreadyUsed", "ClaimMismatch", "Forbidden", "LedgerAway", "PaymentsDisabled"],
          Effect.die
        )
      )

    /** Adds what this browser bought or was given to the account of the reader. */
    const add = Effect.gen(function* () {
      yield* readForm
      const { postId, receipt } = yield* named
      if (receipt === undefined) return yield* locked(postId, false)
      const path = readPath(postId)
      return yield* browser.asOwner(
        path,
        (owner) =>
          claim(owner, receipt).pipe(
            Effect.as(seeOther(path)),
            Effect.catchTags({
              AlreadyOwned: () => Effect.succeed(page(otherAccountPage(path), 409)),
              ReceiptInvalid: () => locked(postId, true)
            })
          ),
        { said: "Sign in, and we'll add this post to your account.", status: 200 }
      )
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/read/:postId", answering(read)),
      HttpRouter.add("POST", "/read/:postId", answering(enter)),
      HttpRouter.add("POST", "/read/:postId/account", answering(add)),
      HttpRouter.add("GET", "/read/:postId/receipt", answering(save)),
      HttpRouter.add("GET", "/read/:postId/files/:attachmentId", answering(download))
    )
  })
)
