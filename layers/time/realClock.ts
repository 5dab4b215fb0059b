import { Clock, Effect } from "effect"

/**
 * Runs an effect, and the fibers it starts, on the system's clock. Processes and sockets know no other: on a
 * `TestClock` a wait for a server would never end, and a pool's idle check would run once per minute skipped.
 */
export const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
