import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import type { Author } from "../../../support/actors/author.ts"
import { completePost } from "../../../support/actors/owner.ts"
import { TestClient, type TestRequest } from "../../../support/TestClient.ts"
import { secretOf } from "../stateFile.ts"

/** The price of the Posts that writers buy. */
export const PRICE = RAW_PER_XNO / 1000n

/** An identity with every permission, and what its writes are about. */
export interface Writer {
  readonly directory: string
  readonly ownerId: string
  /** Another author. */
  readonly stranger: Author
  /** Returns the number of blocks in the chain of the writer's wallet, and what is left in it. */
  readonly wallet: Effect.Effect<{ readonly blocks: number; readonly balanceRaw: bigint }>
  /** Does the work that the service has for its workers, unless they do it by themselves. */
  readonly workOff: Effect.Effect<unknown, never, TestClient>
  /** Calls a tool in a process that lives. */
  readonly call: (tool: string, args: object) => Effect.Effect<any>
}

/** One call of a tool that writes. */
interface Call {
  readonly args: object
  /** Checks, after the tool has answered a result, that the service has its effect once. */
  readonly check: (result: any) => Effect.Effect<void, never, TestClient>
}

/** A tool that writes. */
export interface Write {
  /** Picks the request that has the effect. */
  readonly isEffect: (method: string, path: string, headers: Readonly<Record<string, unknown>>) => boolean
  /** Makes what a new call is about. */
  readonly prepare: (writer: Writer, number: number) => Effect.Effect<Call, never, TestClient>
}

/** Sends a request with the Publishing key of a writer. */
export const asPublisher = Effect.fnUntraced(function* (
  { directory }: Writer,
  method: string,
  path: string,
  request: TestRequest = {}
) {
  const client = yield* TestClient
  const token = secretOf(directory, "publishing-key")
  return yield* client.send(method, `/api/v1${path}`, { token, ...request })
})

/** Makes a draft of a writer, complete but for a word on how it was made. */
export const drafted = Effect.fnUntraced(function* (writer: Writer, body: object = {}) {
  const post = { ...completePost, creationMethod: null, creationAttested: false, ...body }
  const { body: draft, status, text } = yield* asPublisher(writer, "POST", "/posts", { body: post })
  assert.strictEqual(status, 201, text)
  return draft
})

/** Picks requests by their method and path. */
export const pathOf = (method: string, pattern: RegExp) => (asked: string, path: string) =>
  asked === method && pattern.test(path)

/** Members of a Post that costs the price. */
export const paid = { paidContentMarkdown: "Behind the price.", enablePaywall: true, priceRaw: String(PRICE) }

/** Puts a file where uploads may come from. */
export const placed = ({ directory }: Writer, name: string, bytes: Uint8Array) => {
  const path = join(directory, "files", name)
  writeFileSync(path, bytes)
  return path
}

/** Writes a Comment of an author. */
export const commented = Effect.fnUntraced(function* (author: Author, postId: string, number: number) {
  const client = yield* TestClient
  const { body, status, text } = yield* client.send("POST", `/api/v1/posts/${postId}/comments`, {
    token: author.accessToken,
    headers: { "idempotency-key": `comment-${number}` },
    body: { content: `Question ${number}` }
  })
  assert.strictEqual(status, 201, text)
  return body
})
