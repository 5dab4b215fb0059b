/** Cyrillic and Greek letters that look like Latin ones in either case, and digits and signs that stand for one. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...Array.from("аеорсухѕіјкпт", (letter, at) => [letter, "aeopcyxsijknt"[at] ?? ""] as const),
  ...Array.from("αεορνυικτ", (letter, at) => [letter, "aeopnyikt"[at] ?? ""] as const),
  ...Array.from("ı013457$@", (sign, at) => [sign, "ioleastsa"[at] ?? ""] as const)
])

/**
 * Returns the form in which names that look alike are equal: NFKC, without marks, in lower case, {@link LOOKALIKES} as
 * what they look like, `i` as `l` since `1` looks like both, and nothing but letters and digits. It is deliberately
 * small: other letters that look alike, doubled letters and `rn` for `m` are not folded.
 */
const folded = (text: string) =>
  Array.from(text.normalize("NFKD").toLowerCase())
    .map((it) => LOOKALIKES.get(it) ?? it)
    .join("")
    .replaceAll("i", "l")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** Returns the look with and without the digits at either end, which number copies. */
const looksOf = (text: string) => [
  folded(text),
  folded(text.replaceAll(/^[\d_\s]+|(?<![\d_\s])[\d_\s]+$/g, ""))
]

/** Names of those who act for the service. A handle that looks like one is refused. */
const STAFF = [
  ..."admin admins administrator administration billing customer_care customer_service customer_support".split(
    " "
  ),
  ..."help_center help_desk moderation moderator moderators nano_foundation nano_org nano_team".split(" "),
  ..."official operator postmaster security security_team staff superuser support support_team sysadmin".split(
    " "
  ),
  ..."system trust_and_safety trust_safety verified webmaster xno_foundation".split(" ")
]

/** Words that stand beside the service's name where it speaks for itself. */
const ROLES = [
  ..."account accounts admin administrator app billing bot care center com customer desk dev editors".split(
    " "
  ),
  ..."foundation help hq inc info io legal mail mod moderation moderator net news nano notifications".split(
    " "
  ),
  ..."official org payments payouts real root safety security service staff support system team the trust".split(
    " "
  ),
  ..."verified wallet xno".split(" ")
]

const staff = new Set(STAFF.map(folded))
const roles = ROLES.map(folded).join("|")
const service = new RegExp(`^(?:${roles})*${folded("pennypress")}(?:${roles})*$`, "u")

/**
 * Returns true when a name looks like the service's own, `Pennypress` or the like of `Pennypress Support`, `the_penny_press` and
 * `P3nnypr3ss 2`, and not like that of an author who writes about it (spec 4.2.3).
 */
export const impersonatesService = (name: string): boolean => looksOf(name).some((look) => service.test(look))

/** Returns true when a handle looks like that of the service, of those who act for it or of the Nano Foundation. */
export const impersonatesStaff = (handle: string): boolean =>
  impersonatesService(handle) || looksOf(handle).some((look) => staff.has(look))
