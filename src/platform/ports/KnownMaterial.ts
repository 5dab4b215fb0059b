import { Context, Schema, type Effect } from "effect"
import type { Representation } from "./ImageDecoder.ts"

/** What is compared with known material. */
export interface Material {
  /** SHA-256 of the file as it was uploaded, in hex. */
  readonly sha256: string
  readonly representations: ReadonlyArray<Representation>
}

/** What a provider says. */
export interface KnownMaterialVerdict {
  /** Which edition of its list was compared with; null for a provider that has none. */
  readonly version: string | null
  /** The provider's own name of the entry that matched, for operators alone; null when none did. */
  readonly match: string | null
}

/** The provider gave no verdict and may give one later. */
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
