/**
 * Every reason for a 402, with the caller's next step. The same code is `error` and `data.code` of the body, and
 * `errorReason` of PAYMENT-RESPONSE. Nothing was sent to the ledger for a payment that is refused by any of them,
 * except `fork`. Programs depend on codes: a release may add some and renames none.
 */
export const paymentRefusals = {
  payment_required: "Pay the first of accepts, and repeat the request with PAYMENT-SIGNATURE",
  unsupported_scheme: "The service takes only the scheme exact: sign for the first of accepts",
  invalid_network: "The service takes another network or asset: sign for the first of accepts",
  requirements_mismatch:
    "accepted or resource is not what the service offered for this request: send the first of accepts unchanged",
  quote_expired: "The offer has expired: sign for the first of accepts, before its extra.validBefore",
  requirements_changed:
    "The price or the payout address changed: decide again, then sign for the current terms",
  invalid_block:
    "payload.block is not a state block that a node would accept: send all of its members, with hashes and signature in hex and the balance in raw",
  self_payment: "The block sends to the account that signed it: pay with another wallet",
  invalid_payto: "link of the block is not the key of payTo: send to the payTo of the first of accepts",
  invalid_signature: "The signature is not that of the block's account over the block's hash: sign it again",
  invalid_work:
    "The work of the block is below extra.workThreshold: generate new work for previous, and send the same block",
  block_already_used: "The block pays for something else: sign a new one on the account's frontier",
  account_not_found: "The ledger does not know the block's account: receive XNO with it first",
  block_already_exists:
    "The block is on the ledger already: sign a new one, or claim what it paid with POST /api/v1/purchases/claims",
  frontier_moved: "previous of the block is not the account's frontier: sign a new one on the frontier",
  frontier_unconfirmed: "The account's frontier is not confirmed yet: send the same block in a few seconds",
  amount_mismatch:
    "The block does not send exactly the amount: its balance is that of the frontier minus the amount",
  insufficient_funds: "The account has less than the amount: receive XNO with it first",
  previous_in_flight:
    "Another payment on the same previous is being settled: wait for it, then sign on the new frontier",
  fork: "The network confirmed another block of this account in its place: sign a new one on the frontier"
} as const

export type PaymentRefusalCode = keyof typeof paymentRefusals
