import { Schema } from "effect"

/** A sum of amounts in raw, as digits. It may be longer than any amount of the ledger. */
export const RawSum = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9][0-9]*)$/u, { expected: "the digits of a sum in raw" })
).annotate({ description: "An exact sum in raw, of any length; 1 XNO is 10^30 raw." })

/** A sum that may be below zero. */
export const SignedRawSum = Schema.String.check(
  Schema.isPattern(/^(?:0|-?[1-9][0-9]*)$/u, { expected: "the digits of a sum in raw" })
).annotate({ description: "An exact sum in raw, of any length; it may be negative. 1 XNO is 10^30 raw." })

/** The hash of a block, as nodes and explorers spell it. */
export const Transaction = Schema.String.check(Schema.isPattern(/^[0-9A-F]{64}$/u)).annotate({
  description: "The hash of the block, 64 upper-case hex digits."
})
