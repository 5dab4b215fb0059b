import type { Socket } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import type { Host } from "../config/hosts.ts"
import { serverOptions } from "./serverOptions.ts"
import type { Statements } from "./Statements.ts"
import { socketTo } from "./writableHost.ts"

/** Answers after which a busy connection rests. */
const ANSWERS_UNTIL_REST = 100

/** A connection of a pool, over a socket of ours. Only the socket can end a statement that the server never answers. */
export class PooledConnection {
  readonly driver: PgConnection.PgConnection
  readonly socket: Socket
  /** Sends statements that may share the connection. The pool sets it. */
  statements!: Statements
  /** Statements and transactions that wait for an answer of the server. A statement ends with its caller. */
  owed = 0
  /** Answers since the server last owed none. */
  #answers = 0
  #bytesAtLastCheck = 0
  #silentChecks = 0

  constructor(driver: PgConnection.PgConnection, socket: Socket) {
    this.driver = driver
    this.socket = socket
  }

  begin(): void {
    this.owed += 1
  }

  /** Ends a statement. Returns true when the connection has to rest: the driver keeps each statement until it owes no answer. */
  end(): boolean {
    this.owed -= 1
    this.#answers = this.owed === 0 ? 0 : this.#answers + 1
    return this.#answers === ANSWERS_UNTIL_REST
  }

  /** Lets the statements under way end before the next ones begin. */
  readonly rest = Effect.suspend(() =>
    Effect.scoped(
      Effect.map(this.driver.pin, () => {
        // Statements that wait for the end of the rest are owed already.
        this.#answers = 0
      })
    )
  )

  /** Returns the number of consecutive checks, this one included, in which the server owed answers and sent nothing. */
  check(): number {
    const { bytesRead } = this.socket
    const isSilent = this.owed > 0 && bytesRead === this.#bytesAtLastCheck
    this.#bytesAtLastCheck = bytesRead
    this.#silentChecks = isSilent ? this.#silentChecks + 1 : 0
    return this.#silentChecks
  }
}

/** Connects to a host. */
export const connectTo = Effect.fnUntraced(function* (host: Host, options: PgConnection.Config) {
  const server = yield* serverOptions(host.url)
  let socket: Socket | undefined
  const stream = () => (socket = socketTo(host))
  const driver = yield* PgConnection.make({ ...options, ...server, stream })
  return new PooledConnection(driver, socket ?? stream())
})
