import { type Effect, Schema, type Stream } from "effect"
import type { PayloadTooLargeProblem, ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { MalformedMultipart } from "../../../schemas/publishing/uploads/errors.ts"

/** The sender went away before the end of the body: nobody waits for an answer, and the file may be sent again. */
export class BodyBrokenOff extends Schema.TaggedError<BodyBrokenOff>()("BodyBrokenOff", {}) {}

/** Why a form was not read to its end. */
export type FormRefusal = MalformedMultipart | PayloadTooLargeProblem | ValidationProblem | BodyBrokenOff

/** The one file of a form, as it arrives. */
export interface SentFile {
  /** What its part says that it is. */
  readonly mediaType: string
  readonly bytes: Stream.Stream<Uint8Array, FormRefusal>
}

/** Reads a form to its end, and gives its one file to `onFile`, which has to take all of it. */
export type ReadForm = <A, E>(
  onFile: (file: SentFile) => Effect.Effect<A, E>
) => Effect.Effect<A, E | FormRefusal>
