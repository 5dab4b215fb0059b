import { Layer } from "effect"
import { Leaderboards } from "./Leaderboards.ts"
import { LeaderboardsRepo } from "./LeaderboardsRepo.ts"

export const layer = Leaderboards.layer.pipe(Layer.provide(LeaderboardsRepo.layer))
