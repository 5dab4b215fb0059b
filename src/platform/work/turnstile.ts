import { Effect, Semaphore } from "effect"

/**
 * Makes an effect that lets one of its callers through at each turn of the event loop. It belongs before work that keeps
 * the main thread busy for milliseconds.
 *
 * Node reads all sockets before it continues any other request. When sixteen requests with 4 ms of such work arrive at
 * once, each of the about ten steps of another request would wait 64 ms for them.
 */
export const makeTurnstile = Effect.map(Semaphore.make(1), ({ withPermit }) => withPermit(Effect.yieldNow))
