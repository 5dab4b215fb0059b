import { Effect, Layer } from "effect"
import { AuthorKinds } from "../../accounts/owners/AuthorKinds.ts"
import { postAuthorKindStatements } from "./postAuthorKinds.sql.ts"

/** Makes the function that labels the public Posts of an owner. */
export const makeLabelPosts = Effect.map(postAuthorKindStatements, ({ change }) => change)

/**
 * Labels the Posts of an owner, in a service without Comments. Over a database with Comments, these would keep the
 * former kind of their author.
 */
export const withoutComments = Layer.effect(
  AuthorKinds,
  Effect.map(makeLabelPosts, (changed) => AuthorKinds.of({ changed }))
)
