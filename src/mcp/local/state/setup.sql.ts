import { Schema } from "effect"
import type { SetupRecord } from "../../../../schemas/mcp/local/coreTools.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { type IdentityMethod, IdentityMethods } from "./identity.sql.ts"

const SetupRow = Schema.Struct({
  method: IdentityMethods,
  intent: Schema.NullOr(Schema.Literals(["agent", "human"])),
  status: Schema.Literals(["pending", "complete"]),
  phase: Schema.NullOr(Schema.Literals(["authorized", "possibly-dispatched", "pending", "complete"]))
})

/** The setup of this directory. Those by an external wallet or by e-mail have neither intent nor phase. */
export type Setup = typeof SetupRow.Type

const decode = Schema.decodeUnknownSync(SetupRow)

/** Returns the setup of this directory. */
export const readSetup = (tx: Transaction): Setup | undefined => {
  const found = tx.first(`select method, intent, status, phase from setup`)
  return found === undefined ? undefined : decode(found)
}

/** Begins a setup. It replaces a setup by another method that selected no identity. */
export const beginSetup = (
  tx: Transaction,
  method: IdentityMethod,
  intent: Setup["intent"],
  phase: Setup["phase"]
): void => {
  tx.run(`delete from setup`)
  tx.run(
    `insert into setup (one, method, intent, status, phase, started_at) values (1, ?, ?, 'pending', ?, ?)`,
    method,
    intent,
    phase,
    tx.now
  )
}

/** Records that the declaration of an agent may be on its way from now on. */
export const dispatchDeclaration = (tx: Transaction): void => {
  tx.run(`update setup set phase = 'possibly-dispatched' where intent = 'agent' and phase = 'authorized'`)
}

/** Ends a setup. */
export const completeSetup = (tx: Transaction): void => {
  tx.run(
    `update setup set status = 'complete', completed_at = ?,
       phase = case when intent is null then null else 'complete' end
     where status = 'pending'`,
    tx.now
  )
}

/** Returns a setup as tools tell it (spec 3.6). */
export const recordOf = (setup: Setup | undefined): SetupRecord | null =>
  setup === undefined || setup.intent === null
    ? null
    : { intent: setup.intent, status: setup.status, phase: setup.phase ?? setup.status }

/** Steps of a setup that a later run continues after. */
export type SetupStep = "key" | "login" | "payout" | "profile" | "registration"

const StepRow = Schema.Struct({ data: Schema.String, done_at: Schema.NullOr(Schema.Finite) })

const decodeStep = Schema.decodeUnknownSync(StepRow)

/** Returns the values that a step saved, as JSON, and whether it is done. */
export const readStep = (
  tx: Transaction,
  step: SetupStep
): { readonly data: string; readonly isDone: boolean } | undefined => {
  const found = tx.first(`select data, done_at from setup_steps where step = ?`, step)
  if (found === undefined) return undefined
  const { data, done_at: doneAt } = decodeStep(found)
  return { data, isDone: doneAt !== null }
}

/** Saves the values that a step needs for a repeat. */
export const saveStep = (tx: Transaction, step: SetupStep, data: unknown, isDone = false): void => {
  tx.run(
    `insert into setup_steps (step, data, done_at) values (?, ?, ?)
     on conflict (step) do update set data = excluded.data, done_at = excluded.done_at`,
    step,
    JSON.stringify(data),
    isDone ? tx.now : null
  )
}

/** Forgets a step whose values are no longer needed. */
export const removeStep = (tx: Transaction, step: SetupStep): void => {
  tx.run(`delete from setup_steps where step = ?`, step)
}

const ClaimRow = Schema.Struct({ challenge_id: Schema.String, account: Schema.String })

const decodeClaim = Schema.decodeUnknownSync(ClaimRow)

/** Keeps a challenge that a person signs elsewhere. It takes the place of earlier ones. */
export const saveClaim = (
  tx: Transaction,
  claim: { readonly challengeId: string; readonly account: string; readonly message: string }
): void => {
  tx.run(`delete from claims`)
  tx.run(
    `insert into claims (challenge_id, account, message, made_at) values (?, ?, ?, ?)`,
    claim.challengeId,
    claim.account,
    claim.message,
    tx.now
  )
}

/** Returns the wallet of a challenge that waits for its signature. */
export const readClaim = (tx: Transaction, challengeId: string): string | undefined => {
  const found = tx.first(`select challenge_id, account from claims where challenge_id = ?`, challengeId)
  return found === undefined ? undefined : decodeClaim(found).account
}

/** Forgets the challenges. */
export const removeClaims = (tx: Transaction): void => {
  tx.run(`delete from claims`)
}
