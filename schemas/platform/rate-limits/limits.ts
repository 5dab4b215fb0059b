import { Context } from "effect"

/**
 * The unit of a limit: an IP address, a mailbox that receives mail, an account, a Publishing key, a wallet that signed,
 * or the whole installation. A caller is the account of an owner session, and the IP address of any other request.
 */
export type LimitedBy = "ip" | "mailbox" | "account" | "key" | "caller" | "wallet" | "installation"

/**
 * The number of requests of one kind that a window allows. A limit is available in full again after its window. The
 * service never refuses a caller who stays within the limit. Limits by mailbox hold for every window, wherever it
 * begins. All others hold for windows that begin with a first request: any other window has fewer than twice the limit.
 */
export interface Limit {
  readonly windowSeconds: number
  readonly limit: number
  readonly by: LimitedBy
  /** The behaviour while the counter store is unavailable: `closed` answers 503, `open` lets the request through. */
  readonly whenAway: "open" | "closed"
  /** The counted requests, described for people. */
  readonly counts: string
}

/**
 * Every rate limit of the service. An IPv6 address counts as its /64, the network of one customer of a provider.
 * The README shows this table, and a test compares the two.
 */
export const limits = {
  // Far above what a person or a crawler needs, because other limits refuse them first.
  requests: {
    windowSeconds: 60,
    limit: 12_000,
    by: "ip",
    whenAway: "open",
    counts: "All requests, except those of private addresses to `/health/ready` and `/metrics`"
  },
  "sign-in": {
    windowSeconds: 60,
    limit: 60,
    by: "ip",
    whenAway: "closed",
    counts: "Challenges, claims, logins, registrations and their codes"
  },
  refresh: {
    windowSeconds: 60,
    limit: 300,
    by: "ip",
    whenAway: "open",
    counts: "Refreshes of a session"
  },
  "mailbox-cooldown": {
    windowSeconds: 60,
    limit: 1,
    by: "mailbox",
    whenAway: "closed",
    counts: "Mails with a code"
  },
  "mailbox-hour": {
    windowSeconds: 3600,
    limit: 5,
    by: "mailbox",
    whenAway: "closed",
    counts: "Logins of one client and address changes of one account, in any hour"
  },
  "mailbox-registrations": {
    windowSeconds: 3600,
    limit: 5,
    by: "mailbox",
    whenAway: "closed",
    counts: "Registrations of an address, and sign-ins by mail on the website, in any hour"
  },
  "code-mails-hour": {
    windowSeconds: 3600,
    limit: 60,
    by: "ip",
    whenAway: "closed",
    counts: "Mails with a code, to any mailboxes: for registrations, logins, address changes and deletions"
  },
  "code-mails-day": {
    windowSeconds: 86_400,
    limit: 200,
    by: "ip",
    whenAway: "closed",
    counts: "The same mails"
  },
  // Logins are not counted, or strangers with many addresses could keep every owner out.
  "code-mails-all": {
    windowSeconds: 3600,
    limit: 600,
    by: "installation",
    whenAway: "closed",
    counts: "Mails with a code for registrations and address changes, whose mailboxes may belong to strangers"
  },
  // Counts owners and strangers alike, so that no answer tells them apart. Once it is spent, owners alone are mailed.
  "page-mails-all": {
    windowSeconds: 3600,
    limit: 600,
    by: "installation",
    whenAway: "closed",
    counts: "Sign-ins by mail on the website, to any mailboxes; further ones mail owners alone"
  },
  "link-mails": {
    windowSeconds: 3600,
    limit: 10,
    by: "ip",
    whenAway: "closed",
    counts: "Mails with the private link of a text, to any mailboxes"
  },
  "mailbox-links": {
    windowSeconds: 86_400,
    limit: 3,
    by: "mailbox",
    whenAway: "closed",
    counts: "The same mails to a mailbox, in any day"
  },
  "link-mails-all": {
    windowSeconds: 3600,
    limit: 300,
    by: "installation",
    whenAway: "closed",
    counts: "The same mails, to all mailboxes together"
  },
  subscribe: {
    windowSeconds: 3600,
    limit: 10,
    by: "ip",
    whenAway: "closed",
    counts: "Requests to get the posts of an author by mail"
  },
  "subscribe-author": {
    windowSeconds: 3600,
    limit: 300,
    by: "account",
    whenAway: "closed",
    counts: "The same requests, for one author together"
  },
  "subscribe-mailbox": {
    windowSeconds: 86_400,
    limit: 3,
    by: "mailbox",
    whenAway: "closed",
    counts: "Mails that ask a mailbox to confirm such a request, in any day"
  },
  "subscriber-imports": {
    windowSeconds: 3600,
    limit: 1,
    by: "account",
    whenAway: "closed",
    counts: "Lists of readers that an author brings"
  },
  account: {
    windowSeconds: 60,
    limit: 240,
    by: "account",
    whenAway: "open",
    counts: "Requests of an owner, in all sessions together"
  },
  "account-code": {
    windowSeconds: 60,
    limit: 10,
    by: "account",
    whenAway: "closed",
    counts: "Confirmations of an e-mail address and attempts to link a wallet"
  },
  key: {
    windowSeconds: 60,
    limit: 600,
    by: "key",
    whenAway: "open",
    counts: "Requests of a Publishing key, except those with a limit of their own"
  },
  "post-creation": {
    windowSeconds: 60,
    limit: 120,
    by: "key",
    whenAway: "open",
    counts: "New Posts of a Publishing key; replays are not counted"
  },
  import: {
    windowSeconds: 60,
    limit: 30,
    by: "account",
    whenAway: "open",
    counts: "Requests to begin an import; replays are not counted"
  },
  "imports-day": {
    windowSeconds: 86_400,
    limit: 10,
    by: "account",
    whenAway: "open",
    counts: "Imports that an account begins"
  },
  "avatar-upload": {
    windowSeconds: 60,
    limit: 10,
    by: "key",
    whenAway: "open",
    counts: "Avatars that a Publishing key uploads"
  },
  "image-upload": {
    windowSeconds: 60,
    limit: 120,
    by: "ip",
    whenAway: "open",
    counts: "Images uploaded with any key"
  },
  media: {
    windowSeconds: 60,
    limit: 2400,
    by: "ip",
    whenAway: "open",
    counts: "Public images"
  },
  "public-read": {
    windowSeconds: 60,
    limit: 1200,
    by: "ip",
    whenAway: "open",
    counts: "Public reads, including the pages of Posts"
  },
  "tool-requests": {
    windowSeconds: 60,
    limit: 600,
    by: "ip",
    whenAway: "open",
    counts: "Messages to the tool server; the reads of its tools also count as public reads"
  },
  "reaction-read": {
    windowSeconds: 10,
    limit: 40,
    by: "caller",
    whenAway: "open",
    counts: "Reads of reactions and of supporters"
  },
  access: {
    windowSeconds: 60,
    limit: 600,
    by: "ip",
    whenAway: "open",
    counts: "Reads of paid Posts and of their attachments, of payment sessions, and of purchases by receipt"
  },
  "receipt-copies": {
    windowSeconds: 3600,
    limit: 30,
    by: "ip",
    whenAway: "open",
    counts: "Private links and receipts that a browser opens and keeps"
  },
  payment: {
    windowSeconds: 60,
    limit: 60,
    by: "ip",
    whenAway: "open",
    counts: "Requests with a payment; repeats of an accepted payment are not counted"
  },
  "payment-wallet": {
    windowSeconds: 60,
    limit: 30,
    by: "wallet",
    whenAway: "open",
    counts: "Payments that a wallet signed"
  },
  "payment-session": {
    windowSeconds: 60,
    limit: 20,
    by: "ip",
    whenAway: "open",
    counts: "New payment sessions"
  },
  "gift-refusal": {
    windowSeconds: 60,
    limit: 30,
    by: "ip",
    whenAway: "closed",
    counts: "Wrong gift tokens"
  },
  report: {
    windowSeconds: 3600,
    limit: 10,
    by: "ip",
    whenAway: "closed",
    counts: "Reports of readers without an account"
  },
  "report-all": {
    windowSeconds: 3600,
    limit: 300,
    by: "installation",
    whenAway: "closed",
    counts: "The same reports, from all addresses together"
  },
  "development-ledger": {
    windowSeconds: 60,
    limit: 600,
    by: "ip",
    whenAway: "open",
    counts: "Requests to the development ledger"
  },
  "development-faucet": {
    windowSeconds: 60,
    limit: 20,
    by: "ip",
    whenAway: "open",
    counts: "Requests for money of the development ledger"
  },
  "webhook-test": {
    windowSeconds: 60,
    limit: 10,
    by: "account",
    whenAway: "open",
    counts: "Tests of webhooks"
  },
  "webhook-redeliver": {
    windowSeconds: 3600,
    limit: 60,
    by: "account",
    whenAway: "open",
    counts: "Requests to send deliveries of webhooks again"
  },
  exports: {
    windowSeconds: 3600,
    limit: 10,
    by: "account",
    whenAway: "open",
    counts: "Exports of an account, of its sales and tips, and of its readers"
  }
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits

/** Annotates an endpoint with its limit. An endpoint without the annotation has no limit. */
export class RateLimit extends Context.Service<RateLimit, LimitName>()(
  "pennypress/schemas/platform/rate-limits/limits/RateLimit"
) {}
