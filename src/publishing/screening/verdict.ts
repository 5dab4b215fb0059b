import { Schema } from "effect"
import type { FileFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { UploadReason } from "../../../schemas/publishing/uploads/Upload.ts"

/** A file to screen, as it was received. */
export interface ScreenedFile {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly format: FileFormat
}

/** The decision of a stage against a file. `finding` is for operators alone. */
export interface Finding {
  readonly verdict: "rejected" | "failed"
  readonly finding: string
}

/** The versions that screened a file. A stage that did not run has null. */
export interface ScreeningRecord {
  readonly policy_version: string
  readonly engine: string | null
  readonly definitions_version: string | null
  readonly known_material_version: string | null
}

/** The decision of screening, and the versions behind it. */
export interface ScreeningVerdict extends ScreeningRecord {
  readonly verdict: "cleared" | "rejected" | "failed"
  readonly finding: string | null
}

/** A dependency of screening is unavailable or out of date. The file waits however long that takes (spec 3.2.7). */
export class ScreeningWaits extends Schema.TaggedError<ScreeningWaits>()("ScreeningWaits", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}

/** The attempt ended without a verdict, perhaps because of the file. A few more attempts follow. */
export class ScreeningBroke extends Schema.TaggedError<ScreeningBroke>()("ScreeningBroke", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}
