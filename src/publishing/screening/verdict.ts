import { Schema } from "effect"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { UploadReason } from "../../../schemas/publishing/uploads/Upload.ts"

/** An image that is to be screened, as it was received. */
export interface ScreenedImage {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly format: ImageFormat
}

/** What a stage decides against an image; `finding` is for operators alone. */
export interface Finding {
  readonly verdict: "rejected" | "failed"
  readonly finding: string
}

/** What an image was screened with; null for what was not asked. */
export interface ScreeningRecord {
  readonly policy_version: string
  readonly engine: string | null
  readonly definitions_version: string | null
  readonly known_material_version: string | null
}

/** What screening decided, and by what. */
export interface ScreeningVerdict extends ScreeningRecord {
  readonly verdict: "cleared" | "rejected" | "failed"
  readonly finding: string | null
}

/** Something that screening needs is away or out of date: it is waited for however long it takes (specification 3.2.7). */
export class ScreeningWaits extends Schema.TaggedError<ScreeningWaits>()("ScreeningWaits", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}

/** The attempt ended without a verdict, and the image may be to blame: it is tried again a few times. */
export class ScreeningBroke extends Schema.TaggedError<ScreeningBroke>()("ScreeningBroke", {
  reason: UploadReason,
  cause: Schema.Defect()
}) {}
