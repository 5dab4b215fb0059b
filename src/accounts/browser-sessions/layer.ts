import { Layer } from "effect"
import { BrowserSessions } from "./BrowserSessions.ts"
import { BrowserSessionsRepo } from "./BrowserSessionsRepo.ts"

export const layer = BrowserSessions.layer.pipe(Layer.provide(BrowserSessionsRepo.layer))
