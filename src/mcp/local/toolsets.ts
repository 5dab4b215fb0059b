import { Context } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

/** Groups of tools that a server may be started with. `svc_context` and `svc_operation` belong to every selection. */
export const TOOLSETS = ["read", "notifications", "discussion", "drafts", "publishing", "purchases"] as const
export type ToolsetName = (typeof TOOLSETS)[number]

/** The choice of the person who starts a server. It is fixed from then on. */
export interface Selection {
  readonly toolsets: ReadonlySet<ToolsetName>
  /** Lists only tools that read. */
  readonly isReadOnly: boolean
}

type Tools = Readonly<Record<string, Tool.Any>>

/** Returns the part of a toolkit that a selection lists. Handlers of the others stay without a use. */
export const listed = <T extends Tools>(
  toolkit: Toolkit.Toolkit<T>,
  isReadOnly: boolean
): Toolkit.Toolkit<T> => {
  if (!isReadOnly) return toolkit
  const reading = Object.values(toolkit.tools).filter(({ annotations }) =>
    Context.get(annotations, Tool.Readonly)
  )
  return Toolkit.make(...reading) as unknown as Toolkit.Toolkit<T>
}
