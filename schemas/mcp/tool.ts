import type { Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { ToolFailure } from "./ToolFailure.ts"

/** The four hints of a tool. Each is written out, because clients assume the worst for a missing one. */
export interface Hints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** The hints of a tool that reads from the service. */
export const READS: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: true }

/** Makes a tool of either edition. It refuses arguments that it does not declare. */
export const strictTool = <
  const Name extends string,
  Parameters extends Schema.Constraint,
  Success extends Schema.Constraint
>(
  name: Name,
  title: string,
  {
    description,
    hints,
    parameters,
    success
  }: {
    readonly description: string
    readonly hints: Hints
    readonly parameters: Parameters
    readonly success: Success
  }
) =>
  Tool.make(name, { description, parameters, success, failure: ToolFailure, failureMode: "return" })
    .annotate(Tool.Title, title)
    .annotate(Tool.Strict, true)
    .annotate(Tool.Readonly, hints.readOnly)
    .annotate(Tool.Destructive, hints.destructive)
    .annotate(Tool.Idempotent, hints.idempotent)
    .annotate(Tool.OpenWorld, hints.openWorld)
