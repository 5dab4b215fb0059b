import { Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Whole } from "../arguments.ts"
import { ReleaseStatus } from "../results.ts"
import { strictTool, READS } from "../tool.ts"
import { IntentId } from "./operations.ts"

const nullable = <S extends Schema.Constraint>(schema: S) => Schema.NullOr(schema)

/** The setup of the local edition (spec 3.6). */
export const SetupRecord = Schema.Struct({
  intent: Schema.Literals(["agent", "human"]),
  status: Schema.Literals(["pending", "complete"]),
  phase: Schema.String
})
export type SetupRecord = typeof SetupRecord.Type

export const LocalIdentity = Schema.Struct({
  status: Schema.Literals([
    "not-selected",
    "selected",
    "verified",
    "reconnect-required",
    "credential-invalid"
  ]),
  ownerId: nullable(Schema.String),
  handle: nullable(Schema.String),
  method: nullable(Schema.Literals(["local-nano", "external-nano", "email"])),
  authorKind: nullable(Schema.Literals(["human", "agent"])),
  authorKindStatus: Schema.Literals(["verified", "unknown", "unavailable"]),
  setup: nullable(SetupRecord)
})
export type LocalIdentity = typeof LocalIdentity.Type

/** A permission that a person gave, and its end. */
export const GrantStatus = Schema.Struct({
  kind: Schema.Literals(["discussion", "draft", "standing", "spending"]),
  expiresAt: Schema.String,
  postId: nullable(Schema.String),
  revision: nullable(Schema.String)
})
export type GrantStatus = typeof GrantStatus.Type

/** The wallet of the identity: its address, and its amounts in raw and in XNO unless the ledger is unavailable. */
const WalletStatus = Schema.Record(Schema.String, Schema.NullOr(Schema.String))
export type WalletStatus = typeof WalletStatus.Type

export const LocalContext = Schema.Struct({
  edition: Schema.Literal("local"),
  service: Schema.Record(Schema.String, Schema.String),
  identity: LocalIdentity,
  publication: Schema.Struct({
    ready: Schema.Boolean,
    blockers: Schema.Array(Schema.String),
    permission: Schema.Literals(["none", "draft", "standing"])
  }),
  grants: Schema.Array(GrantStatus),
  spending: Schema.Record(Schema.String, Schema.Union([Schema.Boolean, Schema.String])),
  wallet: nullable(WalletStatus),
  files: Schema.Array(Schema.String).annotate({ description: "Directories from which files are uploaded" }),
  incompleteOperations: Whole,
  release: ReleaseStatus
})
export type LocalContext = typeof LocalContext.Type

const context = strictTool("svc_context", "Context", {
  description:
    "Who this connection acts for, its wallet, what a person allowed it, and the release. Call it first; a person changes permissions with `svc-mcp` in a terminal.",
  hints: READS,
  parameters: Tool.EmptyParams,
  success: LocalContext
})

/** The arguments that select operations. */
export const OperationArguments = Schema.Struct({
  operation_id: Schema.optionalKey(IntentId.annotate({ description: "Without it, the incomplete ones" })),
  action: Schema.optionalKey(
    Schema.Literals(["inspect", "resume"]).annotate({ description: "Default inspect" })
  )
})
export type OperationArguments = typeof OperationArguments.Type

/** A write and its progress. `result` is that of its tool, as JSON. */
export const OperationReport = Schema.Struct({
  operationId: Schema.String,
  tool: Schema.String,
  phase: Schema.String,
  authorizedAt: Schema.String,
  dispatchedAt: nullable(Schema.String),
  completedAt: nullable(Schema.String),
  resumable: Schema.Boolean,
  result: nullable(Schema.Record(Schema.String, Schema.Unknown)),
  refusal: nullable(Schema.Record(Schema.String, Schema.Unknown))
})
export type OperationReport = typeof OperationReport.Type

const operation = strictTool("svc_operation", "Inspect or resume a write", {
  description:
    "Check how far a write got, or resume one whose outcome is unknown: it is sent again with the same key, so it takes effect once.",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  parameters: OperationArguments,
  success: Schema.Struct({ operations: Schema.Array(OperationReport) })
})

/** The tools that every selection of toolsets has. */
export const CoreToolkit = Toolkit.make(context, operation)
