import type { LoadRequest } from "./loadRequest.ts"
import type { Target } from "./targets.ts"

/** The requests of one connection. Each follows from the answer to the one before. */
export type Conversation = (lastAnswer: string) => LoadRequest

export interface Operation {
  readonly name: string
  readonly title: string
  readonly isRead: boolean
  /** The status of its success. */
  readonly status: number
  /** True when 402 is among its answers: it asks for the terms of a payment. */
  readonly isAskingTerms?: true
  readonly request: () => LoadRequest
  /**
   * A statement before the last one, and a request that ends with it. The reference servers take the statements of
   * such an operation from the service; the others are written down beside them.
   */
  readonly first?: { readonly statement: string; readonly refused: () => LoadRequest }
  /** Set for an operation of several requests, or of requests that follow from answers. */
  readonly conversation?: {
    /** The requests of one operation. */
    readonly steps: number
    /** The first request of a connection. */
    readonly begin: () => Conversation
  }
  readonly targets?: ReadonlyArray<Target>
  /** An operation that is measured in the same rounds, for targets `ofBeside`. */
  readonly beside?: Pick<Operation, "isRead" | "name" | "request" | "status">
  /** True for an operation whose public reads the service may keep. It is measured with and without the store. */
  readonly isKept?: boolean
  /** The reason that the reference servers do not have it. */
  readonly ownAlone?: string
}
