import { EXIT, NANO_NODE } from "./markerKind.ts"

/** Failures of permissions, each by its code. */
export const permission = {
  "grant-required": {
    message: "No grant of a person allows this",
    nextStep: null,
    exit: EXIT.permission
  },
  "grant-expired": {
    message: "The grant for this has ended",
    nextStep: null,
    exit: EXIT.permission
  },
  "grant-binding-mismatch": {
    message: "The grant is for another origin, owner, Post or revision",
    nextStep: null,
    exit: EXIT.permission
  },
  "attestation-required": {
    message: "A person has not said yet how the Post was made",
    nextStep: null,
    exit: EXIT.permission
  },
  "grant-exceeded": {
    message: "The amount is more than the spending grant has left, or allows for one purchase",
    nextStep: null,
    exit: EXIT.permission
  },
  "price-changed": {
    message: "The price of the Post is not the expected one",
    nextStep: "Call svc_preview and decide again",
    inShell: "Look at the Post, and decide again",
    exit: EXIT.input
  }
} as const

/** Failures of the local wallet, each by its code. */
export const wallet = {
  "nano-provider-not-configured": {
    message: "The wallet needs a Nano node for its balance and its blocks, and none is set",
    nextStep: `Ask a person to run \`svc-mcp status --set-nano-rpc ${NANO_NODE}\``,
    exit: EXIT.permission
  },
  "wallet-cannot-sign": {
    message: "The identity has no wallet in the state directory that can sign",
    nextStep: "Pay with the identity's own wallet, on the page of the Post",
    inShell: "Use the wallet of the identity itself, or name the --state-dir of another one",
    exit: EXIT.permission
  },
  "wallet-not-opened": {
    message: "The wallet has not received any money yet",
    nextStep: "Ask a person to send XNO to `wallet.address` of svc_context",
    inShell: "Send XNO to the address that `svc-mcp status` shows, then run `svc-mcp wallet receive`",
    exit: EXIT.input
  },
  "wallet-unfunded": {
    message: "The wallet has too little money",
    nextStep: "Ask a person to send XNO to `wallet.address` of svc_context",
    inShell: "Send XNO to the address that `svc-mcp status` shows, then run `svc-mcp wallet receive`",
    exit: EXIT.input
  },
  "wallet-block-pending": {
    message: "The network has not confirmed a block of the wallet yet",
    nextStep: "Call again later: the same block is followed up, and nothing is sent twice",
    inShell: "Run the same command again: the same block is followed up, and nothing is sent twice",
    retryable: true,
    exit: EXIT.again
  },
  "wallet-block-refused": {
    message: "The network refuses the block of the wallet; no money was moved",
    nextStep: "Call again",
    inShell: "Run the same command again",
    retryable: true,
    exit: EXIT.unavailable
  },
  "wallet-exists": {
    message: "The state directory already has another wallet or identity; nothing was replaced",
    nextStep: "Name another --state-dir",
    exit: EXIT.permission
  }
} as const
