import { Effect, Stream } from "effect"
import { UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { CurrentPublisher, type PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { OwnUploadsRpcs } from "../../../schemas/publishing/uploads/ownRpc.ts"
import type { UploadRequest } from "./admission/uncertain.ts"
import { Uploads } from "./Uploads.ts"

interface Image {
  readonly requestKey: string
  readonly bytes: Uint8Array
}

/** Handlers of the procedures for own uploads. */
export const OwnUploadsRpc = OwnUploadsRpcs.toLayer(
  Effect.gen(function* () {
    const uploads = yield* Uploads

    const admit = (
      publisher: PublisherAuthority,
      { bytes, requestKey }: Image,
      place: Pick<UploadRequest, "target" | "revision">
    ) => {
      const request = { ...place, requestKey, requestBytes: bytes.length }
      const file = Effect.succeed({ mediaType: "", bytes: Stream.succeed(bytes) })
      return Effect.catchTag(
        uploads.admit(publisher, request, file),
        // Only a form is malformed, and only a ZIP needs paid text and a paywall.
        ["MalformedMultipart", "PaidContentRequired", "PaidPostRequired"],
        Effect.die
      )
    }

    const profileImage = (kind: "avatar" | "header") =>
      Effect.fnUntraced(
        function* (image: Image) {
          const publisher = yield* CurrentPublisher
          const target = { kind, id: UploadTargetId.make(publisher.ownerId), key: "" }
          return yield* admit(publisher, image, { target, revision: undefined })
        },
        // Only a Post has a revision, or may be missing.
        Effect.catchTag(["NotFound", "RevisionConflict"], Effect.die)
      )

    return OwnUploadsRpcs.of({
      "uploads.avatar": profileImage("avatar"),
      "uploads.header": profileImage("header"),
      "uploads.image": Effect.fnUntraced(function* ({
        postId,
        revision,
        target: { kind, ...node },
        ...image
      }) {
        const target = { kind, id: UploadTargetId.make(postId), key: "", ...node }
        return yield* admit(yield* CurrentPublisher, image, { target, revision })
      }),
      "uploads.list": Effect.fnUntraced(function* (query) {
        return yield* uploads.list(yield* CurrentPublisher, query)
      }),
      "uploads.status": Effect.fnUntraced(function* ({ operationId }) {
        return yield* uploads.status(yield* CurrentPublisher, operationId)
      }),
      "uploads.cancel": Effect.fnUntraced(function* ({ operationId }) {
        return yield* uploads.cancel(yield* CurrentPublisher, operationId)
      }),
      "uploads.associate": Effect.fnUntraced(function* ({ operationId }) {
        return yield* uploads.associate(yield* CurrentPublisher, operationId)
      }),
      "uploads.removeHeader": Effect.fnUntraced(function* () {
        yield* uploads.removeHeader(yield* CurrentPublisher)
      })
    })
  })
)
