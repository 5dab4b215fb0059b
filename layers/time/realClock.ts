import { Clock, Effect } from "effect"

/**
 * Runs an effect, and the fibers it starts, on the system's clock. Processes and sockets know no other clock. On a
 * `TestClock` a wait for a server would never end, and a pool would check for idle connections once for each minute
 * skipped.
 */
export const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
