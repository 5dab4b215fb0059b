import { impersonatesStaff } from "./impersonation.ts"

/** The name of new accounts. It cannot be chosen, in any case or spacing (spec 4.2.2). */
export const RESERVED_NAME = "New User"

/** Returns the visible part of a name: without its case, width, white space and invisible characters. */
const lookOf = (name: string) =>
  name
    .normalize("NFKC")
    .replaceAll(/[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+/gu, "")
    .toLowerCase()

/** Returns true when a name is {@link RESERVED_NAME}, in any case or spacing (spec 4.2.2). */
export const isReservedName = (name: string): boolean => lookOf(name) === lookOf(RESERVED_NAME)

/** Prefix of the generated handles of new accounts. A chosen handle cannot begin with it. */
export const GENERATED_HANDLE_PREFIX = "user_"

/** The name of accounts that were deleted. */
export const DELETED_NAME = "Deleted account"

/** The handle by which readers see every account that was deleted. It is reserved, and its page explains it. */
export const DELETED_HANDLE = "deleted"

/** Prefix of the handles that deleted accounts have in the database alone. A chosen handle cannot begin with it. */
export const DELETED_HANDLE_PREFIX = "deleted_"

/** Returns true when a handle begins with {@link GENERATED_HANDLE_PREFIX}, in any case (spec 2.3, 4.2.3). */
export const isGeneratedHandle = (handle: string): boolean =>
  handle.toLowerCase().startsWith(GENERATED_HANDLE_PREFIX)

/** Mailboxes that RFC 2142 gives a meaning, and others that mail servers and certificate authorities trust. */
const MAILBOXES = `abuse admin administrator bounce bounces contact daemon do_not_reply donotreply email hostmaster info
  list_request mail mailbox mailer mailer_daemon mailerdaemon mailing_list marketing news no_reply noreply postmaster
  replies reply sales security ssladmin ssladministrator sslwebmaster support sysadmin usenet uucp webmaster`

/** Hosts and files that programs look for at well-known names. */
const WELL_KNOWN = `agent_skills ai_catalog apple_app_site_association apple_touch_icon assetlinks autoconfig autodiscover broadcasthost favicon feed feeds humans
  imap isatap jwks llms localdomain localhost manifest mcp_server oauth openapi openid pop3 railhint robots rss_feed
  security_txt server_card service_worker sitemap sitemaps skill skills smtp subdomain swagger webfinger well_known wellknown wpad x402 xmlrpc`

/** Words of the service's own paths, its resources and its documents, today's and likely ones. */
const ROUTES = `access account account_email accounts activity admins again agent agents api_docs api_key api_keys apikey
  apikeys apply article articles asset assets associate atom attachment attachments auth author authors avatar avatars balance
  bind board boards browse browsers cancel card cards categories category challenge changelog checkout claim claims close
  cloud code comment comments config confirm conversations counts creator creators dashboard days declare_agent delete
  deletion deletions deliveries deposit desk discover discovery discussion discussions download downloads draft drafts
  earnings edit embed explore export favorites file files finance follow follower followers following follows forgot gift
  gifts give giving graphql handle handle_availability handles header headers health home host https image images import
  imports inbox index invite invites invoice invoices issue item items keep keys leaderboard leaderboards library like likes
  link links list lists live login logout mailing mark_all_read mark_context_read mark_read media member members membership
  message messages metrics moderate mute newest notification notification_preferences notifications oauth2 obligations offer
  offers order orders others owner owners page pages password payment payment_sessions payments payout payout_address payouts
  ping pinned plan plans post posts preferences preview pricing problem problems profile profiles protected public
  public_content publication publish purchase purchases rankings react reaction reactions read reader readers ready receipt
  receipts recover redeem redeliver redemption redemptions redirects refresh refund refunds register registration
  registrations related release releases remove report reports resend reset respond restrict resume revoke rotate schedule
  schema schemas search secrets secure sent session sessions setting settings setup shop sign_in sign_out sign_up signin
  signout signup static stats status store subscribe subscriber subscribers subscription subscriptions summary supporters tags
  team teams test_money tip_activities tips token tokens tool tool_server tool_servers tools topic topics transfers trending
  undo unfollow unmute unpublish unsubscribe update upload upload_operations uploads user users verify version wallet wallets
  webhook webhooks websocket welcome withdraw write writer writers`

/** Names by which a service speaks of itself, or takes complaints. */
const INSTITUTION = `about accessibility advertise advertising affiliate affiliates alert alerts announcement
  announcements beta blog blogs brand bugs business careers community company compliance conduct cookie cookies copyright
  corporate customer customers developer developers dmca docs documentation donate editorial employee employees
  enterprise events everybody everyone faqs feedback forum forums foundation founder founders gdpr guide guidelines guest
  guests help helpdesk howto imprint impressum investor investors jobs legal licence license maintenance management
  manager newsletter newsletters partner partners policies policy premium press privacy product products roadmap rules
  safety service services shutdown site staff tech_support terms test tester testing tests trust tutorial verification
  webmail website`

/** Names that programs or people understand as no account or as all accounts. */
const NOBODY = `anonymous author_deleted default deleted deleted_account deleted_user example false guest_user nobody
  none null owner_deleted private root self someone superuser system true undefined unknown void`

/** Accounts that speak for the service or for Nano. A check of looks finds imitations. */
const VOICES = `billing billing_support nano nano_currency nano_foundation nano_node nano_official nanocurrency
  nanofoundation official operator payments_team pennypress security_team support_team trust_and_safety trust_safety
  xno_foundation xno_official`

/** Handles that cannot be chosen, in lower case and 4 to 30 characters each (spec 4.2.3). */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set(
  [MAILBOXES, WELL_KNOWN, ROUTES, INSTITUTION, NOBODY, VOICES].flatMap((words) => words.split(/\s+/u))
)

/**
 * Returns true when a handle is one of {@link RESERVED_HANDLES} in any case, or looks like that of a deleted
 * account, of the service or of its staff. An owner who had such a handle before its reservation keeps it.
 */
export const isReservedHandle = (handle: string): boolean =>
  RESERVED_HANDLES.has(handle.toLowerCase()) ||
  handle.toLowerCase().startsWith(DELETED_HANDLE_PREFIX) ||
  impersonatesStaff(handle)
