import { Effect, Option, Result } from "effect"
import { ConfigurationInvalid, type Environment } from "../config/environment.ts"
import { readSiteLogo } from "./siteLogo.ts"
import { readSitePages } from "./sitePages.ts"

const named = (variable: string, problems: ReadonlyArray<string>) =>
  problems.map((it) => `  ${variable}: ${it}`)

/** Reads the logo and the pages of the site once, when the service starts. Fails with all problems together. */
export const readSiteFiles = Effect.fnUntraced(function* ({ SITE_LOGO, SITE_PAGES }: Environment) {
  const logo = yield* Effect.result(Effect.transposeOption(Option.map(SITE_LOGO, readSiteLogo)))
  const pages = yield* Effect.result(Effect.transposeOption(Option.map(SITE_PAGES, readSitePages)))
  const problems = [
    ...(Result.isFailure(logo) ? named("SITE_LOGO", [logo.failure]) : []),
    ...(Result.isFailure(pages) ? named("SITE_PAGES", pages.failure) : [])
  ]
  if (Result.isFailure(logo) || Result.isFailure(pages))
    return yield* new ConfigurationInvalid({
      message: `The configuration is not valid:\n${problems.join("\n")}`
    })
  return {
    siteLogo: Option.getOrUndefined(logo.success),
    sitePages: Option.getOrElse(pages.success, () => [])
  }
})
