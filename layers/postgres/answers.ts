import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"

/** A connection with statements in progress. */
interface Watched {
  readonly socket: Socket
  /** Statements that still wait for the server's answer. */
  owed: number
  /** Consecutive checks in which the server owed answers and sent nothing. */
  silentLooks: number
  /** Chunks received from the server so far. */
  chunks: number
  chunksAtLastLook: number
}

interface Socket {
  readonly destroyed: boolean
  readonly destroy: (error: Error) => unknown
  readonly on: (event: "data", listener: () => void) => unknown
  readonly once: (event: "close", listener: () => void) => unknown
}

/** Checks of each connection within the deadline. The last of them cuts a silent connection. */
const LOOKS = 10

/**
 * Returns the socket of a driver's connection, which the driver does not expose. Only that socket can end a statement
 * that the server never answers. A cancellation would be a message to the same server.
 */
const socketOf = (connection: PgConnection.PgConnection): Socket =>
  (connection as unknown as { readonly session: { readonly socket: Socket } }).session.socket

/**
 * Cuts connections on which the server owes an answer and sends nothing for `withinMillis`. A stopped server or a
 * network that drops packets looks like that. All statements of such a connection fail, and the pool opens another one.
 * A connection that sends stays open, however long its statements take: a slow statement does not fail others.
 */
export const watchAnswers = Effect.fnUntraced(function* (withinMillis: number) {
  const connections = new Map<PgConnection.PgConnection, Watched>()

  const watch = (connection: PgConnection.PgConnection) => {
    const known = connections.get(connection)
    if (known !== undefined) return known
    const socket = socketOf(connection)
    // Statements of an ended connection fail by themselves.
    if (socket.destroyed) return undefined
    const made: Watched = { socket, owed: 0, silentLooks: 0, chunks: 0, chunksAtLastLook: 0 }
    connections.set(connection, made)
    socket.on("data", () => {
      made.chunks += 1
    })
    socket.once("close", () => connections.delete(connection))
    return made
  }

  const look = (watched: Watched) => {
    const isSilent = watched.owed > 0 && watched.chunks === watched.chunksAtLastLook
    watched.chunksAtLastLook = watched.chunks
    watched.silentLooks = isSilent ? watched.silentLooks + 1 : 0
    if (watched.silentLooks > LOOKS) watched.socket.destroy(new Error("The database did not answer in time"))
  }

  yield* Effect.sync(() => connections.forEach(look)).pipe(
    Effect.delay(withinMillis / LOOKS),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    /** Returns the number of statements that all open connections can take at once, `sharing` on each. */
    capacity: (sharing: number) => connections.size * sharing,
    /** Runs a statement on a connection and watches that the server answers. */
    answered: <A, E, R>(
      connection: PgConnection.PgConnection,
      statement: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const watched = watch(connection)
        if (watched === undefined) return statement
        watched.owed += 1
        return Effect.ensuring(
          statement,
          Effect.sync(() => {
            watched.owed -= 1
            // The socket reports its end only after its statements have failed.
            if (watched.socket.destroyed) connections.delete(connection)
          })
        )
      })
  }
})
