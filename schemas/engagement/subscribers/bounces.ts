import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Administrator } from "../../platform/security/administrator.ts"

/** `failure`: a server gave the mail up for good. `complaint`: the reader marked it as spam. */
export const ReportKind = Schema.Literals(["failure", "complaint"])
export type ReportKind = typeof ReportKind.Type

/** The token in the address from which a reader's mails leave. It names the reader. */
const BounceToken = Schema.String.check(
  Schema.isPattern(/^[\da-f]{48}$/, { expected: "the 48 hexadecimal digits of a token" })
)

/** Reports of mail servers about mails to readers, which the operator's mail server hands in. */
export class BouncesRpcs extends RpcGroup.make(
  /**
   * Counts a mail that did not arrive, or ends all mail to a mailbox that complained. Safe to repeat. `isReader` is false for a
   * token that this service did not make.
   */
  Rpc.make("mail.bounce", {
    payload: { token: BounceToken, kind: ReportKind },
    success: Schema.Struct({ isReader: Schema.Boolean })
  })
).middleware(Administrator) {}
