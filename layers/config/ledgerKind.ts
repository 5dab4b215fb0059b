import { Option } from "effect"

/** The ledgers that a service can have: that of Nano nodes, one of its own for development, or none. */
export const LEDGER_KINDS = ["node", "development", "off"] as const
export type LedgerKind = (typeof LEDGER_KINDS)[number]

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** Returns true for an origin of this machine. */
export const isLoopback = (origin: string) => LOOPBACK.test(URL.parse(origin)?.hostname ?? "")
/** Returns true for an address to listen on that only this machine reaches. */
export const isLoopbackHost = (host: string) => LOOPBACK.test(host.includes(":") ? `[${host}]` : host)

interface Choice {
  readonly chosen: Option.Option<LedgerKind>
  readonly hasNodes: boolean
  /** The address to listen on. */
  readonly host: string
  readonly baseUrl: string
}

/** Returns the ledger that the variables choose. */
export const ledgerKindOf = ({ baseUrl, chosen, hasNodes }: Choice): LedgerKind =>
  Option.getOrElse(chosen, () => {
    if (hasNodes) return "node"
    return isLoopback(baseUrl) ? "development" : "off"
  })

/** Returns the problems of a choice. */
export const ledgerProblems = (choice: Choice): ReadonlyArray<string> => {
  const { baseUrl, chosen, hasNodes, host } = choice
  const kind = Option.getOrUndefined(chosen)
  if (kind === undefined && ledgerKindOf(choice) === "development" && !isLoopbackHost(host)) {
    return [
      "  HOST: other machines can connect to this address, but the development ledger's money has no value; set PUBLIC_BASE_URL to the origin that readers use, or set NANO_LEDGER to off, node or development"
    ]
  }
  if (kind === "node" && !hasNodes) return ["  NANO_LEDGER: node needs NANO_RPC_URL"]
  if (kind !== "development") return []
  return [
    ...(hasNodes
      ? ["  NANO_LEDGER: development uses no nodes, but NANO_RPC_URL names some; remove one of the two"]
      : []),
    ...(isLoopback(baseUrl)
      ? []
      : [
          "  NANO_LEDGER: development needs a PUBLIC_BASE_URL on this machine, because its money has no value; set NANO_RPC_URL, or use off"
        ])
  ]
}
