import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import type { Claim } from "../../../src/publishing/uploads/operation/claims.sql.ts"
import { STEP_LEASE_MILLIS } from "../../../src/publishing/uploads/operation/deadlines.ts"
import type { Operation } from "../../../src/publishing/uploads/operation/operation.ts"
import { UploadPipeline } from "../../../src/publishing/uploads/pipeline/UploadPipeline.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { type FormPart, multipart } from "../../publishing/uploads/multipart.ts"
import { BASE_URL, TestClient, type TestAnswer } from "../TestClient.ts"
import { authorOf } from "./author.ts"

/** Makes a PNG that differs for each seed. */
export const pngFile = (seed = 1): FormPart => ({
  name: "file",
  fileName: "picture.png",
  mediaType: "image/png",
  content: pngOf({ width: 8, height: 8, seed })
})

/** Makes a ZIP of one file, which differs for each content. */
export const zipFile = (content = "words", fileName = "book.zip"): FormPart => ({
  name: "file",
  fileName,
  mediaType: "application/zip",
  content: zipOf([{ name: "a.txt", content }])
})

let keys = 0

/** The parts of an upload request beside its file; defaults are valid. */
export interface UploadOptions {
  readonly key?: string
  readonly parts?: ReadonlyArray<FormPart>
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs in the `number`th author of a test file. Returns their uploads over the wire. */
export const uploaderOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)

  const post = (
    path: string,
    { headers = {}, key = `upload-${keys++}`, parts = [pngFile()] }: UploadOptions
  ) => {
    const form = multipart(parts)
    return client.send("POST", path, {
      token: author.key,
      body: form.body,
      headers: { "idempotency-key": key, ...form.headers, ...headers }
    })
  }
  const send = (method: string, path: string) => client.send(method, path, { token: author.key })

  return {
    ...author,
    avatar: (options: UploadOptions = {}) => post("/api/v1/profile/avatar", options),
    header: (options: UploadOptions = {}) => post("/api/v1/profile/header", options),
    /** Uploads an inline image to a Post, with the revision that was just read. */
    inline: (it: { readonly id: string; readonly updatedAt: string }, options: UploadOptions = {}) =>
      post(`/api/v1/posts/${it.id}/images`, {
        ...options,
        headers: { "x-post-revision": it.updatedAt, "x-upload-target-key": "node-1", ...options.headers }
      }),
    og: (it: { readonly id: string; readonly updatedAt: string }, options: UploadOptions = {}) =>
      post(`/api/v1/posts/${it.id}/images?intent=og`, {
        ...options,
        headers: { "x-post-revision": it.updatedAt, ...options.headers }
      }),
    /** Attaches a ZIP to a Post, with the revision that was just read. */
    attach: (it: { readonly id: string; readonly updatedAt: string }, options: UploadOptions = {}) =>
      post(`/api/v1/posts/${it.id}/attachments`, {
        parts: [zipFile()],
        ...options,
        headers: { "x-post-revision": it.updatedAt, ...options.headers }
      }),
    attachments: (id: string) => send("GET", `/api/v1/posts/${id}/attachments`),
    detach: (id: string, attachmentId: string) =>
      send("DELETE", `/api/v1/posts/${id}/attachments/${attachmentId}`),
    removeHeader: () => send("DELETE", "/api/v1/profile/header"),
    profile: () => send("GET", "/api/v1/profile"),
    status: ({ body }: TestAnswer) => send("GET", body.actions.status),
    cancel: ({ body }: TestAnswer) => send("DELETE", body.actions.cancel),
    associate: ({ body }: TestAnswer) => send("POST", body.actions.associate),
    operations: (query = "") => send("GET", `/api/v1/upload-operations${query}`)
  }
})
export type Uploader = Effect.Success<ReturnType<typeof uploaderOf>>

/** Requests the URL of an image as a reader does. */
export const media = Effect.fnUntraced(function* (
  url: string,
  headers: Readonly<Record<string, string>> = {}
) {
  const client = yield* TestClient
  return yield* client.send("GET", new URL(url, BASE_URL).pathname, { headers })
})

/**
 * Runs an effect while time passes, for requests that wait a few seconds. The test's clock is ten times as fast as the
 * real one: a request that waits for the machine instead must not meet its own time limit, which is two minutes.
 */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(Effect.andThen(onRealClock(Effect.sleep(10)), TestClock.adjust(100)))
  )

/** Claims operations that are due, as the worker of a process does. `limits` are those of the process; none unless told. */
export const take = Effect.fnUntraced(function* (
  limit: number,
  limits: Partial<Pick<Claim, "perOwner" | "served" | "heavyMax">> = {}
) {
  const pipeline = yield* UploadPipeline
  const at = yield* now
  const leaseUntil = later(at, STEP_LEASE_MILLIS)
  return yield* pipeline.claim({
    at,
    leaseUntil,
    limit,
    perOwner: limit,
    running: new Map(),
    served: new Map(),
    heavyMax: limit,
    ...limits
  })
})

/** Runs the task of a claimed operation. */
export const stepOf = Effect.fnUntraced(function* (operation: Operation) {
  yield* (yield* UploadPipeline).step(operation)
})

/** Runs the tasks of all due uploads, one after the other. Returns their number. */
export const workOff = Effect.gen(function* () {
  let steps = 0
  for (let taken = yield* take(10); taken.length > 0; taken = yield* take(10)) {
    yield* Effect.forEach(taken, stepOf)
    steps += taken.length
    assert.isBelow(steps, 1000, "the work does not end")
  }
  return steps
})
