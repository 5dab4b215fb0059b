/** Exit statuses of commands, as sysexits(3) has them. */
export const EXIT = {
  usage: 64,
  input: 65,
  unavailable: 69,
  state: 73,
  again: 75,
  permission: 77
} as const

/** Stands for a Nano node in a command. A service with a ledger of its own, for development, is its own node. */
export const NANO_NODE = "https://<nano-node>"

/** The fixed parts of a failure. */
export interface MarkerKind {
  /** The sentence, which is fixed: no part of it comes from a creator or from the service. */
  readonly message: string
  /**
   * A command or a tool; null where there is nothing to do. Commands stand in backquotes as `svc-mcp …`, and are shown whole
   * by `wholeCommands`.
   */
  readonly nextStep: string | null
  /** The next step for a person at a terminal, who has commands and no tools. */
  readonly inShell?: string
  readonly retryable?: boolean
  /** The status with which a command ends. */
  readonly exit: number
}
