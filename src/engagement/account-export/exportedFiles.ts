import { Effect, Option, Stream } from "effect"
import type { Zip } from "effect/encoding"
import type {
  AttachmentEntry,
  ExportNote,
  PictureEntry,
  PostEntry
} from "../../../schemas/engagement/account-export/AccountExport.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { type OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { type ObjectKey, ObjectStorage } from "../../platform/ports/ObjectStorage.ts"
import {
  type ExportedPost,
  exportedPostOf,
  paidFileOf,
  paidPathOf,
  postFileOf,
  postPathOf
} from "../../publishing/posts/exportedPost.ts"
import { type ExportedPostRow, exportedPosts } from "../../publishing/posts/exportedPosts.sql.ts"
import { type OwnImageRow, ownImages } from "../../publishing/public-images/ownImages.sql.ts"
import { keptPath, publicPath } from "../../publishing/uploads/operation/objectKeys.ts"
import { type ArchiveFiles, safeFileName } from "./archive.ts"
import { pagesOf } from "./pages.ts"
import { SHORTCODE } from "./readme.ts"

/** The facts about the files of an archive that its last files have. */
export interface FileFacts {
  readonly posts: Array<PostEntry>
  readonly media: Array<PictureEntry>
  readonly attachments: Array<AttachmentEntry>
  readonly notes: Array<ExportNote>
  /** Paths of the posts that have what Hugo takes for a shortcode. */
  readonly withShortcodes: Array<string>
}

/** Returns the path of a picture on the site without its width and ending: a smaller copy is the same picture. */
const pictureOf = (path: string) => path.replace(/(?:-\d{1,5})?\.[a-z]+$/u, "")

/** Digits of its SHA-256 that name a picture. */
const NAME_DIGITS = 16

/** Names the pictures of texts. */
const makeNames = (media: OwnMedia["Service"], notes: Array<ExportNote>) => {
  const names = new Map<string, string>()
  return {
    set: (path: string, name: string) => names.set(pictureOf(path), name),
    /** Returns the names for one Post, and notes the pictures that have none. */
    of: ({ id: postId }: ExportedPostRow) => {
      const missed = new Set<string>()
      const nameOf = (path: string) => {
        const name = names.get(pictureOf(path))
        if (name === undefined && !missed.has(path)) {
          missed.add(path)
          notes.push({ code: "picture_elsewhere", postId, about: media.urlOf(path) })
        }
        return name
      }
      const of = (address: string) => {
        const path = media.pathOf(address)
        return (path === undefined ? undefined : nameOf(path)) ?? media.urlOf(address)
      }
      return { of, inText: (text: string) => media.textOf(media.renamed(text, nameOf)) }
    }
  }
}

/** Makes the function that returns the pictures, posts and attachments of an account as entries of an archive, one by one. */
export const makeExportedFiles = Effect.gen(function* () {
  const images = yield* ownImages
  const posts = yield* exportedPosts
  const storage = yield* ObjectStorage
  const media = yield* OwnMedia
  const baseUrl = yield* PublicBaseUrl

  /** Returns the bytes of a file; undefined when it has disappeared. */
  const bytesOf = (key: ObjectKey): Effect.Effect<Uint8Array | undefined> =>
    storage.read(key).pipe(
      Effect.catchTags({
        ObjectNotFound: () => Effect.undefined,
        StorageUnavailable: () => Effect.die(new DependencyUnavailable({ dependency: "storage" }))
      })
    )

  const entryOf = (row: ExportedPostRow, path: string): PostEntry => ({
    id: row.id,
    path,
    revision: row.updated_at,
    status: row.status,
    url: row.status === "published" ? `${baseUrl}/@${row.handle}/${row.slug}` : null,
    counts: { comments: row.comments, reactions: row.reactions, purchases: row.purchases, tips: row.tips }
  })

  return (owner: OwnerId, files: ArchiveFiles, facts: FileFacts): Stream.Stream<Zip.ContentEntry> => {
    const { attachments, media: pictures, notes, withShortcodes } = facts
    const names = makeNames(media, notes)

    const pathOf = (wanted: string, { id }: Pick<ExportedPostRow, "id">) => {
      const path = files.pathOf(wanted, id)
      if (path !== wanted) notes.push({ code: "file_renamed", postId: id, about: path })
      return path
    }

    const picture = Effect.fnUntraced(function* (row: OwnImageRow) {
      const key = publicPath(row, row.format)
      const bytes = yield* bytesOf(key)
      const url = media.urlOf(`/${key}`)
      if (bytes === undefined) {
        notes.push({ code: "picture_missing", postId: null, about: url })
        return []
      }
      const digest = yield* files.digestOf(bytes)
      const path = `media/${digest.slice(0, NAME_DIGITS)}${key.slice(key.lastIndexOf("."))}`
      names.set(`/${key}`, `/${path}`)
      pictures.push({ url, path, usedFor: row.target_kind })
      return files.has(path) ? [] : [files.stored(files.pathOf(path, row.id), bytes, digest)]
    })

    /** Returns the files of the texts of a Post. */
    const texts = Effect.fnUntraced(function* (
      row: ExportedPostRow,
      post: ExportedPost,
      named: (json: string) => string
    ) {
      const path = pathOf(postPathOf(post), row)
      const text = postFileOf(post)
      if (SHORTCODE.test(text)) withShortcodes.push(path)
      facts.posts.push(entryOf(row, path))
      const entries = [yield* files.text(path, text)]
      const paid = paidFileOf(post)
      if (paid !== undefined) {
        const paidPath = pathOf(paidPathOf(post), row)
        if (!post.isPaid) notes.push({ code: "open_section", postId: row.id, about: paidPath })
        entries.push(yield* files.text(paidPath, paid))
      }
      const { free_native, paid_native } = row
      if (free_native !== null || paid_native !== null) {
        const native = `native/${row.id}.json`
        notes.push({ code: "native_section", postId: row.id, about: native })
        const sections = [free_native, paid_native].map((json) => (json === null ? "null" : named(json)))
        entries.push(yield* files.text(native, `{"free":${sections[0]},"paid":${sections[1]}}\n`))
      }
      return entries
    })

    const attachment = Effect.fnUntraced(function* (
      { id: postId }: ExportedPostRow,
      { file_name: fileName, id, state }: ExportedPostRow["attachments"][number]
    ) {
      const wanted = `attachments/${postId}/${safeFileName(fileName)}`
      if (state !== "ready") {
        notes.push({ code: "attachment_unchecked", postId, about: wanted })
        return []
      }
      const file = { id: UploadOperationId.make(id), target_id: UploadTargetId.make(postId) }
      const bytes = yield* bytesOf(keptPath(file, "zip"))
      if (bytes === undefined) {
        notes.push({ code: "attachment_missing", postId, about: wanted })
        return []
      }
      const path = files.pathOf(wanted, id)
      const sha256 = yield* files.digestOf(bytes)
      attachments.push({ postId, fileName, path, byteSize: bytes.length, sha256 })
      return [files.stored(path, bytes, sha256)]
    })

    const ofPost = (row: ExportedPostRow) => {
      const { inText, of } = names.of(row)
      const native = (json: string) =>
        JSON.stringify(
          JSON.parse(json, (_, value) =>
            typeof value === "string" && media.pathOf(value) !== undefined ? of(value) : value
          )
        )
      const written = Stream.fromIterableEffect(
        Effect.suspend(() => texts(row, exportedPostOf(row, { inText, of }), native))
      )
      const zips = Stream.mapEffect(Stream.fromIterable(row.attachments), (file) => attachment(row, file))
      return Stream.concat(written, Stream.flattenIterable(zips))
    }

    const ofPosts = Stream.paginate<ExportedPostRow | undefined, ExportedPostRow>(undefined, (after) =>
      Effect.map(posts(owner, after), (rows) => [rows, Option.fromUndefinedOr(rows.at(-1))] as const)
    )
    const ofPictures = Stream.flattenIterable(pagesOf(images, owner))

    return Stream.concat(
      Stream.flattenIterable(Stream.mapEffect(ofPictures, picture)),
      Stream.flatMap(ofPosts, ofPost)
    )
  }
})
