import { Effect, identity, Layer, Option, Redacted, Schema } from "effect"
import { Hex } from "effect/encoding"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { PostAccess } from "../../../schemas/payments/access/Access.ts"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Access, type AccessRequest } from "../../payments/access/Access.ts"
import { Attachments, type ReadyFile } from "../../payments/access/Attachments.ts"
import { downloadHeaders, etagOf } from "../../payments/access/download.ts"
import { Redemptions } from "../../payments/gifts/Redemptions.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { Receipts } from "../../payments/receipts/Receipts.ts"
import { makeSoldText } from "../../payments/settlement/soldText.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { ReadCounter } from "../../platform/public-answers/ReadCounter.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { absoluteHtml } from "../../publishing/content/html/absoluteHtml.ts"
import { withLabels } from "../../publishing/content/html/labels.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { PostTexts } from "../../publishing/posts/texts/PostTexts.ts"
import { contentRangeOf, rangeOf } from "../../publishing/public-images/byteRange.ts"
import { makeBrowser } from "../browser/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makePictures } from "../pages/pictures.ts"
import { wordsIn } from "../pages/words/wordsIn.ts"
import { LOCKED, makeReading, UNASKED } from "../receipts/http.ts"
import { makeMailLink } from "../receipts/mailLink.ts"
import { privatePath, readPath, receiptFrom, receiptText } from "../receipts/receipt.ts"
import {
  isTakenAlong,
  lockedPage,
  mailedLaterPage,
  mailedPage,
  otherAccountPage,
  readPage,
  wrongAddressPage
} from "./readPage.ts"
import { refusedGift } from "./refusedGift.ts"
import { withUnlocked } from "./unlocked.ts"

const decodeAddress = Schema.decodeUnknownOption(EmailAddressInput)
const decodeFileId = Schema.decodeUnknownOption(UploadOperationId)

/** Returns the key of a reader's turn in the threads, so that one reader delays no other: the account, or else the receipt. */
const turnOf = ({ ownerId, postId, receipt }: AccessRequest): string =>
  ownerId ?? (receipt === undefined ? postId : Hex.encode(hashOf(receipt)))

/** Serves whole texts to readers whose browser has a receipt for them. */
export const AccessRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const access = yield* Access
    const attachments = yield* Attachments
    const counter = yield* ReadCounter
    const discovery = yield* Discovery
    const texts = yield* PostTexts
    const soldText = yield* makeSoldText
    const { pictured } = yield* makePictures
    const { baseUrl, name: siteName } = yield* Site
    const purchases = yield* Purchases
    const receipts = yield* Receipts
    const redemptions = yield* Redemptions
    const browser = yield* makeBrowser
    const reading = yield* makeReading
    const mailLink = yield* makeMailLink
    const count = yield* limiting
    const { answering, headers, page, query, readForm, seeOther } = yield* makePrivatePages

    const named = Effect.gen(function* () {
      const postId = yield* postIdOf
      yield* count("access")
      const asked = yield* reading.asked(postId)
      return { postId, receipt: asked.receipt, asked }
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

    const shown = Effect.fnUntraced(function* (found: PostAccess, asked: AccessRequest) {
      const { ownerId, receipt } = asked
      const {
        access: { via },
        post
      } = found
      const path = readPath(post.id)
      const published = yield* Effect.option(discovery.post(post.id))
      const { free, paid } = post.content
      const text = { free_content_markdown: free, paid_content_markdown: paid }
      const wholeText = post.version === "purchased" ? soldText : texts.wholeText
      const { headings, html: whole } = yield* wholeText(post.id, text, turnOf(asked))
      const isKept = yield* isKeptBy(ownerId, found)
      // An account may read what the receipt of an ended gift opens no more.
      const isOpen = receipt !== undefined && (yield* receipts.opens(post.id, receipt))
      const privateLink = isOpen ? `${baseUrl}${privatePath(post.id, receipt)}` : null
      const html = withUnlocked(
        absoluteHtml(whole, post.url ?? `${baseUrl}${path}`),
        via,
        Option.getOrNull(Option.map(published, ({ author }) => author.name)),
        isTakenAlong({ isKept, privateLink, via })
      )
      const language = Option.match(published, { onNone: () => "en", onSome: (it) => it.language })
      const files = post.attachments.map(({ byteSize, fileName, id, state }) => ({
        name: fileName,
        bytes: byteSize,
        path: state === "ready" ? `${path}/files/${id}` : null
      }))
      counter.read(yield* HttpServerRequest.HttpServerRequest, { posts: [post.id], hasWall: false }, ownerId)
      return page(
        readPage({
          id: post.id,
          path,
          title: post.title,
          text: yield* pictured(post.id, trusted(withLabels(html, wordsIn(language)))),
          headings,
          language,
          via,
          privateLink,
          isKept,
          files,
          post: Option.getOrNull(published)
        })
      )
    })

    const read = Effect.gen(function* () {
      const { asked, postId, receipt } = yield* named
      return yield* access.read(asked).pipe(
        Effect.flatMap(
          Effect.fnUntraced(function* (found) {
            const kept = receipt === undefined ? identity : yield* reading.renewed
            return found.access.via === "free" && found.post.url !== null
              ? kept(seeOther(found.post.url))
              : kept(yield* shown(found, asked))
          })
        ),
        Effect.catchTag(LOCKED, () => locked(postId, receipt !== undefined)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    const enter = Effect.gen(function* () {
      const form = yield* readForm({ receipt: LENGTHS.text })
      const { asked, postId } = yield* named
      const receipt = receiptFrom(form.get("receipt"))
      if (receipt === undefined) return yield* locked(postId, true)
      return yield* access.read({ ...asked, receipt }).pipe(
        Effect.andThen(count("receipt-copies")),
        Effect.andThen(reading.keep(postId, receipt)),
        Effect.map((kept) => kept(seeOther(readPath(postId)))),
        Effect.catchTag(LOCKED, () => locked(postId, true)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })

    const save = Effect.gen(function* () {
      const { asked, postId, receipt } = yield* named
      if (receipt === undefined) return yield* locked(postId, false)
      if (!(yield* receipts.opens(postId, receipt))) return yield* locked(postId, true)
      return yield* access.read(asked).pipe(
        Effect.map(({ post: { slug, title } }) =>
          HttpServerResponse.text(
            receiptText({ siteName, title, url: `${baseUrl}${privatePath(postId, receipt)}`, receipt }),
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

    /** Mails the private link of a text to an address that its reader types. */
    const mail = Effect.gen(function* () {
      const form = yield* readForm({ email: LENGTHS.line })
      const { asked, postId, receipt } = yield* named
      if (receipt === undefined) return yield* locked(postId, false)
      if (!(yield* receipts.opens(postId, receipt))) return yield* locked(postId, true)
      const typed = form.get("email") ?? ""
      const recipient = decodeAddress(typed)
      if (Option.isNone(recipient)) return page(wrongAddressPage(readPath(postId), typed), 400)
      return yield* access.read(asked).pipe(
        Effect.andThen(count("link-mails")),
        Effect.andThen(mailLink({ recipient: recipient.value, path: privatePath(postId, receipt) })),
        Effect.as(page(mailedPage(readPath(postId), recipient.value))),
        reportingRefusal,
        Effect.catchTag("RateLimited", () =>
          Effect.succeed(page(mailedLaterPage(readPath(postId), typed), 429))
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
          [
            "BlockAlreadyUsed",
            "BlockUnconfirmed",
            "ClaimMismatch",
            "Forbidden",
            "LedgerAway",
            "PaymentsDisabled"
          ],
          Effect.die
        )
      )

    /** Adds what this browser bought or was given to the account of the reader. */
    const add = Effect.gen(function* () {
      yield* readForm({})
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
      addPrivatePage("GET", "/read/:postId", answering(read)),
      addPrivatePage("POST", "/read/:postId", answering(enter)),
      addPrivatePage("POST", "/read/:postId/account", answering(add)),
      addPrivatePage("POST", "/read/:postId/mail", answering(mail)),
      addPrivatePage("GET", "/read/:postId/receipt", answering(save)),
      addPrivatePage("GET", "/read/:postId/files/:attachmentId", answering(download))
    )
  })
)
