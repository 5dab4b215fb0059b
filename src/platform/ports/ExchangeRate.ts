import { Context, Effect } from "effect"

/** The worth of one XNO in another currency. */
export interface Rate {
  readonly perXno: number
  /** The code of the currency, such as `USD`. */
  readonly currency: string
  /** The moment at which it was fetched; null for a rate that the operator set. */
  readonly at: Date | null
}

export interface ExchangeRate {
  /** The rate by which pages explain prices; undefined while there is none. */
  readonly current: Effect.Effect<Rate | undefined>
}

/** The rate of XNO. By default, there is no rate. */
export const ExchangeRate = Context.Reference<ExchangeRate>("pennypress/platform/ports/ExchangeRate", {
  defaultValue: () => ({ current: Effect.undefined })
})
