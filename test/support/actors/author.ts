import { Effect, Option, Redacted } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { succeeding } from "../derivedClient.ts"
import { TestClient, type TestAnswer, type TestRequest } from "../TestClient.ts"
import { completePost, publisher } from "./owner.ts"

/** Members of a draft, whose categories may be plain numbers. */
export interface DraftMembers extends Omit<PostDraft, Category> {
  readonly primaryCategoryId?: number
  readonly secondaryCategoryId?: number | null
}
type Category = "primaryCategoryId" | "secondaryCategoryId"

/** Signs in the `number`th author of a test file. Returns the requests of their Publishing key over the wire. */
export const authorOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const owner = yield* publisher(number)
  const send = (method: string, path: string, request: TestRequest = {}) =>
    client.send(method, `/api/v1/posts${path}`, { token: owner.key, ...request })

  const create = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send("POST", "", { body, headers })
  const publish = (id: string, key = `publish-${id}`) =>
    send("POST", `/${id}/publish`, { headers: { "idempotency-key": key } })

  const succeed = yield* succeeding(owner.key)
  const draft = (members: DraftMembers = {}) =>
    Effect.map(
      // The service checks the numbers of categories, so tests need not brand them.
      succeed(({ posts }) =>
        posts.create({ headers: {}, payload: { ...completePost, ...members } as PostDraft })
      ),
      ({ body }) => body
    )

  return {
    ...owner,
    send,
    create,
    publish,
    read: (id: string) => send("GET", `/${id}`),
    patch: (id: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      send("PATCH", `/${id}`, { body, headers }),
    unpublish: (id: string, headers: Readonly<Record<string, string>> = {}) =>
      send("POST", `/${id}/unpublish`, { headers }),
    remove: (id: string) => send("DELETE", `/${id}`),
    /** Runs an effect as another service with the authority of the author's key. */
    asService:
      <A, E, R>(run: (publisher: PublisherAuthority, id: PostId) => Effect.Effect<A, E, R>) =>
      (id: string) =>
        Effect.gen(function* () {
          const publisher = yield* (yield* ApiKeys).authenticate(Redacted.make(owner.key))
          return yield* run(Option.getOrThrow(publisher), PostId.make(id))
        }),
    /** Creates a draft that could be published, changed by `members`. */
    draft,
    /** As `draft`, and publishes it. */
    published: Effect.fnUntraced(function* (members: DraftMembers = {}) {
      const post = yield* draft(members)
      yield* succeed(({ posts }) =>
        posts.publish({
          params: { postId: post.id },
          headers: { "idempotency-key": `publish-${post.id}` },
          payload: {}
        })
      )
      return post
    })
  }
})
export type Author = Effect.Success<ReturnType<typeof authorOf>>

/** Returns the errors of an answer in either family, each as "field code". */
export const errorsOf = ({ body }: TestAnswer): ReadonlyArray<string> => {
  const errors: ReadonlyArray<{ readonly field: string; readonly code: string }> =
    body?.errors ?? body?.data?.errors ?? []
  return errors.map(({ code, field }) => `${field} ${code}`)
}

/** Returns the status of a refusal, its problem's slug or its code, and its errors. */
export const refusalOf = (answer: TestAnswer): ReadonlyArray<unknown> => [
  answer.status,
  answer.body.type?.replace(/^.*\//, "") ?? answer.body.data.code,
  ...errorsOf(answer)
]
