import { Option } from "effect"

/** The ledgers that a service can have: that of Nano nodes, one of its own for development, or none. */
export const LEDGER_KINDS = ["node", "development", "off"] as const
export type LedgerKind = (typeof LEDGER_KINDS)[number]

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

const isLoopback = (origin: string) => LOOPBACK.test(URL.parse(origin)?.hostname ?? "")

interface Choice {
  readonly chosen: Option.Option<LedgerKind>
  readonly hasNodes: boolean
  readonly baseUrl: string
}

/** Returns the ledger that the variables choose. */
export const ledgerKindOf = ({ baseUrl, chosen, hasNodes }: Choice): LedgerKind =>
  Option.getOrElse(chosen, () => {
    if (hasNodes) return "node"
    return isLoopback(baseUrl) ? "development" : "off"
  })

/** Returns the problems of a choice. */
export const ledgerProblems = ({ baseUrl, chosen, hasNodes }: Choice): ReadonlyArray<string> => {
  const kind = Option.getOrUndefined(chosen)
  if (kind === "node" && !hasNodes) return ["  NANO_LEDGER: node needs NANO_RPC_URL, the nodes to ask"]
  if (kind !== "development") return []
  return [
    ...(hasNodes
      ? ["  NANO_LEDGER: development is a ledger of its own, and NANO_RPC_URL names nodes; leave one out"]
      : []),
    ...(isLoopback(baseUrl)
      ? []
      : [
          "  NANO_LEDGER: development needs a PUBLIC_BASE_URL of this machine, as its money has no value; set NANO_RPC_URL, or off"
        ])
  ]
}
