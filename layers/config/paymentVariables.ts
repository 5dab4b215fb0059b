import { Config, Option } from "effect"
import { WORK_THRESHOLDS } from "../../src/platform/nano/blocks.ts"
import { nanoUrls } from "../nano/rpcUrl.ts"
import { LEDGER_KINDS } from "./ledgerKind.ts"
import { variable } from "./variable.ts"
import { integer, PayableAddress, WorkThreshold } from "./variableSchemas.ts"

/** A tenth of a payment. */
const PLATFORM_FEE_BPS_MAX = 1000

/** The variables of payments. */
export const paymentVariables = {
  NANO_LEDGER: variable(
    Config.option(Config.Literals(LEDGER_KINDS, "NANO_LEDGER")),
    "`node` with `NANO_RPC_URL`, else `development` with a `PUBLIC_BASE_URL` and a `HOST` of this machine, else `off`; required if only `HOST` is not of this machine",
    "`node` uses Nano nodes; `development` is a ledger in the database, with money of no value; `off` accepts no payments"
  ),
  NANO_RPC_URL: variable(
    nanoUrls.rpc,
    "none",
    "Nano nodes, `https://user:password@host/path`, separated by commas and tried in this order"
  ),
  NANO_WS_URL: variable(
    nanoUrls.ws,
    "none",
    "WebSockets of such nodes, `wss://host`, which report payments immediately; the service still polls the nodes every few seconds"
  ),
  NANO_RPC_QUORUM: variable(
    Config.schema(integer(1, 10), "NANO_RPC_QUORUM").pipe(Config.withDefault(1)),
    "`1`",
    "Number of nodes in `NANO_RPC_URL` that must report a payment as confirmed before it counts"
  ),
  NANO_NETWORK: variable(
    Config.Literals(["nano:mainnet", "nano:test", "nano:beta"], "NANO_NETWORK").pipe(
      Config.withDefault("nano:mainnet" as const)
    ),
    "`nano:mainnet`",
    "Network of the nodes, `nano:mainnet`, `nano:test` or `nano:beta`; the service ignores nodes of another network"
  ),
  NANO_WORK_THRESHOLD: variable(
    Config.schema(WorkThreshold, "NANO_WORK_THRESHOLD").pipe(Config.withDefault(WORK_THRESHOLDS.send)),
    "`fffffff800000000`",
    "Minimum difficulty of a payment's work, 16 hexadecimal digits; `nano:test` and `nano:beta` have lower ones"
  ),
  NANO_WORK_URL: variable(
    nanoUrls.work,
    "none",
    "Servers that answer `work_generate`, separated by commas; payers then need not generate work"
  ),
  PLATFORM_FEE_BPS: variable(
    Config.schema(integer(0, PLATFORM_FEE_BPS_MAX), "PLATFORM_FEE_BPS").pipe(Config.withDefault(0)),
    "`0`",
    "The platform's share of sales and tips in basis points, 0 to 1000; the platform collects it as a whole payment now and then"
  ),
  PLATFORM_FEE_ADDRESS: variable(
    Config.option(Config.schema(PayableAddress, "PLATFORM_FEE_ADDRESS")),
    "none",
    "Nano address that receives the platform's share; required with `PLATFORM_FEE_BPS`"
  )
} as const

type Values = {
  readonly [Name in keyof typeof paymentVariables]?: Config.Success<(typeof paymentVariables)[Name]["config"]>
}

/** Returns the problems between variables. Variables without a value are absent from `values`. */
export const paymentProblems = (values: Values): ReadonlyArray<string> => [
  ...nodeProblems(values),
  ...feeProblems(values)
]

const nodeProblems = ({ NANO_RPC_QUORUM, NANO_RPC_URL, NANO_WS_URL }: Values) => {
  if (NANO_RPC_URL === undefined) return []
  const nodes = Option.match(NANO_RPC_URL, { onNone: () => 0, onSome: (servers) => servers.length })
  const problems: Array<string> = []
  if (nodes > 0 && NANO_RPC_QUORUM !== undefined && NANO_RPC_QUORUM > nodes) {
    problems.push(
      `  NANO_RPC_QUORUM: more than the number of nodes in NANO_RPC_URL (${nodes}), so no payment would count`
    )
  }
  if (nodes === 0 && NANO_WS_URL !== undefined && Option.isSome(NANO_WS_URL)) {
    problems.push("  NANO_WS_URL: needs NANO_RPC_URL, which confirms every payment; set both or neither")
  }
  return problems
}

const feeProblems = ({ PLATFORM_FEE_ADDRESS, PLATFORM_FEE_BPS }: Values) =>
  PLATFORM_FEE_BPS !== undefined &&
  PLATFORM_FEE_BPS > 0 &&
  PLATFORM_FEE_ADDRESS !== undefined &&
  Option.isNone(PLATFORM_FEE_ADDRESS)
    ? ["  PLATFORM_FEE_ADDRESS: required with PLATFORM_FEE_BPS, because it receives the share"]
    : []
