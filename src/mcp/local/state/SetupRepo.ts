import { Schema } from "effect"
import type { SetupRecord } from "../../../../schemas/mcp/local/coreTools.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { IdentityMethod } from "./IdentityRepo.ts"

const SetupRow = Schema.Struct({
  method: IdentityMethod,
  intent: Schema.NullOr(Schema.Literals(["agent", "human"])),
  status: Schema.Literals(["pending", "complete"]),
  phase: Schema.NullOr(Schema.String)
})

/** The setup of this directory. Those by an external wallet or by e-mail have neither intent nor phase. */
export type Setup = typeof SetupRow.Type

const decode = Schema.decodeUnknownSync(SetupRow)

/** Returns the setup of this directory. */
export const readSetup = (tx: Transaction): Setup | undefined => {
  const found = tx.first(`select method, intent, status, phase from setup`)
  return found === undefined ? undefined : decode(found)
}

/** Returns a setup as tools tell it (spec 3.6). */
export const recordOf = (setup: Setup | undefined): SetupRecord | null =>
  setup === undefined || setup.intent === null
    ? null
    : { intent: setup.intent, status: setup.status, phase: setup.phase ?? setup.status }
