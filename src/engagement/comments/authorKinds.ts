import { Effect, Layer } from "effect"
import { AuthorKinds } from "../../accounts/owners/AuthorKinds.ts"
import { makeLabelPosts } from "../../publishing/posts/postAuthorKinds.ts"
import { commentAuthorStatements } from "./commentAuthors.sql.ts"

/** Labels the Posts and the Comments of an owner. */
export const authorKinds = Layer.effect(
  AuthorKinds,
  Effect.gen(function* () {
    const labelPosts = yield* makeLabelPosts
    const comments = yield* commentAuthorStatements
    return AuthorKinds.of({
      changed: (owner, kind) => Effect.andThen(labelPosts(owner, kind), comments.change(owner, kind))
    })
  })
)
