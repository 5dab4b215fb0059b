import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"

const decode = Schema.decodeUnknownEffect(PostId)

/** The Post in the path of a page. */
export const postIdOf = Effect.flatMap(HttpRouter.params, ({ postId }) =>
  Effect.mapError(decode(postId), () => new NotFound())
)
