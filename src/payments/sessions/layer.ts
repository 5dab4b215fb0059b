import { Layer } from "effect"
import { PaymentSessions } from "./PaymentSessions.ts"
import { Watching } from "./Watching.ts"

/** Payment sessions, and the watch over the addresses that they pay. */
export const layer = PaymentSessions.layer.pipe(Layer.provideMerge(Watching.layer))
