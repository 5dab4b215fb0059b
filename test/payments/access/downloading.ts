import { createHash } from "node:crypto"
import { Effect } from "effect"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { type Uploader, workOff, zipFile } from "../../support/actors/uploader.ts"
import { type TestAnswer, TestClient, type TestRequest } from "../../support/TestClient.ts"
import { paidPost } from "./paidPost.ts"

/** The ZIP of these tests, as it is attached. */
export const part = zipFile("the words of the book", "Книга 'é'.zip")
export const bytes = Buffer.from(part.content)
export const sha256 = createHash("sha256").update(bytes).digest()

/** A file of a published Post. */
export interface Offer {
  readonly id: string
  readonly file: string
}

/** Publishes a paid Post with a ready file. */
export const offered = Effect.fnUntraced(function* (author: Uploader) {
  const draft = yield* author.draft(paidPost)
  const sent = yield* author.attach(draft, { parts: [part] })
  yield* workOff
  const { body } = yield* author.publish(draft.id, `publish-${draft.id}`)
  const offer: Offer = { id: body.id, file: idOf(sent) }
  return offer
})

/** Downloads a file. */
export const download = Effect.fnUntraced(function* (
  { file, id }: Offer,
  headers: Readonly<Record<string, string>> = {},
  request: TestRequest = {},
  method = "GET"
) {
  const client = yield* TestClient
  return yield* client.send(method, `/api/posts/${id}/attachments/${file}`, { ...request, headers })
})

export const codeOf = ({ body, status }: TestAnswer) => [status, body.data?.code]
