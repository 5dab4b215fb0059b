import { Effect, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import { parseRpcUrls } from "../../../layers/nano/rpcUrl.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { saveMeta } from "../../mcp/local/state/meta.sql.ts"

/** The name of the flag with the Nano node. */
export const NANO_RPC = "nano-rpc"

/** Makes the flag that names the Nano node of purchases. */
export const nanoRpcFlag = (name: string) =>
  Flag.String(name).pipe(
    Flag.withDescription("The Nano node for purchases, https://…; separate several with commas"),
    Flag.optional
  )

/** Saves the Nano node that a flag names. A running server asks it from its next purchase on. */
export const saveNanoProvider = Effect.fnUntraced(function* (flag: string, urls: string) {
  const parsed = parseRpcUrls(Redacted.make(urls), "http")
  if (Result.isFailure(parsed)) {
    const message = `Name https:// addresses, separated by commas: ${parsed.failure}`
    return yield* marked("validation", { fields: [{ field: flag, code: "invalid", message }] })
  }
  const store = yield* StateStore
  yield* store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", urls)))
})
