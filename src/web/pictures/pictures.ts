import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
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
  /** Undefined in a form without it. */
  readonly cardImage: string | undefined
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
  /** A sentence about what happened. */
  readonly said: string
  readonly id: UploadOperationId
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
  const { pathOf } = yield* OwnMedia
  const takeFile = yield* makeTakeFile

  const without = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    text: string | undefined,
    id: string
  ) {
    if (text === undefined || text.length > 2 * SECTION_CHARACTERS_MAX) return text
    const urls = new Set(imagesIn(text).flatMap(({ url }) => (url.includes(id) ? [url] : [])))
    return urls.size === 0 ? text : yield* reader.withoutUrls(publisher.ownerId, text, [...urls])
  })

  /** Returns what is left of fields after a picture is removed. */
  const withoutPicture = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    { cardImage, free, paid }: PicturePlaces,
    id: string
  ): Effect.fn.Return<PicturePlaces> {
    return {
      free: yield* without(publisher, free, id),
      paid: yield* without(publisher, paid, id),
      cardImage: cardImage?.includes(id) ? "" : cardImage
    }
  })

  return {
    withoutPicture,

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
      { fields, id: post, revision }: ShownPost,
      key: string,
      form: FileForm<"alt" | "place">
    ): Effect.fn.Return<ChangedForm, FileRefused | NotFound> {
      const place = form.fields.get("place") ?? ""
      const alt = (form.fields.get("alt") ?? "").trim()
      if ([...alt].length > ALT_CHARACTERS_MAX) {
        const sentence = `Describe the picture in at most ${ALT_CHARACTERS_MAX} characters, then choose it again.`
        return yield* new FileRefused({ status: 422, sentence, isNewKey: false })
      }
      const target = UploadTargetId.make(post)
      if (place === "card") {
        const taken = { target: { kind: "og", id: target, key: "" }, requestKey: key, revision } as const
        const receipt = yield* takeFile(publisher, taken, form)
        const { publicUrl } = receipt
        return {
          id: receipt.safety.operationId,
          fields: publicUrl === null ? {} : { cardImage: publicUrl },
          said: "The picture is on the preview card.",
          url: publicUrl,
          words: pictureWords(receipt)
        }
      }
      const section = place === "paid" ? "paid" : "free"
      const text = fields[section]
      if (text === undefined) {
        const sentence =
          "You can't change this part here. Choose another place for the picture, then choose it again."
        return yield* new FileRefused({ status: 422, sentence, isNewKey: false })
      }
      const taken = { target: { kind: "inline", id: target, key }, requestKey: key } as const
      const receipt = yield* takeFile(publisher, taken, form)
      const url = receipt.publicUrl
      const words = pictureWords(receipt)
      const id = receipt.safety.operationId
      if (url === null)
        return {
          id,
          fields: {},
          url,
          words,
          said: "The picture arrived, but can't be shown yet. Check again in a minute."
        }
      // A text names the picture by its path, which stays when the site moves to another domain.
      const path = pathOf(url) ?? url
      const markdown = imageMarkdown(path, alt)
      const isThere = imagesIn(text).some((it) => it.url === url || it.url === path)
      return {
        id,
        fields: isThere ? {} : { [section]: appended(text, markdown) },
        said: "The picture is at the end of the text. Save to keep it there.",
        markdown,
        url,
        words
      }
    }),

    /** Removes a picture from the saved post at once, and from the form. */
    remove: Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id }: Pick<ShownPost, "fields" | "id">,
      named: string
    ): Effect.fn.Return<ChangedForm, NotFound> {
      const operation = Option.getOrUndefined(decodeId(named))
      if (operation === undefined) return yield* new NotFound()
      const before = yield* uploads.status(publisher, operation)
      const { targetId, targetKind } = before.safety
      if (targetId !== UploadTargetId.make(id) || targetKind === "attachment") return yield* new NotFound()
      const after = yield* uploads.cancel(publisher, operation)
      return {
        id: operation,
        fields: yield* withoutPicture(publisher, fields, operation),
        said: "The picture is removed.",
        url: null,
        words: pictureWords(after)
      }
    })
  }
})
