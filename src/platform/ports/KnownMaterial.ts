import { Context, Schema, type Effect } from "effect"
import type { Representation } from "./ImageDecoder.ts"

/** A file to compare with known material. */
export interface Material {
  /** SHA-256 of the file as it was uploaded, in hex. */
  readonly sha256: string
  readonly representations: ReadonlyArray<Representation>
}

/** The result of a comparison. */
export interface KnownMaterialVerdict {
  /** Edition of the list; null for a provider without editions. */
  readonly version: string | null
  /** The provider's name for the entry that matched, for operators only; null without a match. */
  readonly match: string | null
}

/** The provider gave no result and may give one later. */
export class KnownMaterialUnavailable extends Schema.TaggedError<KnownMaterialUnavailable>()(
  "KnownMaterialUnavailable",
  { cause: Schema.Defect() }
) {}

/** Compares images with material that must not be published, by exact and by perceptual hash. */
export class KnownMaterial extends Context.Service<
  KnownMaterial,
  {
    readonly match: (material: Material) => Effect.Effect<KnownMaterialVerdict, KnownMaterialUnavailable>
  }
>()("pennypress/platform/ports/KnownMaterial") {}
