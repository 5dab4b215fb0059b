import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Uploads } from "../../publishing/uploads/Uploads.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { readFileForm } from "../pictures/fileForm.ts"
import { makeTakeFile } from "../pictures/takeFile.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { filesPath } from "../write/writePage.ts"
import { filesPage, type FilesView, type FileView } from "./filesPage.ts"
import { fileWords } from "./fileWords.ts"

const isKey = Schema.is(SessionIdempotencyKey)

/** True for files that are on the post, and for those that were refused since. */
const isListed = ({ attachment, safety: { desired, received } }: UploadReceipt) =>
  attachment != null || (desired && received)

const viewOf = (receipt: UploadReceipt): FileView => ({
  id: receipt.safety.operationId,
  file: receipt.attachment ?? null,
  words: fileWords(receipt)
})

/** Serves the page on which an author attaches ZIPs to a post, by the uploads of the API. */
export const FileRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const uploads = yield* Uploads
    const takeFile = yield* makeTakeFile
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, checkFileForm, page, query, readForm, seeOther } = yield* makePrivatePages

    const shown = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      id: PostId,
      view: Partial<FilesView>,
      status?: number
    ) {
      const { enablePaywall, title } = yield* posts.read(publisher, id)
      const receipts = yield* uploads.attachments(publisher, id)
      const all: FilesView = {
        id,
        title,
        files: receipts.filter(isListed).map(viewOf),
        key: yield* random.uuidV4(),
        isSold: enablePaywall,
        wrong: undefined,
        told: null,
        ...view
      }
      return page(filesPage(all), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const at = yield* query
      const told = at.has("attached")
        ? "The file is attached."
        : at.has("removed")
          ? "The file is removed."
          : null
      return yield* shownAt(filesPath(id), (publisher) => shown(publisher, id, { told }))
    })

    const attach = Effect.gen(function* () {
      const id = yield* postIdOf
      yield* checkFileForm
      return yield* publisherAt(
        filesPath(id),
        Effect.fnUntraced(function* (publisher) {
          const form = yield* readFileForm({ key: LENGTHS.word })
          const key = form.fields.get("key") ?? ""
          if (!isKey(key)) return yield* new FormRefused({ status: 400 })
          const target = { kind: "attachment", id: UploadTargetId.make(id), key: "" } as const
          return yield* takeFile(publisher, { target, requestKey: key }, form).pipe(
            Effect.as(seeOther(`${filesPath(id)}?attached`)),
            Effect.catchTag(
              "FileRefused",
              Effect.fnUntraced(function* ({ isNewKey, sentence, status }) {
                const again = isNewKey ? yield* random.uuidV4() : key
                return yield* shown(publisher, id, { wrong: sentence, key: again }, status)
              })
            )
          )
        })
      )
    })

    const remove = Effect.gen(function* () {
      const id = yield* postIdOf
      const named = (yield* readForm({ file: LENGTHS.word })).get("file")
      return yield* publisherAt(
        filesPath(id),
        Effect.fnUntraced(function* (publisher) {
          const receipts = yield* uploads.attachments(publisher, id)
          const receipt = receipts.find(({ safety }) => safety.operationId === named)
          if (receipt === undefined) return yield* new NotFound()
          if (isListed(receipt)) yield* uploads.detach(publisher, id, receipt.safety.operationId)
          return seeOther(`${filesPath(id)}?removed`)
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/write/:postId/files", answering(show)),
      addPrivatePage("POST", "/write/:postId/files", answering(attach)),
      addPrivatePage("POST", "/write/:postId/files/remove", answering(remove))
    )
  })
)
