import { Schema } from "effect"
import { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { Intent } from "../state/intents.sql.ts"
import type { Outcome } from "./Operation.ts"

const decodeFailure = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ refusal: ToolFailure })))

const encodeFailure = Schema.encodeSync(ToolFailure)

/** Returns the saved outcome of a complete intent. */
export const outcomeOf = <Result>({ outcome }: Intent): Outcome<Result> => {
  const text = outcome ?? "null"
  return text.startsWith('{"result":') ? (JSON.parse(text) as Outcome<Result>) : decodeFailure(text)
}

/** Returns an outcome as the row of its intent saves it. */
export const encoded = <Result>(outcome: Outcome<Result>) =>
  JSON.stringify("result" in outcome ? outcome : { refusal: encodeFailure(outcome.refusal) })

/** Returns the saved outcome of an intent; undefined while it is open. */
export const savedOutcome = (intent: Intent): Outcome<unknown> | undefined =>
  intent.phase === "complete" ? outcomeOf(intent) : undefined
