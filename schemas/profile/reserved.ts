/** The name that new accounts start with; nobody can choose it, in any case or spacing (specification 4.2.2). */
export const RESERVED_NAME = "New User"

/** What a reader sees of a name: the same whatever its case, spacing, width and invisible characters. */
const lookOf = (name: string) =>
  name
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cf}]+/gu, "")
    .toLowerCase()

/** Whether a name is {@link RESERVED_NAME}, in any case or spacing (specification 4.2.2). */
export const isReservedName = (name: string): boolean => lookOf(name) === lookOf(RESERVED_NAME)

/** The handle that new accounts start with is this prefix and a suffix; nobody can choose one with it. */
export const GENERATED_HANDLE_PREFIX = "user_"

/** Whether a handle begins with {@link GENERATED_HANDLE_PREFIX}, in any case (specification 2.3, 4.2.3). */
export const isGeneratedHandle = (handle: string): boolean =>
  handle.toLowerCase().startsWith(GENERATED_HANDLE_PREFIX)

/** Handles that the service's own routes or an impersonator would use, in lower case (specification 4.2.3). */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set([
  // Words of the service's own paths, today's and likely ones.
  ..."about account accounts admin administrator agent agents anonymous article articles assets atom".split(
    " "
  ),
  ..."auth author authors billing blog browse categories category checkout claim comment comments".split(" "),
  ..."config contact cookies dashboard discover docs download draft drafts edit email explore export".split(
    " "
  ),
  ..."favicon feed feeds follow followers following forgot gift gifts handle handles health help".split(" "),
  ..."home host images import index invite leaderboard leaderboards legal llms login logout".split(" "),
  ..."media member members metrics moderator nano news newsletter notifications null oauth openapi".split(
    " "
  ),
  ..."operator owner owners password payments payout payouts pennypress post posts press pricing".split(" "),
  ..."privacy problems profile profiles public publish purchases reader register registration".split(" "),
  ..."report reports root robots rpc search secure security session sessions settings setup signin".split(
    " "
  ),
  ..."signout signup sitemap staff static status store subscribe summary support system team terms".split(
    " "
  ),
  ..."tips token tokens tools trending undefined unsubscribe upload uploads user users verify wallet".split(
    " "
  ),
  ..."wallets webhook webhooks welcome well_known write writer writers x402".split(" "),
  // Common impersonations.
  ..."abuse billing_support customer_service customersupport help_desk helpdesk info mail mailer_daemon".split(
    " "
  ),
  ..."nano_foundation nanofoundation nano_official no_reply noreply official payments_team pennypress_team".split(
    " "
  ),
  ..."pennypress_support pennypress_official postmaster security_team support_team trust_safety webmaster".split(
    " "
  )
])
