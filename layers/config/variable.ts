import type { Config } from "effect"

/** A variable of the environment: how to read it, and its line in the table of the documents. */
export interface Variable<A> {
  readonly config: Config.Config<A>
  readonly default: string
  readonly meaning: string
}

export const variable = <A>(config: Config.Config<A>, fallback: string, meaning: string): Variable<A> => ({
  config,
  default: fallback,
  meaning
})
