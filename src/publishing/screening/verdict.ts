import { Schema } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { UploadReason } from "../../../schemas/publishing/uploads/Upload.ts"

/** An image to screen, as it was received. */
export interface ScreenedFile {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly format: ImageFormat
}

/** The decision of a stage against an image. `finding` is for operators alone. */
export interface Finding {
  readonly verdict: "rejected" | "failed"
  readonly finding: string
}

/** The versions that screened an image. A stage that did not run has null. */
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

/** A dependency of screening is away or out of date. The image waits however long that takes (spec 3.2.7). */
export class ScreeningWaits extends Schema.TaggedError<ScreeningWaits>()("ScreeningWaits", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}

/** The attempt ended without a verdict, perhaps because of the image. A few more attempts follow. */
export class ScreeningBroke extends Schema.TaggedError<ScreeningBroke>()("ScreeningBroke", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}
