import { Layer } from "effect"
import { FollowLists } from "./FollowLists.ts"
import { FollowListsRepo } from "./FollowListsRepo.ts"
import { Follows } from "./Follows.ts"
import { FollowsRepo } from "./FollowsRepo.ts"

export const layer = Layer.merge(
  Follows.layer.pipe(Layer.provide(FollowsRepo.layer)),
  FollowLists.layer.pipe(Layer.provide(FollowListsRepo.layer))
)
