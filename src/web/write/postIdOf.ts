import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"

const decode = Schema.decodeUnknownOption(PostId)

/** The Post in the path of a page. */
export const postIdOf = Effect.flatMap(HttpRouter.params, ({ postId }) =>
  Option.match(decode(postId), { onNone: () => Effect.fail(new NotFound()), onSome: Effect.succeed })
)
