import { Context, type Option } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** The Posts that the reader of an answer gets. */
export interface Given {
  /** The Posts whose text the answer has. */
  readonly posts: ReadonlyArray<PostId>
  /** The kind of reader that only this form of answer has. */
  readonly by?: "agents" | "feeds"
  /** True when the answer asks to pay for the rest. */
  readonly hasWall: boolean
}

/** A request, as far as it tells who reads. */
export interface ReaderRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly peerAddress: Option.Option<string>
}

/** Counts what readers do with Posts. It takes a few microseconds, stores no address, and waits for nothing. */
export class ReadCounter extends Context.Service<
  ReadCounter,
  {
    /** Counts an answer that leaves, unless it is one to HEAD or to the author, `reader` or signed in. */
    readonly read: (request: ReaderRequest, given: Given, reader?: OwnerId | null) => void
    /** Counts an answer that has no text, and asks to pay. */
    readonly wall: (request: ReaderRequest, post: PostId, reader?: OwnerId | null) => void
    /** Counts a payment session that was begun for a Post. */
    readonly checkout: (request: ReaderRequest, post: PostId, reader?: OwnerId | null) => void
  }
>()("pennypress/platform/public-answers/ReadCounter") {}

/** True while a tool of the service reads for an agent. */
export const ReadByTool = Context.Reference<boolean>("pennypress/platform/public-answers/ReadByTool", {
  defaultValue: () => false
})
