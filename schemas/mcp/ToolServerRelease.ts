import { Schema } from "effect"
import { Timestamp } from "../platform/Timestamp.ts"

/** The release of the tool servers that the service ships (spec 4.8). */
export const ToolServerRelease = Schema.Struct({
  version: Schema.String,
  publishedAt: Timestamp,
  installationUrl: Schema.String.annotate({ description: "The page that describes the installation" }),
  notesUrl: Schema.String.annotate({ description: "The page that lists the changes of the release" })
}).annotate({ identifier: "ToolServerRelease" })
export type ToolServerRelease = typeof ToolServerRelease.Type
