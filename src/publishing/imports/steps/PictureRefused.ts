import { Schema } from "effect"

/** A picture does not come into the Post. The code and the message are those of its line in the report. */
export class PictureRefused extends Schema.TaggedError<PictureRefused>()("PictureRefused", {
  code: Schema.Literals(["image_missing", "image_refused", "image_unavailable"]),
  message: Schema.String
}) {}
