import { Layer } from "effect"
import { AppendsRepo } from "./AppendsRepo.ts"
import { Comments } from "./Comments.ts"
import { CommentsRepo } from "./CommentsRepo.ts"
import { HiddenComments } from "./HiddenComments.ts"
import { HiddenCommentsRepo } from "./HiddenCommentsRepo.ts"

/** Comments on Posts, and their moderation. */
export const layer = Layer.merge(
  Comments.layer.pipe(Layer.provide([AppendsRepo.layer, CommentsRepo.layer])),
  HiddenComments.layer.pipe(Layer.provide(HiddenCommentsRepo.layer))
)
