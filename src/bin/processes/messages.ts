import type { CountAnswer, CountQuestion } from "../../../layers/rate-limits/RateLimiterStorePrimary.ts"

/**
 * Messages of a serving process to the primary process. During a rolling restart one side may be of a newer release:
 * add members and kinds, and change none.
 */
export type ToPrimary =
  /** The process runs and awaits `serve`. */
  | { readonly kind: "begun" }
  /** The process listens at this address. */
  | { readonly kind: "listening"; readonly address: string }
  /** The process ends, because its operator must mend something. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "count"; readonly questions: ReadonlyArray<CountQuestion> }
  /** Asks for the metrics of all processes. */
  | { readonly kind: "ask-metrics"; readonly id: number }
  /** Answers with the metrics of this process. */
  | { readonly kind: "metrics"; readonly id: number; readonly text: string }

/** Messages of the primary process to a serving process. */
export type ToServing =
  | {
      readonly kind: "serve"
      /** Number of the process among those that serve, from 1. Its replacement has the same number. */
      readonly process: number
      /** URL of the embedded database. */
      readonly embedded?: string
    }
  /** Asks the process to accept no more connections, and to end when its connections have ended. */
  | { readonly kind: "drain" }
  | { readonly kind: "counted"; readonly answers: ReadonlyArray<CountAnswer> }
  | { readonly kind: "ask-metrics"; readonly id: number }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string }
