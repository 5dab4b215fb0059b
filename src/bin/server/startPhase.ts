import { Effect } from "effect"

/** Logs at `debug` that a part of the start has ended, with the milliseconds since the process began. */
export const startPhase = (phase: string) =>
  Effect.suspend(() =>
    Effect.logDebug("start").pipe(
      Effect.annotateLogs({ phase, milliseconds: Math.round(process.uptime() * 1_000) })
    )
  )
