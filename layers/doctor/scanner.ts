import { Clock, Effect, Option } from "effect"
import { Scanner } from "../../src/platform/ports/Scanner.ts"
import type { Environment } from "../config/environment.ts"
import * as ScannerClamd from "../scanner/ScannerClamd.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("scanner")

const DAY_MILLIS = 86_400_000
/** Days after which the doctor calls definitions old: they are published every day. */
const DAYS_TOLD = 2

const UPDATE = "Run freshclam next to clamd, and check its log: it has to reach database.clamav.net."

const ageOf = (days: number, max: number): Finding => {
  const said = `Its definitions are ${days.toFixed(1)} days old.`
  if (days > max) return fault(`${said} Uploads wait for newer ones.`, UPDATE)
  return days > DAYS_TOLD ? warning(said, UPDATE) : ok(said)
}

/** Checks that clamd answers, and that its definitions are new. */
export const scannerCheck = ({
  CLAMD_URL,
  SCANNER,
  SCANNER_DEFINITIONS_MAX_AGE_DAYS: max
}: Environment): Effect.Effect<ReadonlyArray<Finding>> => {
  if (SCANNER === "none")
    return Effect.succeed([
      warning(
        "SCANNER=none: uploads are not scanned for malware.",
        "On a public site, run clamd, set CLAMD_URL and remove SCANNER."
      )
    ])
  if (Option.isNone(CLAMD_URL))
    return Effect.succeed([
      warning(
        "No scanner is set: uploads wait to be screened, and ZIPs are not for sale.",
        "Run clamd, and set CLAMD_URL."
      )
    ])
  const check = Effect.gen(function* () {
    const { engine, publishedAt } = yield* (yield* Scanner).definitions
    const now = yield* Clock.currentTimeMillis
    const answers = ok(`${engine} answers.`)
    if (publishedAt !== null) return [answers, ageOf((now - publishedAt.getTime()) / DAY_MILLIS, max)]
    const said = "It does not report when its definitions were published."
    return [
      answers,
      max === Number.POSITIVE_INFINITY ? warning(said, UPDATE) : fault(`${said} Uploads wait.`, UPDATE)
    ]
  })
  return within(
    "scanner",
    Effect.provide(check, ScannerClamd.layer({ address: CLAMD_URL.value })),
    "Start clamd, and check the address in CLAMD_URL and that this account may open its socket."
  )
}
