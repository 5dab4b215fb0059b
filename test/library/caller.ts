import { NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeServiceClient, onBehalfOf, PostId, type Post, type ServiceClient } from "pennypress"

/**
 * Another service of the operator, in a process of its own: it writes, uploads and publishes over RPC for the owner whose
 * Publishing key it holds. It prints the lines that `library.long.test.ts` reads.
 */
const [baseUrl = ""] = process.argv.slice(2)

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

const draft = {
  title: "Over RPC",
  description: "What another process sends",
  freeContentMarkdown: "Sent by another process.\n",
  primaryCategoryId: 3,
  creationMethod: "human_written",
  creationAttested: true
} as const

const connected = Effect.flatMap(Config.Redacted("ADMIN_TOKEN"), (token) =>
  makeServiceClient({ baseUrl, token })
)

/** Creates a Post once, even if a request is repeated. */
const created = Effect.fnUntraced(function* (client: ServiceClient) {
  const create = client["posts.create"]({ draft, idempotencyKey: "over-rpc" })
  const { post } = yield* create
  const again = yield* create
  yield* Console.log(again.replayed && again.post.id === post.id ? "replayed" : "created twice")
  const mismatch = yield* client["posts.create"]({
    draft: { ...draft, title: "Other" },
    idempotencyKey: "over-rpc"
  }).pipe(
    Effect.as("created"),
    Effect.catchTag("IdempotencyMismatch", () => Effect.succeed("IdempotencyMismatch"))
  )
  yield* Console.log(mismatch)
  const invalid = yield* client["posts.create"]({ draft: { ...draft, language: "-" } }).pipe(
    Effect.as("created"),
    Effect.catchTag("Validation", ({ errors }) =>
      Effect.succeed(`Validation ${errors.map(({ field }) => field)}`)
    )
  )
  yield* Console.log(invalid)
  return post
})

/** Uploads an image for a Post. Another file under the same key is refused. */
const uploaded = Effect.fnUntraced(function* (client: ServiceClient, postId: PostId) {
  const { updatedAt: revision } = yield* client["posts.read"]({ postId })
  const image = {
    postId,
    revision,
    target: { kind: "inline", key: "figure-1" },
    requestKey: "figure-1-of-over-rpc"
  } as const
  const { safety } = yield* client["uploads.image"]({ ...image, bytes: PIXEL })
  yield* Console.log(safety.state)
  const conflict = yield* client["uploads.image"]({
    ...image,
    bytes: Buffer.concat([PIXEL, Buffer.from("more")])
  }).pipe(
    Effect.as("received"),
    Effect.catchTag("UploadConflict", () => Effect.succeed("UploadConflict"))
  )
  yield* Console.log(conflict)
})

/** Edits a Post and publishes it. An edit of an older revision is refused. */
const published = Effect.fnUntraced(function* (
  client: ServiceClient,
  { id: postId, updatedAt: revision }: Post
) {
  const { updatedAt } = yield* client["posts.update"]({ postId, patch: { commentsEnabled: false } })
  const conflict = yield* client["posts.update"]({
    postId,
    patch: { commentsEnabled: true },
    revision
  }).pipe(
    Effect.as("saved"),
    Effect.catchTag("RevisionConflict", () => Effect.succeed("RevisionConflict"))
  )
  yield* Console.log(conflict)
  const { value } = yield* client["posts.publish"]({ postId, idempotencyKey: `publish-${updatedAt}` })
  yield* Console.log(value.publishResult)
  const { freeContentMarkdown, status, url } = yield* client["posts.read"]({ postId })
  yield* Console.log(JSON.stringify({ freeContentMarkdown, status, url }))
})

/** Reads as the public does, which needs no Publishing key. */
const publicReads = Effect.fnUntraced(function* (client: ServiceClient) {
  const { handle, name } = yield* client["discovery.profile"]({ handle: "ada_writes" })
  const { data } = yield* client["discovery.posts"]({ handle, sort: "newest" })
  yield* Console.log(`${name} has ${data.length} Posts, the newest ${data[0]?.title}`)
  const unknown = yield* client["discovery.post"]({
    postId: PostId.make("00000000-0000-7000-8000-000000000000")
  }).pipe(
    Effect.as("found"),
    Effect.catchTag("NotFound", () => Effect.succeed("NotFound"))
  )
  yield* Console.log(unknown)
})

/** The service refuses a wrong key, and a caller without its own token. */
const refusals = Effect.fnUntraced(
  function* (client: ServiceClient) {
    const stranger = yield* makeServiceClient({
      baseUrl,
      token: Redacted.make("another-token-of-more-than-32-characters")
    })
    for (const list of [client["posts.list"]({}), stranger["posts.list"]({})]) {
      const refused = yield* list.pipe(
        Effect.as("listed"),
        Effect.catchTag(["Unauthorized", "NotAdministrator"], ({ _tag }) => Effect.succeed(_tag))
      )
      yield* Console.log(refused)
    }
  },
  onBehalfOf(Redacted.make("ppk_wrong"))
)

/** Does all that an author does. Each call acts for the owner of the key. */
const authoring = Effect.fnUntraced(function* (client: ServiceClient) {
  yield* client["profile.update"]({ patch: { name: "Ada L." } })
  const post = yield* created(client)
  yield* uploaded(client, post.id)
  yield* published(client, post)
})

const main = Effect.gen(function* () {
  const client = yield* connected
  yield* authoring(client).pipe(onBehalfOf(yield* Config.Redacted("PUBLISHING_KEY")))
  yield* publicReads(client)
  yield* refusals(client)
}).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))

NodeRuntime.runMain(main)
