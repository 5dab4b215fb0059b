import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { Uploads } from "../../publishing/uploads/Uploads.ts"
import type { FileForm } from "./fileForm.ts"
import { imageMarkdown, imagesIn } from "./images.ts"
import type { PictureView } from "./picturesPart.ts"
import { pictureWords } from "./pictureWords.ts"
import { FileRefused } from "./refusals.ts"
import { makeTakeFile } from "./takeFile.ts"

/** The fields of a post's form that pictures change. A section that the form cannot rewrite is undefined. */
export interface PicturePlaces {
  readonly free: string | undefined
  readonly paid: string | undefined
  readonly cardImage: string
}

/** A post, as the form of its author shows it. */
interface ShownPost {
  readonly id: PostId
  readonly revision: string
  readonly fields: PicturePlaces
}

/** The parts of the form that a change of pictures changes. */
export interface ChangedForm {
  readonly fields: Partial<PicturePlaces>
  /** The version that the author began from. The change may have made it a newer one. */
  readonly revision: string
  /** A sentence about what happened. */
  readonly said: string
  /** The address of the picture; null for one that is not shown. */
  readonly url: string | null
  /** The Markdown that was put into the text. */
  readonly markdown?: string
  /** The state of its screening. */
  readonly words: string
}

/** Characters of a description, at most. */
const ALT_CHARACTERS_MAX = 500

const decodeId = Schema.decodeUnknownOption(UploadOperationId)

/** True for pictures that arrived, and that neither their author nor a newer one has removed. */
const isListed = ({ safety: { currentGeneration, desired, generation, received } }: UploadReceipt) =>
  desired && received && generation === currentGeneration

const appended = (text: string, markdown: string) =>
  `${text.trimEnd()}${text.trim() === "" ? "" : "\n\n"}${markdown}\n`

/** Makes the functions by which an author adds pictures to a post and removes them, over the uploads of the API. */
export const makePictures = Effect.gen(function* () {
  const uploads = yield* Uploads
  const reader = yield* SectionReader
  const takeFile = yield* makeTakeFile

  const without = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    text: string | undefined,
    id: UploadOperationId
  ) {
    let left = text
    if (left === undefined || left.length > 2 * SECTION_CHARACTERS_MAX) return left
    for (const { url } of imagesIn(left))
      if (url.includes(id)) left = yield* reader.withoutUrl(publisher.ownerId, left, url)
    return left
  })

  return {
    /** Returns the pictures of an own post, newest first, with the descriptions that stand in the form. */
    of: Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      id: PostId,
      { free, paid }: PicturePlaces
    ) {
      const receipts = yield* Effect.catchTag(
        uploads.list(publisher, { postId: id }),
        "Validation",
        Effect.die
      )
      const images = receipts.length === 0 ? [] : [...imagesIn(free ?? ""), ...imagesIn(paid ?? "")]
      return receipts.filter(isListed).map((receipt): PictureView => {
        const { operationId, targetKind } = receipt.safety
        const shown = images.find(({ url }) => url.includes(operationId))
        const isOnCard = targetKind === "og"
        return {
          id: operationId,
          url: receipt.publicUrl,
          alt: isOnCard ? "The picture of the preview card" : (shown?.alt ?? null),
          words: pictureWords(receipt, shown !== undefined)
        }
      })
    }),

    /** Takes the picture of a form, and puts it at the end of a section or on the preview card. Nothing is saved. */
    insert: Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, revision }: ShownPost,
      key: string,
      form: FileForm
    ): Effect.fn.Return<ChangedForm, FileRefused | NotFound> {
      const place = form.fields.get("place") ?? ""
      const alt = (form.fields.get("alt") ?? "").trim()
      if ([...alt].length > ALT_CHARACTERS_MAX) {
        const sentence = `Describe the picture in at most ${ALT_CHARACTERS_MAX} characters, then choose it again.`
        return yield* new FileRefused({ status: 422, sentence, isNewKey: false })
      }
      const target = UploadTargetId.make(id)
      if (place === "card") {
        const taken = { target: { kind: "og", id: target, key: "" }, requestKey: key, revision } as const
        const receipt = yield* takeFile(publisher, taken, form)
        const { currentRevision, publicUrl, replayed } = receipt
        return {
          fields: publicUrl === null ? {} : { cardImage: publicUrl },
          // An earlier press changed the post, and the author may have saved it since.
          revision: replayed ? revision : (currentRevision ?? revision),
          said: "The picture is on the preview card.",
          url: publicUrl,
          words: pictureWords(receipt)
        }
      }
      const section = place === "paid" ? "paid" : "free"
      const text = fields[section]
      if (text === undefined) {
        const sentence =
          "This part cannot be changed here. Choose where the picture goes, then choose it again."
        return yield* new FileRefused({ status: 422, sentence, isNewKey: false })
      }
      const taken = { target: { kind: "inline", id: target, key }, requestKey: key } as const
      const receipt = yield* takeFile(publisher, taken, form)
      const url = receipt.publicUrl
      const words = pictureWords(receipt)
      if (url === null)
        return {
          fields: {},
          revision,
          url,
          words,
          said: "The picture arrived, and cannot be shown yet. Look again in a minute."
        }
      const markdown = imageMarkdown(url, alt)
      const isThere = imagesIn(text).some((it) => it.url === url)
      return {
        fields: isThere ? {} : { [section]: appended(text, markdown) },
        revision,
        said: "The picture is at the end of the text. Save to keep it there.",
        markdown,
        url,
        words
      }
    }),

    /** Removes a picture from the saved post at once, and from the form. */
    remove: Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, revision }: ShownPost,
      named: string
    ): Effect.fn.Return<ChangedForm, NotFound> {
      const operation = Option.getOrUndefined(decodeId(named))
      if (operation === undefined) return yield* new NotFound()
      const before = yield* uploads.status(publisher, operation)
      const { targetId, targetKind } = before.safety
      if (targetId !== UploadTargetId.make(id) || targetKind === "attachment") return yield* new NotFound()
      const after = yield* uploads.cancel(publisher, operation)
      return {
        fields: {
          free: yield* without(publisher, fields.free, operation),
          paid: yield* without(publisher, fields.paid, operation),
          cardImage: fields.cardImage.includes(operation) ? "" : fields.cardImage
        },
        revision: revision === before.currentRevision ? (after.currentRevision ?? revision) : revision,
        said: "The picture is removed.",
        url: null,
        words: pictureWords(after)
      }
    })
  }
})
