import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Metric } from "effect"

/**
 * The members of a driver's connection that the driver does not expose. They are read instead of counting statements
 * here, which would cost each statement 10 µs. Only the socket can end a statement that the server never answers: a
 * cancellation would be a message to the same server.
 */
interface Driver {
  readonly session: { readonly socket: Socket }
  /** Asks the server to cancel what it runs, over a connection of its own. */
  readonly cancel: Effect.Effect<void>
  /** Set while the server owes an answer. */
  readonly consumer: unknown
  readonly pipelinePending: ReadonlyArray<unknown>
  readonly pipelineInFlight: Array<unknown>
  /** Entries of `pipelineInFlight` that are answered. */
  pipelineHead: number
}

interface Socket {
  readonly destroyed: boolean
  readonly destroy: (error: Error) => unknown
  readonly on: (event: "data", listener: () => void) => unknown
  readonly once: (event: "close", listener: () => void) => unknown
}

/** A connection and its last signs of life. */
interface Watched {
  readonly driver: Driver
  /** Consecutive checks in which the server owed answers and sent nothing. */
  silentChecks: number
  /** Chunks received from the server so far. */
  chunks: number
  chunksAtLastCheck: number
}

const open = Metric.gauge("database_connections", { description: "Open connections, by pool" })
const running = Metric.gauge("database_statements", {
  description: "Statements that the server has not answered yet, by pool"
})

/** Checks of each connection within the deadline. The last of them cuts a silent connection. */
const CHECKS = 10

/** Returns the number of statements that share this connection now. */
const sharedBy = ({ pipelineHead, pipelineInFlight, pipelinePending }: Driver) =>
  pipelineInFlight.length - pipelineHead + pipelinePending.length

/**
 * Drops the answered statements of a connection. The driver keeps them, with all their rows, until the connection owes no
 * answer. A busy connection may never get there, and would hold every row that it ever read.
 */
const dropAnswered = (driver: Driver) => {
  if (driver.pipelineHead === 0) return
  driver.pipelineInFlight.splice(0, driver.pipelineHead)
  driver.pipelineHead = 0
}

/**
 * Cuts connections on which the server owes an answer and sends nothing for `withinMillis`. A stopped server or a
 * network that drops packets looks like that. All statements of such a connection fail, and the pool opens another one.
 * A connection that sends stays open, however long its statements take: a slow statement does not fail others.
 *
 * With `cancelMillis`, the server is asked first to cancel a statement that runs for longer. This stands for PostgreSQL's
 * `statement_timeout`, which a pooler does not pass on, and costs no round trip.
 */
export const watchConnections = Effect.fnUntraced(function* (
  pool: string,
  withinMillis: number,
  cancelMillis = Number.POSITIVE_INFINITY
) {
  const connections = new Map<PgConnection.PgConnection, Watched>()
  const intervalMillis = withinMillis / CHECKS
  /** Silent checks that a statement begins with before it has run for `cancelMillis`. */
  const checksToCancel = Math.floor(cancelMillis / intervalMillis) + 1

  const check = (watched: Watched) => {
    const { consumer, session } = watched.driver
    const isSilent = consumer !== undefined && watched.chunks === watched.chunksAtLastCheck
    watched.chunksAtLastCheck = watched.chunks
    watched.silentChecks = isSilent ? watched.silentChecks + 1 : 0
    if (watched.silentChecks > CHECKS)
      session.socket.destroy(new Error("The database did not answer in time"))
    return watched.silentChecks === checksToCancel
  }

  const checkAll = Effect.suspend(() => {
    const slow = [...connections.values()].filter(check)
    return Effect.forEach(slow, ({ driver }) => Effect.forkChild(driver.cancel), { discard: true })
  })

  /** Tells how much of the pool is in use. */
  const measure = Effect.suspend(() => {
    let statements = 0
    for (const { driver } of connections.values()) statements += sharedBy(driver)
    return Effect.andThen(
      Metric.update(Metric.withAttributes(open, { pool }), connections.size),
      Metric.update(Metric.withAttributes(running, { pool }), statements)
    )
  })

  yield* checkAll.pipe(
    Effect.andThen(measure),
    Effect.delay(intervalMillis),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    /** Watches a connection from its first use until it closes. */
    watch: (connection: PgConnection.PgConnection): void => {
      if (connections.has(connection)) return
      const driver = connection as unknown as Driver
      const { socket } = driver.session
      // Statements of an ended connection fail by themselves.
      if (socket.destroyed) return
      const made: Watched = { driver, silentChecks: 0, chunks: 0, chunksAtLastCheck: 0 }
      connections.set(connection, made)
      socket.on("data", () => {
        made.chunks += 1
        // The driver has read this chunk: its listener is older.
        dropAnswered(driver)
      })
      socket.once("close", () => connections.delete(connection))
    },

    /**
     * Returns true when an open connection can take one more statement at the same time. Each of them takes `sharing`,
     * except the `exclusive` ones of transactions.
     */
    hasRoom: (sharing: number, exclusive: number): boolean => {
      let room = -exclusive * sharing
      for (const { driver } of connections.values()) {
        if (!driver.session.socket.destroyed) room += sharing - sharedBy(driver)
      }
      return room > 0
    }
  }
})
