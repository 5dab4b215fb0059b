import { SqlError } from "effect/sql"

/** Returns the error of a connection that cannot be made. */
export const noConnection = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "connect" })
  })

/**
 * Returns true when another connection may reach a better server. 25006 is a write to a standby, or to a server that its
 * operator made read-only. Class 57P is a server that stops or starts, and class 08 a proxy that lost its server.
 */
export const isServerLost = ({ reason }: SqlError.SqlError) =>
  /^(25006|57P|08)/.test(String((reason.cause as { readonly code?: unknown } | null)?.code))
