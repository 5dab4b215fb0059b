import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime, NodeServices } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Option, Redacted, Stream } from "effect"
import { HttpServer } from "effect/http"
import {
  ApiKeys,
  CategoryId,
  domain,
  Guests,
  http,
  NanoAddress,
  NativeContents,
  type NativeDocument,
  PayoutAddresses,
  Posts,
  PublicBaseUrl,
  Publishing,
  Uploads,
  UploadTargetId,
  withSettings
} from "pennypress"
import * as Database from "pennypress/layers/postgres/Database"
import { ports } from "pennypress/layers/testing"

/**
 * A small service of another team: it brings its own PostgreSQL, publishes for its guest, and serves the routes. It
 * prints the lines that `library.long.test.ts` reads.
 */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

const document: NativeDocument = {
  type: "doc",
  content: [{ type: "paragraph", content: [{ type: "text", text: "A penny for your thoughts." }] }]
}

/** Creates a guest with a Publishing key. A second guest cannot have the same handle. */
const author = Effect.gen(function* () {
  const guests = yield* Guests
  const apiKeys = yield* ApiKeys
  const guest = yield* guests.createGuest({ name: "Ada", handle: "ada_writes" })
  const { key } = yield* apiKeys.issue(guest, { label: "embedder" })
  const publisher = Option.getOrThrow(yield* apiKeys.authenticate(Redacted.make(key)))
  const taken = yield* guests.createGuest({ handle: "ADA_writes" }).pipe(
    Effect.as("created"),
    Effect.catchTag("HandleTaken", () => Effect.succeed("HandleTaken"))
  )
  yield* Console.log(taken)
  return { guest, key, publisher }
})

/** Writes a Post as a document, uploads an image for it and publishes it. Returns the upload, and the key of its author. */
const publication = Effect.gen(function* () {
  const { guest, key, publisher } = yield* author
  const posts = yield* Posts
  const contents = yield* NativeContents
  const publishing = yield* Publishing
  const uploads = yield* Uploads

  const draft = {
    title: "On pennies",
    description: "What a penny buys",
    freeContentMarkdown: "A draft.",
    primaryCategoryId: CategoryId.make(3),
    creationMethod: "human_written",
    creationAttested: true
  } as const
  const { post } = yield* posts.create(publisher, draft, "first-post")
  const again = yield* posts.create(publisher, draft, "first-post")
  yield* Console.log(again.replayed && again.post.id === post.id ? "replayed" : "created twice")
  const mismatch = yield* posts.create(publisher, { ...draft, title: "Other" }, "first-post").pipe(
    Effect.as("created"),
    Effect.catchTag("IdempotencyMismatch", () => Effect.succeed("IdempotencyMismatch"))
  )
  yield* Console.log(mismatch)

  const written = yield* contents.write(publisher, post.id, { free: document }, post.updatedAt)
  const conflict = yield* contents.write(publisher, post.id, { free: null }, post.updatedAt).pipe(
    Effect.as("written"),
    Effect.catchTag("RevisionConflict", () => Effect.succeed("RevisionConflict"))
  )
  yield* Console.log(conflict)

  const receipt = yield* uploads.admit(
    publisher,
    {
      target: { kind: "inline", id: UploadTargetId.make(post.id), key: "figure-1" },
      requestKey: "first-image",
      revision: written.updatedAt,
      requestBytes: PIXEL.length
    },
    Effect.succeed({ mediaType: "image/png", bytes: Stream.succeed(new Uint8Array(PIXEL)) })
  )
  yield* Console.log(receipt.safety.state)

  const incomplete = yield* publishing.publish(publisher, post.id, "too-early").pipe(
    Effect.as("published"),
    Effect.catchTag("PublicationIncomplete", ({ errors }) =>
      Effect.succeed(`PublicationIncomplete ${errors?.map(({ field }) => field)}`)
    )
  )
  yield* Console.log(incomplete)
  const payoutAddress = NanoAddress.make(yield* Config.String("PAYOUT_ADDRESS"))
  yield* (yield* PayoutAddresses).save(guest, { payoutAddress })
  yield* publishing.publish(publisher, post.id, "now")

  const { freeContentMarkdown, status, url } = yield* posts.read(publisher, post.id)
  yield* Console.log(JSON.stringify({ freeContentMarkdown, status, url }))
  return `${receipt.safety.operationId} ${key}`
})

const main = Effect.gen(function* () {
  const published = yield* publication
  yield* HttpServer.addressFormattedWith((address) => Console.log(`${address} ${published}`))
})

const database = Layer.unwrap(
  Effect.map(Config.Redacted("DATABASE_URL"), (url) => Database.layer({ url, maxConnections: 4 }))
)
const settings = Layer.unwrap(
  Effect.map(Config.Redacted("ADMIN_TOKEN"), (adminToken) => withSettings({ adminToken }))
)

Layer.effectDiscard(main).pipe(
  Layer.provideMerge(http),
  Layer.provide(domain),
  Layer.provide(ports()),
  Layer.provide(database),
  Layer.provide([settings, Layer.succeed(PublicBaseUrl, "https://press.test"), NodeServices.layer]),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
  Layer.launch,
  NodeRuntime.runMain
)
