import { Effect, Layer } from "effect"
import * as ReadinessDatabase from "../../../layers/postgres/ReadinessDatabase.ts"
import * as SecureRandomSeeded from "../../../layers/testing/SecureRandomSeeded.ts"
import * as AnswerBytesNode from "../../../layers/web/AnswerBytesNode.ts"
import * as Owners from "../../../src/accounts/owners/layer.ts"
import { RetiredHandles } from "../../../src/accounts/retired-handles/RetiredHandles.ts"
import { PublicAnswers } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { withoutComments } from "../../../src/publishing/posts/postAuthorKinds.ts"

/** No handle of a deleted account. */
export const noRetiredHandles = Layer.mock(RetiredHandles, { isRetired: () => Effect.succeed(false) })

/** The services of `owners`, which need only a database. */
export const owners = Owners.layer.pipe(
  Layer.provide([PublicAnswers.layer, Secrets.layer, noRetiredHandles, withoutComments]),
  Layer.provide([AnswerBytesNode.layer, ReadinessDatabase.layer, SecureRandomSeeded.layer(1)]),
  Layer.provideMerge(Transactions.layer)
)
